// What every transport promises, tested with programs that the image of calico-node has too.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeExec, type NodeTarget, TransportError } from '../../src/node-exec/node-exec.ts';
import { until } from '../support/program/until.ts';

export interface NodeExecUnderTest {
  readonly exec: NodeExec;
  readonly node: NodeTarget;
  /** How long a command may take to start where each opens a connection; 2,000 ms when absent. */
  readonly beginMs?: number;
  /** True while a process with this text in its command line runs, wherever the commands run. */
  isRunning(text: string): boolean;
}

/** Times that no other `sleep` on this machine has. */
let sleeps = 0;
const longSleep = (): string => `${3600 + ++sleeps}.${process.pid}`;

const sh = (script: string, ...args: string[]): string[] => ['sh', '-c', script, 'sh', ...args];

export function nodeExecContract(name: string, open: () => Promise<NodeExecUnderTest>): void {
  describe(`${name} keeps the contract`, () => {
    let under: NodeExecUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under?.exec.close());
    const run = (argv: readonly string[], options = {}) => under.exec.run(under.node, argv, options);

    it.each([0, 1, 2, 3, 125, 126, 127, 128, 255])('run returns the exit code %i', async (code) => {
      expect((await run(sh(`exit ${code}`))).exit).toBe(code);
    });

    it('run keeps stdout and stderr apart, and every byte of them', async () => {
      const { exit, stdout, stderr } = await run(sh('printf "a\\n\\nb"; printf "c\\r\\n" >&2; exit 7'));
      expect({ exit, stdout, stderr }).toEqual({ exit: 7, stdout: 'a\n\nb', stderr: 'c\r\n' });
    });

    it('run passes on arguments unchanged, whatever a shell would make of them', async () => {
      const word = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', ''));
      const hostile = fc.constantFrom(
        '',
        ' ',
        '$(id)',
        '`id`',
        "'",
        '"',
        '\\',
        '\n',
        '*',
        '~',
        ';exit 9',
        '-n',
        '&&',
        '$1',
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(word, hostile), { maxLength: 6 }), async (words) => {
          const { exit, stdout } = await run(['printf', '%s|', 'x', ...words]);
          expect({ exit, stdout }).toEqual({ exit: 0, stdout: ['x', ...words].map((text) => `${text}|`).join('') });
        }),
        { numRuns: 25 },
      );
      // Some transports open a session for each run, which is slow.
    }, 120_000);

    it('run gives a command its input and closes it', async () => {
      expect((await run(['cat'], { stdin: 'one\ntwo' })).stdout).toBe('one\ntwo');
      expect((await run(['cat'])).stdout).toBe('');
    });

    it('run returns 127 for a missing program', async () => {
      const { exit, stderr } = await run(['no-such-program-at-all', 'x']);
      expect(exit).toBe(127);
      expect(stderr).toContain('no-such-program-at-all');
    });

    it('run returns 128 plus the number for a program that a signal ended', async () => {
      expect((await run(sh('kill -KILL $$'))).exit).toBe(137);
    });

    it('run reads bytes that are not UTF-8 as the replacement character', async () => {
      expect((await run(sh('printf "a\\377b"'))).stdout).toBe('a\u{fffd}b');
    });

    it('run keeps the first bytes of a flood and reports that there was more', async () => {
      const { stdout, truncated } = await run(
        sh('i=0; while [ $i -lt 400 ]; do printf "%01000d" 0; i=$((i+1)); done'),
        {
          maxBytes: 5000,
        },
      );
      expect({ length: stdout.length, truncated }).toEqual({ length: 5000, truncated: true });
    });

    it('run ends a command at its deadline, on the node too', async () => {
      const time = longSleep();
      const error = await run(['sleep', time], { timeoutMs: 1500 }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TransportError);
      expect((error as TransportError).reason).toBe('timeout');
      await until(() => !under.isRunning(`sleep ${time}`), 'the command is gone');
    });

    it('run ends the background processes of a command with it', async () => {
      const time = longSleep();
      // A shell lets its background commands ignore SIGINT.
      const error = await run(sh('sleep "$1" & wait', time), { timeoutMs: 1500 }).catch((reason: unknown) => reason);
      expect((error as TransportError).reason).toBe('timeout');
      await until(() => !under.isRunning(`sleep ${time}`), 'the command is gone');
    });

    it('run ends a command when it is aborted', async () => {
      const time = longSleep();
      const stop = new AbortController();
      const running = run(['sleep', time], { signal: stop.signal }).catch((reason: unknown) => reason);
      await until(() => under.isRunning(`sleep ${time}`), 'the command runs');
      stop.abort();
      expect(((await running) as TransportError).reason).toBe('cancelled');
      await until(() => !under.isRunning(`sleep ${time}`), 'the command is gone');
    });

    it('several commands run at once', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, (_, i) => run(['printf', '%s', String(i)])));
      expect(results.map(({ stdout }) => stdout)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    });

    it('steps run in order, and fallback steps only after a failure', async () => {
      const outcomes = await under.exec.runSteps(under.node, [
        { argv: sh('printf "1\\n"; printf e >&2') },
        { argv: ['printf', 'never'], onlyIfFailed: true },
        { argv: ['printf', 'never'], onlyIfFailed: true },
        { argv: ['no-such-program-at-all'] },
        { argv: sh('printf 2; exit 4'), onlyIfFailed: true },
        { argv: ['printf', '%s', "it's\n$HOME"], onlyIfFailed: true },
        { argv: ['printf', 'never'], onlyIfFailed: true },
        { argv: ['cat'] },
      ]);
      expect(
        outcomes.map((outcome) =>
          outcome.kind === 'ran' ? [outcome.result.exit, outcome.result.stdout] : [outcome.kind],
        ),
      ).toEqual([[0, '1\n'], ['skipped'], ['skipped'], [127, ''], [4, '2'], [0, "it's\n$HOME"], ['skipped'], [0, '']]);
      expect(outcomes[0]?.kind === 'ran' && outcomes[0].result.stderr).toBe('e');
    });

    it('steps that ended before the deadline are kept', async () => {
      const time = longSleep();
      const outcomes = await under.exec.runSteps(
        under.node,
        [{ argv: ['printf', 'first'] }, { argv: ['sleep', time] }, { argv: ['printf', 'last'] }],
        { timeoutMs: under.beginMs ?? 2000 },
      );
      expect(outcomes.map(({ kind }) => kind)).toEqual(['ran', 'lost', 'lost']);
      expect(outcomes[0]?.kind === 'ran' && outcomes[0].result.stdout).toBe('first');
      expect(outcomes[1]?.kind === 'lost' && outcomes[1].error.reason).toBe('timeout');
      await until(() => !under.isRunning(`sleep ${time}`), 'the command is gone');
    });

    it('a stream is passed on as it arrives, and its command ends on the node when aborted', async () => {
      const time = longSleep();
      const stop = new AbortController();
      const seen: string[] = [];
      const ended = under.exec.stream(under.node, sh('printf one; exec sleep "$1"', time), {
        signal: stop.signal,
        onStdout: (bytes) => void seen.push(Buffer.from(bytes).toString()),
        onStderr: () => undefined,
      });
      await until(() => seen.join('') === 'one', 'its first output has arrived');
      stop.abort();
      await ended;
      await until(() => !under.isRunning(`sleep ${time}`), 'the command is gone');
    });

    it('a stream whose output cannot be written ends its command, with the reason', async () => {
      const time = longSleep();
      const full = new Error('no space left');
      const ended = under.exec.stream(under.node, sh('printf one; exec sleep "$1"', time), {
        onStdout: () => Promise.reject(full),
        onStderr: () => undefined,
      });
      await expect(ended).rejects.toBe(full);
      await until(() => !under.isRunning(`sleep ${time}`), 'the command is gone');
    });

    it('a stream returns the exit code at its end', async () => {
      const seen: string[] = [];
      const exit = await under.exec.stream(under.node, sh('printf out; printf err >&2; exit 6'), {
        onStdout: (bytes) => void seen.push(`o:${Buffer.from(bytes)}`),
        onStderr: (bytes) => void seen.push(`e:${Buffer.from(bytes)}`),
      });
      expect({ exit, seen: seen.sort() }).toEqual({ exit: 6, seen: ['e:err', 'o:out'] });
    });
  });
}
