// How fast the allocator and the check are on the memory store: assignments compared with the bare calls that they make,
// and judging full blocks compared with parsing them.
import { createHash } from 'node:crypto';
import { listAll } from '../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../src/datastore/stored-ipam.ts';
import { newAffinity } from '../../src/ipam/affinity/affinities.ts';
import { type AssignRequest, autoAssign } from '../../src/ipam/assign/auto-assign.ts';
import { newBlock } from '../../src/ipam/block/block.ts';
import { evaluate } from '../../src/ipam-check/evaluate.ts';
import type { HandleRecord, IpamSnapshot, NodeRecord, PodRecord } from '../../src/ipam-check/snapshot.ts';
import { addressAt, type Cidr, formatCidr, parseCidr } from '../../src/net/cidr.ts';
import { formatIp } from '../../src/net/ip.ts';
import type { Kind } from '../../src/resources/kind.ts';
import type { BlockAffinity } from '../../src/resources/kinds/block-affinity.ts';
import type { IPPool } from '../../src/resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../src/resources/kinds/ipam-block.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson, printJson } from '../../src/text/json.ts';
import { node, pool } from '../support/clusters/ipam-state.ts';
import { evenRandom, TestClock } from '../support/program/world.ts';
import { median } from './measure.ts';

const now = new Date('2026-06-01T00:00:00Z');
const timestamp = '2026-01-01 00:00:00 +0000 UTC';
const BLOCK_SIZE = 64;

/** Seconds of a piece of work: by the clock, and of the processor, the collection of garbage among it. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

async function costOf(work: () => unknown): Promise<Cost> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const wall = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / 1e6 };
}

/** A fixed amount of arithmetic: how fast the machine is at the moment. */
function yardstick(): number {
  let sum = 0;
  for (let n = 0; n < 3e8; n++) sum = (sum + n) | 0;
  return sum;
}

/** Rounds of pieces of work in turns, each beginning with another; one before the first warms up. `fresh` makes what the round works on, unmeasured. */
async function costs<T>(
  count: number,
  fresh: () => T | Promise<T>,
  works: readonly ((made: T) => unknown)[],
): Promise<Cost[][]> {
  const found: Cost[][] = works.map(() => []);
  for (let round = 0; round <= count; round++) {
    const made = await fresh();
    for (let turn = 0; turn < works.length; turn++) {
      const index = (round + turn) % works.length;
      const cost = await costOf(() => works[index]?.(made));
      if (round > 0) found[index]?.push(cost);
    }
  }
  return found;
}

function medianOf(found: readonly Cost[], what: keyof Cost): number {
  return median(found.map((cost) => cost[what]));
}

/** Median over the rounds of the ratio of CPU times within the same round. */
function ratioOf(found: readonly Cost[], base: readonly Cost[]): number {
  return median(found.map(({ cpu }, round) => cpu / (base[round]?.cpu ?? Number.NaN)));
}

const NODES = 100;
const ASSIGNMENTS = 6000;

function emptyCluster(): KubeObject[] {
  const config = {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMConfig',
    metadata: { name: 'default' },
    spec: { strictAffinity: false, autoAllocateBlocks: true },
  };
  return [config, pool('pool', '10.0.0.0/16', 26), ...Array.from({ length: NODES }, (_, n) => node(`node-${n}`))];
}

function request(n: number): AssignRequest {
  const name = `node-${n % NODES}`;
  return {
    node: name,
    version: 4,
    count: 1,
    use: 'Workload',
    holder: { handle: handleOf(n), secondary: { namespace: 'shop', node: name, pod: `cart-${n}`, timestamp } },
  };
}

function handleOf(n: number): string {
  return `k8s-pod-network.${createHash('sha256').update(String(n)).digest('hex')}`;
}

async function assignAll(datastore: MemoryDatastore, requests: readonly AssignRequest[]): Promise<void> {
  const store = ipamStoreOf(datastore);
  const world = { clock: new TestClock(now), random: evenRandom };
  for (const wanted of requests) {
    const { addresses } = await autoAssign(store, wanted, world);
    if (addresses.length !== 1) throw new Error(`${wanted.node} got no address`);
  }
}

/** Keeps each call with what was written by it. A store of the same objects answers the same calls the same way. */
class RecordingDatastore extends MemoryDatastore {
  readonly replays: ((to: MemoryDatastore) => Promise<unknown>)[] = [];

