// `node status` over a transport that takes 300 ms per call: the time for many nodes compared with one, with a node that
// hangs, and the memory that more nodes take. The answers of the nodes are generated here; everything else is real.
import { inputOf } from '../../src/cli/input.ts';
import type { Context } from '../../src/commands/command.ts';
import { nodeStatus, type StatusInput } from '../../src/commands/node/status/command.ts';
import { exit, formats, run as runStatus } from '../../src/commands/node/status/run.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { type NodeExec, type StepOutcome, TransportError } from '../../src/node-exec/node-exec.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../support/clusters/bgp-objects.ts';
import { testWorld } from '../support/program/world.ts';
import { type Contenders, resultTable, rounds } from './measure.ts';

const callMs = 300;
const hangMs = 2000;
const nameOf = (i: number): string => `node-${i}`;
const addressOf = (i: number): string => `10.${90 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;

function statusOf(i: number): string {
  return [
    'BIRD 1.6.8 ready.',
    'BIRD 1.6.8',
    `Router ID is ${addressOf(i)}`,
    'Current server time is 2026-11-29 14:26:38',
    'Last reboot on 2026-11-29 14:25:55',
    'Last reconfiguration on 2026-11-29 14:25:55',
    'Daemon is up and running',
    '',
  ].join('\n');
}

/** How the nodes peer: all with all, or each with two reflectors, which are the first two. */
type Topology = 'full mesh' | 'two reflectors';

/** What a node says of its sessions, all of them established. */
function protocolsOf(i: number, count: number, topology: Topology): string {
  const peers = Array.from({ length: count }, (_, peer) => peer).filter(
    (peer) => peer !== i && (topology === 'full mesh' || i < 2 || peer < 2),
  );
  const prefix = topology === 'full mesh' ? 'Mesh' : 'Node';
  const blocks = peers.map((peer) =>
    [
      `${prefix}_${addressOf(peer).replaceAll('.', '_')} BGP      master   up     14:25:57    Established   `,
      '  Description:    Connection to BGP peer',
      '  Preference:     100',
      '  Input filter:   ACCEPT',
      '  Output filter:  (unnamed)',
      '  Routes:         1 imported, 1 exported, 1 preferred',
      '  BGP state:          Established',
      `    Neighbor address: ${addressOf(peer)}`,
      '    Neighbor AS:      64512',
      `    Neighbor ID:      ${addressOf(peer)}`,
      '    Session:          internal multihop AS4',
      `    Source address:   ${addressOf(i)}`,
      '',
    ].join('\n'),
  );
  return ['BIRD 1.6.8 ready.', 'name     proto    table    state  since       info', ...blocks, ''].join('\n');
}

function answerOf(
  i: number,
  count: number,
  topology: Topology,
  argv: readonly string[],
): { exit: number; stdout: string } {
  const line = argv.join(' ');
  if (line.includes('bird6')) return { exit: 1, stdout: '' };
  if (line.endsWith('show status')) return { exit: 0, stdout: statusOf(i) };
  if (line.includes('show protocols')) return { exit: 0, stdout: protocolsOf(i, count, topology) };
  if (line.includes('show route')) return { exit: 0, stdout: 'BIRD 1.6.8 ready.\n' };
  return line.includes('felix-live') ? { exit: 0, stdout: '' } : { exit: 127, stdout: '' };
}

/** Each call takes the time of one; a node that hangs takes all the time that it is given. */
function slowNodes(count: number, topology: Topology, hanging: string | undefined): NodeExec {
  const runSteps: NodeExec['runSteps'] = async (node, steps, options) => {
    const time = node.name === hanging ? (options?.timeoutMs ?? 0) : callMs;
    await new Promise((resolve) => setTimeout(resolve, time));
    if (node.name === hanging) {
      const error = new TransportError('timeout', `${node.name}: the time is up`);
      return steps.map((): StepOutcome => ({ kind: 'lost', error }));
    }
    let failed = false;
    return steps.map(({ argv, onlyIfFailed }): StepOutcome => {
      if (onlyIfFailed && !failed) return { kind: 'skipped' };
      const answer = answerOf(Number(node.name.slice('node-'.length)), count, topology, argv);
      failed = answer.exit !== 0;
      return { kind: 'ran', result: { ...answer, stderr: '', durationMs: time, truncated: false } };
    });
  };
  const unused = () => Promise.reject(new Error('not asked for'));
  return {
    transport: 'kube',
    description: 'slow nodes',
    run: unused,
    runSteps,
    stream: unused,
    close: async () => undefined,
  };
}

function objectsOf(count: number, topology: Topology): KubeObject[] {
  const reflects = (i: number): boolean => topology === 'two reflectors' && i < 2;
  const nodes = Array.from({ length: count }, (_, i) =>
    bgpNode(nameOf(i), {
      ip: `${addressOf(i)}/16`,
      internal: addressOf(i),
      ...(reflects(i) ? { cluster: '244.0.0.1', labels: { reflector: 'true' } } : {}),
    }),
  );
  if (topology === 'full mesh') return nodes;
  return [
    ...nodes,
    bgpConfig({ nodeToNodeMeshEnabled: false }),
    bgpPeerOf('reflectors', { nodeSelector: 'all()', peerSelector: 'has(reflector)' }),
  ];
}

/** `node status NAMES…` in a cluster of so many nodes: how long it takes, in milliseconds. */
async function status(count: number, topology: Topology, names: readonly string[], hanging?: string): Promise<number> {
  const world = testWorld();
  const store = new MemoryDatastore(objectsOf(count, topology));
  const context: Context = {
    world,
    version: { calictl: '0', calico: 'v3.31.4', commit: '0' },
    datastore: async () => store,
    settings: async () => ({}),
    nodeExec: async () => slowNodes(count, topology, hanging),
    note: async () => undefined,
    progress: () => undefined,
    confirm: async () => false,
  };
  const input = (await inputOf(nodeStatus, new Map([['timeout', [`${hangMs}ms`]]]), names)) as StatusInput;
  const began = performance.now();
  const result = await runStatus(context, input);
  formats.table(result, { columns: 80, colour: false });
  const ms = performance.now() - began;
  const expected = hanging === undefined ? 0 : 5;
  if (exit(result) !== expected) throw new Error(`it ended with ${exit(result)}`);
  return ms;
}

/** Resident memory of this process, in MiB, after a collection of garbage where it can be asked for. */
function residentMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
}

export async function benchNodes(count: number): Promise<string> {
  const tables: string[] = [];
  for (const topology of ['two reflectors', 'full mesh'] as const) {
    const sample = (names: readonly string[], hanging?: string) => async () => ({
      ms: await status(100, topology, names, hanging),
    });
    const contenders: Contenders = {
      'one node of 100': sample([nameOf(0)]),
      '100 nodes': sample([]),
      [`100 nodes, one hangs for ${hangMs} ms`]: sample([], nameOf(50)),
    };
    tables.push(resultTable(`node status, ${topology}, ${callMs} ms a call`, await rounds(contenders, count)));
  }
  const before = residentMiB();
  const ms = await status(1000, 'two reflectors', []);
  const more = Math.round(residentMiB() - before);
  return [...tables, `  1,000 nodes ${(ms / 1000).toFixed(2)} s, ${more} MiB more than before\n\n`].join('');
}
