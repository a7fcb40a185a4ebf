// Commands over the built-in SSH client, beyond the contract: limits, how commands end, connections, hostile names; with a
// real sshd.
import { existsSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { NodeExec } from '../../../src/node-exec/node-exec.ts';
import { openSsh } from '../../../src/node-exec/ssh/open-ssh.ts';
import type { SshSettings } from '../../../src/node-exec/ssh/settings.ts';
import { UsageError } from '../../../src/world/errors.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { isRunning } from '../../support/program/processes.ts';
import { until } from '../../support/program/until.ts';
import { failureOf, nodeA, settingsFor, sshHome } from '../../support/servers/ssh-world.ts';
import { makeKey, type Sshd, sshFolder, startSshd } from '../../support/servers/sshd.ts';

let sleeps = 0;
/** A time that no other `sleep` on this machine has. */
const longTime = (): string => `${7200 + ++sleeps}.${process.pid}`;
const sh = (script: string, ...args: string[]): string[] => ['sh', '-c', script, 'sh', ...args];

describeWithPrograms('built-in SSH', ['sshd', 'ssh-keygen', 'unshare'], () => {
  let key: string;
  let sshd: Sshd;
  const open: NodeExec[] = [];

  beforeAll(async () => {
    key = makeKey(sshFolder(), 'id');
    sshd = await startSshd({ authorized: [key] });
  });
  afterEach(async () => {
    for (const exec of open.splice(0)) await exec.close();
  });
  afterAll(() => sshd?.stop());

  function opened(more: SshSettings = {}, config = ''): NodeExec {
    const home = sshHome();
    home.write('.ssh/known_hosts', sshd.knownHosts);
    home.write('.ssh/config', config);
    const exec = openSsh(settingsFor(sshd, key, more), home.world);
    open.push(exec);
    return exec;
  }

  it('passes on every exit code', async () => {
    const codes = Array.from({ length: 256 }, (_, code) => code);
    const outcomes = await opened().runSteps(
      nodeA,
      codes.map((code) => ({ argv: sh(`exit ${code}`) })),
    );
    expect(outcomes.map((outcome) => outcome.kind === 'ran' && outcome.result.exit)).toEqual(codes);
  });

  it('finds programs in /usr/sbin and runs them in the C locale', async () => {
    const { stdout } = await opened().run(nodeA, sh('printf "%s|%s" "$PATH" "$LC_ALL"'));
    expect(stdout).toMatch(/:\/usr\/sbin:\/sbin\|C$/);
  });

  it('gives a command all of a large input, and lets it ignore its input', async () => {
    const exec = opened();
    const stdin = `${'é0123456789\n'.repeat(100_000)}end`;
    expect((await exec.run(nodeA, ['cat'], { stdin })).stdout).toBe(stdin);
    expect((await exec.run(nodeA, sh('exec 0<&-; echo done'), { stdin })).stdout).toBe('done\n');
    expect((await exec.run(nodeA, sh('wc -c'), { stdin: '' })).stdout.trim()).toBe('0');
  });

  it('keeps no more of 100 MB of output than the limit', async () => {
    const exec = opened();
    await exec.run(nodeA, ['true']);
    let peak = 0;
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before);
    }, 20);
    const flood = ['head', '-c', '100000000', '/dev/zero'];
    const { exit, stdout, truncated } = await exec.run(nodeA, flood, { maxBytes: 65_536 });
    clearInterval(watch);
    expect({ exit, length: stdout.length, truncated }).toEqual({ exit: 0, length: 65_536, truncated: true });
    expect(peak).toBeLessThan(80 * 1024 * 1024);
  });

  it('pauses a stream while the receiver is busy', async () => {
    let [received, most, busy] = [0, 0, 0];
    const exit = await opened().stream(nodeA, ['head', '-c', '3000000', '/dev/zero'], {
      onStdout: async (bytes) => {
        most = Math.max(most, ++busy);
        await new Promise((resolve) => setImmediate(resolve));
        busy -= 1;
        received += bytes.length;
      },
      onStderr: () => undefined,
    });
    expect({ exit, received, most }).toEqual({ exit: 0, received: 3_000_000, most: 1 });
  });

  it('ends a streamed command when the receiver fails', async () => {
    const time = longTime();
    const failed = opened().stream(nodeA, sh('echo; exec sleep "$1"', time), {
      onStdout: () => Promise.reject(new Error('the disk is full')),
      onStderr: () => undefined,
    });
    await expect(failed).rejects.toThrow('the disk is full');
    await until(() => !isRunning(`sleep ${time}`), 'the command is gone');
  });

  it('ends a command at its deadline with everything it started, even what ignores SIGINT and SIGTERM', async () => {
    const [first, second] = [longTime(), longTime()];
    const stubborn = 'trap "" INT TERM; sleep "$1" & sh -c \'sleep "$1"; :\' sh "$2"; wait';
    const { reason, message } = await failureOf(opened().run(nodeA, sh(stubborn, first, second), { timeoutMs: 1500 }));
    expect({ reason, message }).toEqual({
      reason: 'timeout',
      message: `node-a (127.0.0.1 port ${sshd.port}): no answer from sh within 1.5 seconds`,
    });
    await until(() => !isRunning(`sleep ${first}`) && !isRunning(`sleep ${second}`), 'both are gone');
  });

  it('leaves a background program running when its command ends by itself', async () => {
    const time = longTime();
    const exec = opened();
    await exec.run(nodeA, sh('sleep "$1" >/dev/null 2>&1 & echo', time));
    await exec.close();
    await until(() => sshd.sessions().length === 0, 'the connection is gone');
    expect(isRunning(`sleep ${time}`)).toBe(true);
    const again = opened();
    await again.run(nodeA, sh('kill $(pgrep -f -x "sleep $1")', time));
    await until(() => !isRunning(`sleep ${time}`), 'it is gone');
  });

  it('ends a command when its connection is closed', async () => {
    const time = longTime();
    const exec = opened();
    const running = failureOf(exec.run(nodeA, ['sleep', time]));
    await until(() => isRunning(`sleep ${time}`), 'the command runs');
    await exec.close();
    expect((await running).reason).toBe('broken');
    await until(() => !isRunning(`sleep ${time}`), 'the command is gone');
  });

  it('reports a broken connection, and opens a new one for the next command', async () => {
    const time = longTime();
    const exec = opened();
    const running = failureOf(exec.run(nodeA, ['sleep', time]));
    await until(() => isRunning(`sleep ${time}`), 'the command runs');
    for (const session of sshd.sessions()) process.kill(session, 'SIGKILL');
    const { reason, message } = await running;
    expect({ reason, message }).toEqual({
      reason: 'broken',
      message: `node-a: 127.0.0.1 port ${sshd.port}: the connection was lost`,
    });
    expect((await exec.run(nodeA, ['echo', 'again'])).stdout).toBe('again\n');
    await until(() => !isRunning(`sleep ${time}`), 'the command is gone');
  });

  it('runs more commands over one connection than sshd allows at once', async () => {
    const logins = (): number => sshd.log().split('Accepted publickey').length;
    const before = logins();
    const exec = opened();
    const numbers = Array.from({ length: 20 }, (_, i) => String(i));
    const results = await Promise.all(numbers.map((number) => exec.run(nodeA, ['echo', number])));
    expect(results.map(({ stdout }) => stdout.trim())).toEqual(numbers);
    expect(logins() - before).toBe(1);
  });

  it('runs nothing that is hidden in a node name or an argument', async () => {
    const owned = '/tmp/calictl-owned';
    rmSync(owned, { force: true });
    const name = `x; touch ${owned}; $(touch ${owned})`;
    const exec = opened({ hosts: new Map([[name, `127.0.0.1:${sshd.port}`]]) });
    const { stdout } = await exec.run({ name, addresses: [] }, ['printf', '%s', name]);
    expect({ stdout, owned: existsSync(owned) }).toEqual({ stdout: name, owned: false });
  });

  it.each([
    ['an argument with a NUL byte', ['echo', 'a\0b']],
    ['a command without a program', []],
    ['a program name that would be an option', ['-x']],
  ])('refuses %s', async (_, argv) => {
    await expect(opened().run(nodeA, argv)).rejects.toThrow(UsageError);
  });

  it('runs nothing when the signal is aborted beforehand', async () => {
    const signal = AbortSignal.abort();
    const none = { signal, onStdout: () => undefined, onStderr: () => undefined };
    expect((await failureOf(opened().run(nodeA, ['echo'], { signal }))).reason).toBe('cancelled');
    expect((await failureOf(opened().stream(nodeA, ['echo'], none))).reason).toBe('cancelled');
    const [outcome] = await opened().runSteps(nodeA, [{ argv: ['echo'] }], { signal });
    expect(outcome?.kind === 'lost' && outcome.error.reason).toBe('cancelled');
  });

  it('streams the packets of a real tcpdump, and lets it complete its file', async () => {
    const stop = new AbortController();
    const bytes: Uint8Array[] = [];
    let messages = '';
    const ended = opened().stream(
      nodeA,
      ['tcpdump', '-i', 'lo', '-U', '-s', '64', '-w', '-', 'tcp port', String(sshd.port)],
      {
        signal: stop.signal,
        onStdout: (chunk) => void bytes.push(chunk),
        onStderr: (chunk) => {
          messages += Buffer.from(chunk).toString();
        },
      },
    );
    // It captures the packets of this connection.
    await until(() => Buffer.concat(bytes).length > 24, 'a packet was seen');
    stop.abort();
    expect(await ended).toBe(0);
    expect(Buffer.concat(bytes).readUInt32LE(0)).toBe(0xa1b2c3d4);
    expect(messages).toContain('packets captured');
    await until(() => !isRunning(`-w - tcp port ${sshd.port}`), 'tcpdump is gone');
  });

  it('reports a port where nothing listens', async () => {
    const server = await listening();
    const port = portOf(server);
    await new Promise((resolve) => server.close(resolve));
    const { reason, message, hint } = await failureOf(opened({ hosts: at(port) }).run(nodeA, ['true']));
    expect({ reason, message }).toEqual({
      reason: 'unreachable',
      message: `node-a: 127.0.0.1 port ${port}: connection refused`,
    });
    expect(hint).toContain('--ssh-host');
  });

  it('reports a server that does not answer, and one that does not speak SSH', async () => {
    const [silent, other] = [await listening(), await listening('HTTP/1.0 400 no\r\n\r\n', true)];
    const config = 'ConnectTimeout 1\n';
    const unanswered = await failureOf(opened({ hosts: at(portOf(silent)) }, config).run(nodeA, ['true']));
    expect(unanswered.message).toBe(`node-a: 127.0.0.1 port ${portOf(silent)}: no answer within 1 second`);
    const strange = await failureOf(opened({ hosts: at(portOf(other)) }, config).run(nodeA, ['true']));
    expect([unanswered.reason, strange.reason]).toEqual(['unreachable', 'unreachable']);

    const late = await failureOf(opened({ hosts: at(portOf(silent)) }).run(nodeA, ['true'], { timeoutMs: 200 }));
    expect(late.reason).toBe('timeout');
    const stop = new AbortController();
    const stopped = failureOf(opened({ hosts: at(portOf(silent)) }).run(nodeA, ['true'], { signal: stop.signal }));
    setImmediate(() => stop.abort());
    expect((await stopped).reason).toBe('cancelled');
    silent.close();
    other.close();
  });

  it('reports every step as lost when the host is not reached', async () => {
    const outcomes = await opened({ hosts: at(1) }).runSteps(nodeA, [
      { argv: ['a'] },
      { argv: ['b'], onlyIfFailed: true },
    ]);
    expect(outcomes.map((outcome) => outcome.kind === 'lost' && outcome.error.reason)).toEqual([
      'unreachable',
      'unreachable',
    ]);
  });
});

const at = (port: number): ReadonlyMap<string, string> => new Map([['node-a', `127.0.0.1:${port}`]]);
const portOf = (server: Server): number => (server.address() as { port: number }).port;

/** A server that sends nothing, or this text before it closes the connection. */
function listening(text = '', hangUp = false): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).unref();
    if (hangUp) socket.end(text);
  });
  server.unref();
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