  override get<T extends KubeObject>(kind: Kind<T>, ref: { name: string }): Promise<T> {
    // An assignment looks for handles that do not exist yet.
    this.replays.push((to) => to.get(kind, ref).catch(() => undefined));
    return super.get(kind, ref);
  }

  override list<T extends KubeObject>(...call: Parameters<typeof MemoryDatastore.prototype.list<T>>) {
    this.replays.push((to) => listAll(to, ...call));
    return super.list(...call);
  }

  override create<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T> {
    this.replays.push((to) => to.create(kind, object));
    return super.create(kind, object);
  }

  override update<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T> {
    this.replays.push((to) => to.update(kind, object));
    return super.update(kind, object);
  }
}

async function benchAssignments(): Promise<string> {
  // Their texts are those of a parsed document: joined ones would be joined while it is measured.
  const requests = JSON.parse(
    JSON.stringify(Array.from({ length: ASSIGNMENTS }, (_, n) => request(n))),
  ) as AssignRequest[];
  const recording = new RecordingDatastore(emptyCluster());
  await assignAll(recording, requests);
  const calls = recording.replays.length / ASSIGNMENTS;
  const [measure = [], bare = [], assignments = []] = await costs(9, () => undefined, [
    yardstick,
    async () => {
      const datastore = new MemoryDatastore(emptyCluster());
      for (const replay of recording.replays) await replay(datastore);
    },
    () => assignAll(new MemoryDatastore(emptyCluster()), requests),
  ]);
  const rate = (found: readonly Cost[], what: keyof Cost): string =>
    Math.round(ASSIGNMENTS / medianOf(found, what))
      .toLocaleString('en')
      .padStart(9);
  return [
    `${ASSIGNMENTS} assignments on ${NODES} nodes, ${calls.toFixed(1)} calls each (median of ${measure.length} rounds)`,
    `                     of processor   by the clock`,
    `  bare calls        ${rate(bare, 'cpu')} / s  ${rate(bare, 'wall')} / s`,
    `  assignments       ${rate(assignments, 'cpu')} / s  ${rate(assignments, 'wall')} / s`,
    `  assignments take ${ratioOf(assignments, bare).toFixed(2)} times the bare calls`,
    `  yardstick ${medianOf(measure, 'cpu').toFixed(2)} s`,
    '',
    '',
  ].join('\n');
}

const BLOCKS = 5000;
const CHECKED_NODES = 1000;

/** The texts of full blocks, and of records of all that uses them. */
interface Texts {
  readonly blocks: readonly string[];
  readonly handles: readonly string[];
  readonly pods: readonly string[];
}

function fullBlock(n: number): IPAMBlock {
  const cidr: Cidr = { version: 4, base: { version: 4, value: 0x0a000000 + n * BLOCK_SIZE }, prefix: 26 };
  const name = `node-${n % CHECKED_NODES}`;
  const first = BigInt(Date.parse('2026-01-01T00:00:00Z')) * 1_000_000n;
  const block = newBlock(cidr, { type: 'host', name }, first);
  const ordinals = Array.from({ length: BLOCK_SIZE }, (_, ordinal) => ordinal);
  return {
    ...block,
    metadata: { ...block.metadata, uid: `block-${n}`, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      ...block.spec,
      allocations: ordinals,
      unallocated: [],
      attributes: ordinals.map((ordinal) => ({
        handle_id: handleOf(n * BLOCK_SIZE + ordinal),
        secondary: { namespace: 'shop', node: name, pod: `cart-${n}-${ordinal}`, timestamp },
      })),
      sequenceNumber: first + BigInt(BLOCK_SIZE),
      sequenceNumberForAllocation: Object.fromEntries(
        ordinals.map((ordinal) => [String(ordinal), first + BigInt(ordinal)]),
      ),
    },
  };
}

function handlesOf({ spec }: IPAMBlock): HandleRecord[] {
  return spec.attributes.map(({ handle_id }) => ({
    name: String(handle_id),
    uid: `handle-${handle_id}`,
    resourceVersion: '1',
    handleId: String(handle_id),
    block: { [spec.cidr]: 1 },
    deleted: false,
    writtenAtMs: now.getTime() - 86_400_000,
  }));
}

