// The contract of the ways to nodes on this machine, and of steps run by the shell script of those that are far away.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocal, openNetns } from '../../src/node-exec/local.ts';
import { type NodeExec, TransportError } from '../../src/node-exec/node-exec.ts';
import { parseSteps, stepsArgv } from '../../src/node-exec/steps-script.ts';
import { isRunning } from '../support/processes.ts';
import { signalGroup } from '../support/world.ts';
import { nodeExecContract } from './node-exec-contract.ts';

const world = { env: process.env, clock: { now: () => new Date() }, signalGroup };
const node = { name: 'node-a', addresses: [] };

nodeExecContract('this machine', async () => ({ exec: openLocal(world), node, isRunning }));

/** This machine with steps as a far node runs them: one shell, one connection. */
function openByScript(): NodeExec {
  const local = openLocal(world);
  return {
    ...local,
    async runSteps(target, steps, options) {
      const marker = randomUUID().replaceAll('-', '');
      const whole = { stdout: '', stderr: '' };
      const stop = AbortSignal.timeout(options?.timeoutMs ?? 30_000);
      await local.stream(target, stepsArgv(marker, steps), {
        signal: stop,
        onStdout: (bytes) => {
          whole.stdout += Buffer.from(bytes).toString();
        },
        onStderr: (bytes) => {
          whole.stderr += Buffer.from(bytes).toString();
        },
      });
      const late = new TransportError('timeout', 'node-a: the time is up');
      return parseSteps(marker, steps, { ...whole, durationMs: 0, truncated: false }, late);
    },
  };
}

nodeExecContract('steps in a shell', async () => ({ exec: openByScript(), node, isRunning }));

describe.skipIf(process.getuid?.() !== 0 || !existsSync('/usr/sbin/ip'))(
  'network namespaces (needs root and ip)',
  () => {
    const name = `calictl-${process.pid}-node-a`;
    beforeAll(() => void execFileSync('ip', ['netns', 'add', name]));
    afterAll(() => void execFileSync('ip', ['netns', 'del', name]));

    nodeExecContract('a network namespace', async () => ({
      exec: openNetns(`calictl-${process.pid}-{node}`, world),
      node,
      isRunning,
    }));

    it('sees what is in the namespace only', async () => {
      const exec = openNetns(`calictl-${process.pid}-{node}`, world);
      const { stdout } = await exec.run(node, ['ip', '-j', 'link', 'show']);
      expect((JSON.parse(stdout) as { ifname: string }[]).map(({ ifname }) => ifname)).toEqual(['lo']);
    });

    it.each(['nobody', '../../../proc/1/ns/net', '', '.', 'a\0b'])('refuses node %j', async (other) => {
      const error = await openNetns('{node}', world)
        .run({ name: other, addresses: [] }, ['true'])
        .catch((reason: unknown) => reason);
      expect((error as TransportError).reason).toBe('unreachable');
    });
  },
);
