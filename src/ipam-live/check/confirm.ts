// Confirms judgements: what they depend on is read again, live, and judged again. A judgement that both readings give on the
// same state is stable; one whose state changed is a candidate; one that is gone was an operation in progress.
import pMap from 'p-map';
import { type Datastore, getIfAny } from '../../datastore/datastore.ts';
import { type Evaluation, evaluate } from '../../ipam-check/evaluate.ts';
import type { Dependency, Judgement } from '../../ipam-check/finding.ts';
import type { HandleRecord, IpamSnapshot } from '../../ipam-check/snapshot.ts';
import type { Kind } from '../../resources/kind.ts';
import { type BlockAffinity, blockAffinity } from '../../resources/kinds/block-affinity.ts';
import { type IPPool, ipPool } from '../../resources/kinds/ip-pool.ts';
import { type IPAMBlock, ipamBlock } from '../../resources/kinds/ipam-block.ts';
import { type IPAMHandle, ipamHandle } from '../../resources/kinds/ipam-handle.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { service } from '../../resources/kinds/service.ts';
import { type KubeObject, type ObjectRef, qualifiedName } from '../../resources/object.ts';
import { readAll } from './observe.ts';
import { handleRecord, nodeRecord, podRecord, serviceRecord } from './snapshot-records.ts';

/** Up to this many objects of a kind are read one by one, more by listing the whole kind. */
const fewEnoughToGet = 100;
const readsInFlight = 16;

/** How a kind is read again, and how its records are named in a snapshot. */
interface Rereading<T extends KubeObject, R> {
  readonly kind: Kind<T>;
  readonly record: (object: T) => R;
  readonly nameOf: (record: R) => ObjectRef;
}

const self = (record: ObjectRef): ObjectRef => record;
const metaName = (object: KubeObject): ObjectRef => object.metadata;

/**
 * In this order, blocks last: an address that is allocated in both readings of its block was allocated when its user and
 * its handle were read in between.
 */
const rereadings = {
  handles: { kind: ipamHandle, record: handleRecord, nameOf: self },
  nodes: { kind: calicoNode, record: nodeRecord, nameOf: self },
  pods: { kind: pod, record: podRecord, nameOf: self },
  services: { kind: service, record: serviceRecord, nameOf: self },
  pools: { kind: ipPool, record: (object: IPPool) => object, nameOf: metaName },
  affinities: { kind: blockAffinity, record: (object: BlockAffinity) => object, nameOf: metaName },
  blocks: { kind: ipamBlock, record: (object: IPAMBlock) => object, nameOf: metaName },
} as const;

/** The records, with those in `wanted` replaced by what is stored now; in name order. */
async function reread<T extends KubeObject, R>(
  store: Datastore,
  { kind, record, nameOf }: Rereading<T, R>,
  records: readonly R[],
  wanted: readonly ObjectRef[],
  signal: AbortSignal | undefined,
): Promise<readonly R[]> {
  if (wanted.length === 0) return records;
  if (wanted.length > fewEnoughToGet) return readAll(store, kind, record, { mode: 'scan', current: true, signal });
  const fresh = new Map<string, R | undefined>();
  await pMap(
    wanted,
    async (named) => {
      const object = await getIfAny(store, kind, named, { signal });
      fresh.set(qualifiedName(named), object === undefined ? undefined : record(object));
    },
    { concurrency: readsInFlight },
  );
  const kept = records.filter((old) => !fresh.has(qualifiedName(nameOf(old))));
  const found = [...fresh.values()].filter((item) => item !== undefined);
  return [...kept, ...found].sort((a, b) => (qualifiedName(nameOf(a)) < qualifiedName(nameOf(b)) ? -1 : 1));
}

function dependenciesOfKind(judgements: readonly Judgement[], kind: string): readonly Dependency[] {
  const unique = new Map<string, Dependency>();
  for (const { dependencies } of judgements) {
    for (const dependency of dependencies)
      if (dependency.kind === kind) unique.set(qualifiedName(dependency), dependency);
  }
  return [...unique.values()];
}

export interface Confirmed extends Evaluation {
  /** The snapshot with what was read again. */
  readonly snapshot: IpamSnapshot;
  /** The handles that judgements depend on, as read again, by object name: a repair needs no further read of them. */
  readonly handles: ReadonlyMap<string, IPAMHandle>;
}

/**
 * Judges again on a live reading of everything that the judgements depend on. A folder, which was read under its lock, is
 * not read again, and neither is anything when there are only notes.
 */
export async function confirm(
  store: Datastore,
  snapshot: IpamSnapshot,
  evaluation: Evaluation,
  signal?: AbortSignal,
): Promise<Confirmed> {
  const { judgements } = evaluation;
  const dependent = judgements.some(({ dependencies }) => dependencies.length > 0);
  if (!dependent || store.type === 'folder') return { ...evaluation, snapshot, handles: new Map() };
  const again = async <T extends KubeObject, R>(how: Rereading<T, R>, records: readonly R[]): Promise<readonly R[]> =>
    reread(store, how, records, dependenciesOfKind(judgements, how.kind.kind), signal);

  const whole = new Map<string, IPAMHandle>();
  const suspects = new Set(dependenciesOfKind(judgements, 'IPAMHandle').map(({ name }) => name));
  const keeping = (handle: IPAMHandle): HandleRecord => {
    if (suspects.has(handle.metadata.name)) whole.set(handle.metadata.name, handle);
    return handleRecord(handle);
  };
  const handles = await again({ ...rereadings.handles, record: keeping }, snapshot.handles);
  const [nodes, pods, services, pools] = await Promise.all([
    again(rereadings.nodes, snapshot.nodes),
    again(rereadings.pods, snapshot.pods),
    again(rereadings.services, snapshot.services),
    again(rereadings.pools, snapshot.pools),
  ]);
  const affinities = await again(rereadings.affinities, snapshot.affinities);
  const blocks = await again(rereadings.blocks, snapshot.blocks);
  const second: IpamSnapshot = { ...snapshot, handles, nodes, pods, services, pools, affinities, blocks };

  const before = new Map(judgements.map((judgement) => [judgement.key, judgement]));
  const confirmed: Judgement[] = [];
  const now = evaluate(second);
  for (const judgement of now.judgements) {
    const first = before.get(judgement.key);
    if (first === undefined) continue;
    confirmed.push(first.fingerprint === judgement.fingerprint ? judgement : asCandidate(judgement));
  }
  return { ...now, judgements: confirmed, snapshot: second, handles: whole };
}

function asCandidate(judgement: Judgement): Judgement {
  if (judgement.finding.stability === 'candidate') return judgement;
  const evidence = [...judgement.finding.evidence, 'its state changed between two readings'];
  return { ...judgement, finding: { ...judgement.finding, stability: 'candidate', evidence } };
}