function podsOf({ spec }: IPAMBlock): PodRecord[] {
  return spec.attributes.map(({ handle_id, secondary }, ordinal) => ({
    namespace: 'shop',
    name: secondary?.['pod'] ?? '',
    uid: `pod-${handle_id}`,
    resourceVersion: '1',
    node: secondary?.['node'],
    hostNetwork: false,
    phase: 'Running',
    reason: undefined,
    addresses: [formatIp(addressAt(parseCidr(spec.cidr) as Cidr, ordinal))],
    finished: false,
    deleting: false,
    containerId: String(handle_id).slice('k8s-pod-network.'.length),
    noIpam: false,
    moreAddresses: false,
    otherAddresses: [],
    wired: true,
    pools: [],
  }));
}

/** As JSON texts of a thousand records. */
function chunksOf(records: readonly object[]): string[] {
  const chunks: string[] = [];
  for (let from = 0; from < records.length; from += 1000) chunks.push(JSON.stringify(records.slice(from, from + 1000)));
  return chunks;
}

function textsOfFullBlocks(): Texts {
  const blocks = Array.from({ length: BLOCKS }, (_, n) => fullBlock(n));
  return {
    blocks: blocks.map((block) => printJson(block)),
    handles: chunksOf(blocks.flatMap(handlesOf).sort((a, b) => (a.name < b.name ? -1 : 1))),
    pods: chunksOf(blocks.flatMap(podsOf)),
  };
}

/** Read again for each round: strings that were looked up once are faster the second time. */
function readSnapshot(texts: Texts): IpamSnapshot {
  const blocks = texts.blocks.map((text) => parseJson(text) as unknown as IPAMBlock);
  const affinities = blocks.map(
    ({ spec }, n): BlockAffinity =>
      newAffinity({ type: 'host', name: `node-${n % CHECKED_NODES}` }, spec.cidr, 'confirmed'),
  );
  const nodes = Array.from(
    { length: CHECKED_NODES },
    (_, n): NodeRecord => ({ name: `node-${n}`, tunnels: {}, labels: {}, ready: true, addresses: [], podCIDRs: [] }),
  );
  return {
    now,
    locked: false,
    calicoApi: 'crd.projectcalico.org/v1',
    graceMs: 600_000,
    clusterInformation: undefined,
    pools: [pool('pool', formatCidr(parseCidr('10.0.0.0/11') as Cidr), 26) as IPPool],
    blocks,
    affinities,
    handles: texts.handles.flatMap((text) => JSON.parse(text) as HandleRecord[]),
    config: undefined,
    reservations: [],
    nodes,
    pods: texts.pods.flatMap((text) => JSON.parse(text) as PodRecord[]),
    workloads: [],
    services: [],
    kubeControllers: undefined,
    unread: [],
  };
}

async function benchCheck(): Promise<string> {
  const texts = textsOfFullBlocks();
  const [measure = [], parsing = [], judging = []] = await costs(7, () => readSnapshot(texts), [
    yardstick,
    () => {
      for (const text of texts.blocks) parseJson(text);
    },
    (snapshot) => {
      const { judgements, inUse } = evaluate(snapshot);
      if (judgements.length > 0 || inUse !== BLOCKS * BLOCK_SIZE)
        throw new Error(`${judgements.length} findings, ${inUse} in use`);
    },
  ]);
  const seconds = (found: readonly Cost[], what: keyof Cost): string => medianOf(found, what).toFixed(2).padStart(9);
  return [
    `${BLOCKS} full blocks, ${BLOCKS * BLOCK_SIZE} allocations with handles and pods (median of ${measure.length} rounds)`,
    `                     of processor   by the clock`,
    `  parsing blocks    ${seconds(parsing, 'cpu')} s    ${seconds(parsing, 'wall')} s`,
    `  judging           ${seconds(judging, 'cpu')} s    ${seconds(judging, 'wall')} s`,
    `  judging takes ${ratioOf(judging, parsing).toFixed(2)} times the parsing of the blocks`,
    `  yardstick ${medianOf(measure, 'cpu').toFixed(2)} s`,
    '',
    '',
  ].join('\n');
}

export async function benchIpam(): Promise<string> {
  return (await benchAssignments()) + (await benchCheck());
}
