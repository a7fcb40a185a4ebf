// Reading many nodes: order, limits, alternatives of a probe, and nodes that are not reached.
import { describe, expect, it } from 'vitest';
import { type NodeExec, type Step, type StepOutcome, TransportError } from '../../src/node-exec/node-exec.ts';
import { readNodes } from '../../src/node-live/read-nodes.ts';
import { birdProbes, type NodeReading, type Probe } from '../../src/node-state/probes.ts';

type Answer = (
  node: string,
  argv: readonly string[],
) => { exit: number; stdout?: string; stderr?: string } | TransportError;

const ran = (answer: { exit: number; stdout?: string; stderr?: string }): StepOutcome => ({
  kind: 'ran',
  result: { stdout: '', stderr: '', durationMs: 1, truncated: false, ...answer },
});

/** A transport to made-up nodes, with answers and delays of the test's choice. */
function nodesThat(answer: Answer, before: (node: string) => Promise<void> = async () => undefined) {
  let running = 0;
  let most = 0;
  const exec: Pick<NodeExec, 'runSteps'> = {
    async runSteps({ name }, steps: readonly Step[]) {
      running += 1;
      most = Math.max(most, running);
      await before(name);
      running -= 1;
      let failed = false;
      return steps.map(({ argv, onlyIfFailed }): StepOutcome => {
        if (onlyIfFailed && !failed) return { kind: 'skipped' };
        const given = answer(name, argv);
        if (given instanceof TransportError) {
          failed = true;
          return { kind: 'lost', error: given };
        }
        failed = given.exit !== 0;
        return ran(given);
      });
    },
  };
  return { exec: exec as NodeExec, most: () => most };
}

/** Uses the reading unchanged. */
const whole = (reading: NodeReading): NodeReading => reading;

const targets = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `node-${i}`, addresses: [] }));
const links: Probe = {
  name: 'links',
  alternatives: [
    ['ip', '-j', 'link'],
    ['ip', 'link'],
  ],
};

describe('alternative steps of a probe', () => {
  const read = async (answer: Answer, probes: readonly Probe[] = [links]) =>
    (await readNodes(nodesThat(answer).exec, targets(1), () => probes, whole, { parallel: 1 }))[0];

  it('the first step that succeeds is used', async () => {
    const reading = await read((_, argv) => ({ exit: argv[1] === '-j' ? 255 : 0, stdout: argv.join(' ') }));
    expect(reading?.outcomes.get('links')).toMatchObject({ kind: 'answered', exit: 0, stdout: 'ip link' });
  });

  it('otherwise the first step whose program exists is used', async () => {
    const [status] = birdProbes(4);
    const reading = await read(
      (_, [program]) => (program === 'birdc' ? { exit: 1, stderr: 'no socket' } : { exit: 127 }),
      [status as Probe],
    );
    expect(reading?.outcomes.get('bird4-status')).toMatchObject({ exit: 1, stderr: 'no socket' });
    expect(reading?.outcomes.get('bird4-status')?.argv.slice(0, 3)).toEqual([
      'birdc',
      '-s',
      '/var/run/calico/bird.ctl',
    ]);
  });

  it('otherwise the missing program is reported', async () => {
    expect((await read(() => ({ exit: 127 })))?.outcomes.get('links')).toMatchObject({ kind: 'answered', exit: 127 });
  });

  it('an unreachable node is distinguished from a bad answer', async () => {
    const lost = new TransportError('timeout', 'node-0: no answer', { hint: 'wait longer' });
    const reading = await read(() => lost);
    expect(reading?.unreachable).toEqual({ code: 'NODE_TIMEOUT', message: 'node-0: no answer', hint: 'wait longer' });
    expect(reading?.outcomes.get('links')).toMatchObject({ kind: 'unanswered', reason: 'node-0: no answer' });
    expect((await read(() => ({ exit: 1 })))?.unreachable).toBeUndefined();
  });
});

describe('many nodes', () => {
  it('results come in the order of the targets, whichever is first', async () => {
    const { exec } = nodesThat(
      (node) => ({ exit: 0, stdout: node }),
      (node) => new Promise((resolve) => setTimeout(resolve, node === 'node-0' ? 30 : 1)),
    );
    const readings = await readNodes(exec, targets(3), () => [links], whole, { parallel: 3 });
    expect(readings.map(({ node, outcomes }) => [node, (outcomes.get('links') as { stdout: string }).stdout])).toEqual([
      ['node-0', 'node-0'],
      ['node-1', 'node-1'],
      ['node-2', 'node-2'],
    ]);
  });

  it('no more nodes are queried at once than allowed', async () => {
    const { exec, most } = nodesThat(
      () => ({ exit: 0 }),
      () => new Promise((resolve) => setTimeout(resolve, 5)),
    );
    await readNodes(exec, targets(20), () => [links], whole, { parallel: 7 });
    expect(most()).toBe(7);
  });

  it('Ctrl-C ends the reading of nodes at once', async () => {
    const stopped = new TransportError('cancelled', 'stopped');
    const { exec } = nodesThat(() => stopped);
    await expect(readNodes(exec, targets(2), () => [links], whole, { parallel: 2 })).rejects.toBe(stopped);
  });
});
