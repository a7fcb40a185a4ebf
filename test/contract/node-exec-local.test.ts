// The contract of transports on this machine, and of the shell scripts that remote transports run their commands with.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CapturedOutput } from '../../src/node-exec/captured-output.ts';
import { openLocal, openNetns } from '../../src/node-exec/local.ts';
import { type NodeExec, TransportError } from '../../src/node-exec/node-exec.ts';
import { parseSteps, stepsArgv } from '../../src/node-exec/steps-script.ts';
import { supervisedArgv } from '../../src/node-exec/supervised.ts';
import { isRunning } from '../support/program/processes.ts';
import { until } from '../support/program/until.ts';
import { signalGroup } from '../support/program/world.ts';
import { nodeExecContract } from './node-exec-contract.ts';

const world = { env: process.env, clock: { now: () => new Date() }, signalGroup };
const node = { name: 'node-a', addresses: [] };

nodeExecContract('this machine', async () => ({ exec: openLocal(world), node, isRunning }));

type Taker = (bytes: Uint8Array) => Promise<void> | void;

/** Runs a command as on a remote node: its input stays open, and only closing it ends the command. */
function overAConnection(
  argv: readonly string[],
  onStdout: Taker,
  onStderr: Taker,
  stop?: AbortSignal,
): Promise<number> {
  const [program = '', ...args] = argv;
  // Its own process group, as on a node: the whole group is ended.
  const child = spawn(program, args, { stdio: 'pipe', detached: true });
  child.stdin.on('error', () => undefined);
  stop?.addEventListener('abort', () => child.stdin.end());
  return new Promise((resolve, reject) => {
    const passOn = (take: Taker) => async (bytes: Uint8Array) => {
      try {
        await take(bytes);
      } catch (cause) {
        child.stdin.end();
        reject(cause);
      }
    };
    child.stdout.on('data', passOn(onStdout));
    child.stderr.on('data', passOn(onStderr));
    child.on('close', (code) => resolve(code ?? 255));
  });
}

/** The scripts of remote transports, run on this machine. */
function openSupervised(): NodeExec {
  const gathered = async (argv: readonly string[], stop: AbortSignal) => {
    const output = new CapturedOutput();
    const exit = await overAConnection(
      argv,
      (bytes) => output.addStdout(bytes),
      (bytes) => output.addStderr(bytes),
      stop,
    );
    return output.result(exit, 0);
  };
  return {
    ...openLocal(world),
    async runSteps(_, steps, options) {
      const marker = randomUUID().replaceAll('-', '');
      const whole = await gathered(
        supervisedArgv(stepsArgv(marker, steps)),
        AbortSignal.timeout(options?.timeoutMs ?? 30_000),
      );
      return parseSteps(marker, steps, whole, new TransportError('timeout', 'node-a: the time is up'));
    },
    stream: (_, argv, { onStdout, onStderr, signal }) =>
      overAConnection(
        supervisedArgv(argv),
        (bytes) => onStdout(bytes),
        (bytes) => onStderr(bytes),
        signal,
      ),
  };
}

nodeExecContract('a supervising shell', async () => ({ exec: openSupervised(), node, isRunning }));

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

    it('a command in a network namespace sees only that namespace', async () => {
      const exec = openNetns(`calictl-${process.pid}-{node}`, world);
      const { stdout } = await exec.run(node, ['ip', '-j', 'link', 'show']);
      expect((JSON.parse(stdout) as { ifname: string }[]).map(({ ifname }) => ifname)).toEqual(['lo']);
    });

    it.each(['nobody', '../../../proc/1/ns/net', '', '.', 'a\0b'])(
      'a network namespace refuses node %j',
      async (other) => {
        const error = await openNetns('{node}', world)
          .run({ name: other, addresses: [] }, ['true'])
          .catch((reason: unknown) => reason);
        expect((error as TransportError).reason).toBe('unreachable');
      },
    );
  },
);

describe('supervised commands', () => {
  it.each([0, 3, 126, 127, 255])(
    'a supervised command returns the exit code %i and leaves no process behind',
    async (code) => {
      const unlike = randomUUID();
      const none = (): void => undefined;
      expect(
        await overAConnection(supervisedArgv(['sh', '-c', 'exit "$1"', 'sh', String(code), unlike]), none, none),
      ).toBe(code);
      expect(isRunning(unlike)).toBe(false);
    },
  );

  it('a supervised command that was killed returns 137', async () => {
    expect(
      await overAConnection(
        supervisedArgv(['sh', '-c', 'kill -KILL $$']),
        () => undefined,
        () => undefined,
      ),
    ).toBe(137);
  });

  it('a supervised command that ignores SIGINT and SIGTERM is ended', async () => {
    const unlike = randomUUID();
    const stop = new AbortController();
    let out = '';
    const ended = overAConnection(
      supervisedArgv(['sh', '-c', 'trap "" INT TERM; echo on; while :; do sleep 0.1; done', 'sh', unlike]),
      (bytes) => {
        out += String(bytes);
      },
      () => undefined,
      stop.signal,
    );
    await until(() => out === 'on\n', 'the command runs');
    stop.abort();
    await ended;
    expect(isRunning(unlike)).toBe(false);
  });

  it('a supervised command that was asked to end still reports how it ended', async () => {
    const stop = new AbortController();
    // Longer than the delay until the signals that follow the end of the command.
    const waiting = 'trap : INT TERM; "$@"; code=$?; trap "" INT TERM; sleep 0.2; echo "it ended with $code" >&2';
    const command = supervisedArgv(['sh', '-c', 'trap "exit 4" INT; echo on; while :; do sleep 0.02; done']);
    let said = '';
    await overAConnection(
      ['sh', '-c', waiting, 'sh', ...command],
      () => stop.abort(),
      (bytes) => {
        said += String(bytes);
      },
      stop.signal,
    );
    expect(said).toBe('it ended with 4\n');
  });

  it('a supervised command ends when its input closes while it starts', async () => {
    const time = `4000.${process.pid}`;
    // Many at once, so that the input ends in every state of some of them.
    const many = 'i=0; while [ $i -lt 200 ]; do setsid "$@" </dev/null & i=$((i + 1)); done; wait';
    execFileSync('sh', ['-c', many, 'sh', ...supervisedArgv(['sleep', time])], { stdio: 'ignore' });
    await until(() => !isRunning(`sleep ${time}`), 'the commands are gone');
  });
});
