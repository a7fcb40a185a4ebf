// The built program and signals: the first ends a command at the next good place, a second one ends it whatever it does.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleFolder } from '../support/clusters/example-cluster.ts';
import { isRunning } from '../support/program/processes.ts';
import { until } from '../support/program/until.ts';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-signals-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a command line in a shell, which shows the exit code; sends the signals when `ready` holds. */
async function ended(
  args: readonly string[],
  signals: readonly NodeJS.Signals[],
  ready: (pid: number) => Promise<unknown>,
): Promise<{ readonly code: number | null; readonly ms: number; readonly stderr: string }> {
  const child = spawn(process.execPath, [calictl, ...args], { stdio: ['pipe', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  await ready(child.pid ?? 0);
  const begin = performance.now();
  for (const signal of signals) {
    child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const [code, signal] = await exited;
  child.stdin.destroy();
  return { code: signal === 'SIGINT' ? 130 : code, ms: performance.now() - begin, stderr };
}

const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

/** Resolves when the process has the pipe open. */
const reads = (pipe: string) => (pid: number) =>
  until(
    () => readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === pipe),
    'the pipe is open',
  );

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

describe('signals', () => {
  it.each<[string, NodeJS.Signals[]]>([
    ['kubeconfig', ['SIGINT']],
    ['kubeconfig', ['SIGTERM']],
    ['kubeconfig', ['SIGINT', 'SIGTERM']],
    ['config', ['SIGTERM', 'SIGTERM']],
  ])('a --%s that is a pipe without a writer does not keep the program alive after %j', async (flag, signals) => {
    const args = [`--${flag}`, join(folder, 'pipe'), 'get', 'nodes'];
    const { code, ms, stderr } = await ended(args, signals, reads(join(folder, 'pipe')));
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringMatching(/^(calictl: interrupted\n)?$/) });
    // A second signal may come before the first has been answered.
    if (signals.length === 1) expect(stderr).not.toBe('');
    expect(ms).toBeLessThan(2000);
  });

  it.each(['--ssh-key', '--ssh-config', '--ssh-known-hosts'])('a pipe as %s is refused, not read', async (flag) => {
    const args = ['--datastore', exampleFolder, 'node', 'exec', 'worker-1', '--via', 'ssh', flag, join(folder, 'pipe')];
    const { stderr, code } = await ended([...args, '--', 'true'], [], aWhile);
    expect({ stderr, code }).toMatchObject({ code: expect.toBeOneOf([1, 2]), stderr: expect.stringMatching(/.+/) });
  });

  it('SIGTERM ends a credential plugin that does not answer, too', async () => {
    const started = join(folder, 'started');
    const seconds = `1${process.pid}`;
    const plugin = join(folder, 'plugin.sh');
    writeFileSync(plugin, `#!/bin/sh\ntouch ${started}\nexec sleep ${seconds}\n`);
    chmodSync(plugin, 0o755);
    const config = join(folder, 'config');
    const user = { exec: { command: plugin, apiVersion: 'client.authentication.k8s.io/v1' } };
    writeFileSync(
      config,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user }],
        'current-context': 'x',
      }),
    );
    const ready = (): Promise<unknown> => until(() => existsSync(started), 'the plugin runs');
    const { code } = await ended(['--kubeconfig', config, 'get', 'nodes'], ['SIGTERM'], ready);
    expect(code).toBe(130);
    await until(() => !isRunning(`sleep ${seconds}`), 'the plugin has ended');
  });
});
