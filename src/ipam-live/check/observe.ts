// Reads what `ipam check` judges: every kind once, several at a time, as small records.
import { type Datastore, DatastoreError, getIfAny, type ListOptions } from '../../datastore/datastore.ts';
import { malformed } from '../../datastore/malformed.ts';
import type { IpamSnapshot, UnreadKind } from '../../ipam-check/snapshot.ts';
import type { Kind } from '../../resources/kind.ts';
import { blockAffinity } from '../../resources/kinds/block-affinity.ts';
import { clusterInformation } from '../../resources/kinds/cluster-information.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { ipReservation } from '../../resources/kinds/ip-reservation.ts';
import { ipamBlock } from '../../resources/kinds/ipam-block.ts';
import { ipamConfig } from '../../resources/kinds/ipam-config.ts';
import { ipamHandle } from '../../resources/kinds/ipam-handle.ts';
import {
  type KubeControllersConfiguration,
  kubeControllersConfiguration,
} from '../../resources/kinds/kube-controllers-configuration.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { service } from '../../resources/kinds/service.ts';
import { workloadEndpoint } from '../../resources/kinds/workload-endpoint.ts';
import type { KubeObject } from '../../resources/object.ts';
import { parseGoDuration } from '../../text/go-duration.ts';
import type { Clock } from '../../world/world.ts';
import { handleRecord, nodeRecord, podRecord, serviceRecord, workloadRecord } from './snapshot-records.ts';

/** Leak grace when neither the person nor the cluster says one. */
const defaultGraceMs = 15 * 60_000;

const usage = ['INV-11', 'INV-44', ...[50, 51, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63].map((n) => `INV-${n}`)];

/**
 * What cannot be judged without a kind. Blocks, pools and pods are not here: without them there is no check.
 * Node is here for a folder that holds none; nodes that cannot be read end the check too.
 */
const unjudgedWithout: Readonly<Record<string, readonly string[]>> = {
  BlockAffinity: [24, 25, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 39].map((n) => `INV-${n}`),
  IPAMHandle: ['INV-45', 'INV-46', 'INV-47', 'INV-48', 'INV-49', 'INV-52'],
  IPAMConfig: ['INV-27', 'INV-38', 'INV-41', 'INV-43'],
  IPReservation: ['INV-27', 'INV-42', 'INV-43'],
  Service: ['INV-44', 'INV-67'],
  ClusterInformation: [],
  KubeControllersConfiguration: ['INV-44'],
  WorkloadEndpoint: usage,
  Node: ['INV-24', 'INV-25', 'INV-27', 'INV-36', 'INV-37', 'INV-38', 'INV-39', 'INV-40', 'INV-41', 'INV-43', ...usage],
};

export interface ObserveOptions {
  readonly clock: Clock;
  /** `--grace`; the cluster's leakGracePeriod, else 15 minutes, when absent. */
  readonly graceMs?: number | undefined;
  readonly signal?: AbortSignal;
  /** Reads what is stored now: for a reading that is not followed by a second one. */
  readonly current?: boolean;
  /** Told what has been read so far. */
  readonly progress?: (text: string) => void;
}

/** Everything of a kind, each item turned into a record at once so that the raw ones can go. */
export async function readAll<T extends KubeObject, R>(
  store: Datastore,
  kind: Kind<T>,
  record: (object: T) => R,
  options: ListOptions,
): Promise<R[]> {
  const records: R[] = [];
  for await (const page of store.list(kind, options)) for (const item of page.items) records.push(record(item));
  return records;
}

/**
 * Refuses an object that is not as its kind says: a pod whose addresses cannot be read would seem to use none.
 * Kubernetes itself takes no other ones; a folder takes anything.
 */
function strict<T extends KubeObject, R>(store: Datastore, kind: Kind<T>, record: (object: T) => R): (object: T) => R {
  if (store.type === 'kubernetes') return record;
  return (object) => {
    const problem = malformed(kind, object);
    if (problem !== undefined) throw problem;
    return record(object);
  };
}

/** Without what no judgement needs and what is large: a block keeps its times, not the whole managedFields. */
function lean<T extends KubeObject>(object: T): T {
  const { managedFields: fields } = object.metadata;
  if (!Array.isArray(fields)) return object;
  const managedFields = fields.map((field) => (field?.time === undefined ? {} : { time: field.time }));
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** An explicit period above zero; the cluster switches its collector off with 0, which is no grace to judge by. */
function clusterGrace(controllers: KubeControllersConfiguration | undefined): number | undefined {
  const text = controllers?.spec?.controllers?.node?.leakGracePeriod;
  const ms = typeof text === 'string' ? parseGoDuration(text) : undefined;
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/**
 * Reads a snapshot of everything that the check judges.
 * Errors: DatastoreError when blocks, pools, pods or nodes cannot be read; any other kind ends in `unread`.
 */
export async function observe(store: Datastore, options: ObserveOptions): Promise<IpamSnapshot> {
  const scan: ListOptions = { mode: 'scan', current: options.current === true, signal: options.signal };
  const unread: UnreadKind[] = [];

  async function optional<R>(kind: string, read: () => Promise<R>, fallback: R): Promise<R> {
    try {
      return await read();
    } catch (error) {
      const unreadable = error instanceof DatastoreError && (error.reason === 'unauthorized' || error.missingKind);
      if (!unreadable) throw error;
      unread.push({ kind, reason: error.message, invariants: unjudgedWithout[kind] ?? [] });
      return fallback;
    }
  }
  const one = <T extends KubeObject>(kind: Kind<T>): Promise<T | undefined> =>
    optional(kind.kind, () => getIfAny(store, kind, { name: 'default' }, { signal: options.signal }), undefined);
  const counted = async <R>(what: string, reading: Promise<R[]>): Promise<R[]> => {
    const records = await reading;
    options.progress?.(`read ${records.length} ${what}`);
    return records;
  };

  const [
    handles,
    blocks,
    affinities,
    pools,
    reservations,
    nodes,
    pods,
    services,
    workloads,
    config,
    info,
    controllers,
  ] = await Promise.all([
    optional('IPAMHandle', () => counted('handles', readAll(store, ipamHandle, handleRecord, scan)), []),
    counted('blocks', readAll(store, ipamBlock, lean, scan)),
    optional('BlockAffinity', () => counted('affinities', readAll(store, blockAffinity, lean, scan)), []),
    readAll(store, ipPool, lean, scan),
    optional('IPReservation', () => readAll(store, ipReservation, lean, scan), []),
    counted('nodes', readAll(store, calicoNode, strict(store, calicoNode, nodeRecord), scan)),
    counted('pods', readAll(store, pod, strict(store, pod, podRecord), scan)),
    optional('Service', () => readAll(store, service, strict(store, service, serviceRecord), scan), []),
    // A Kubernetes datastore derives them from the pods, which are read already.
    store.type === 'kubernetes'
      ? []
      : optional(
          'WorkloadEndpoint',
          () => readAll(store, workloadEndpoint, strict(store, workloadEndpoint, workloadRecord), scan),
          [],
        ),
    one(ipamConfig),
    one(clusterInformation),
    one(kubeControllersConfiguration),
  ]);

  // A cluster with blocks has nodes: a dump without them was made without them, and not all of its claims are dead.
  if (store.type === 'folder' && nodes.length === 0 && blocks.length > 0) {
    const reason = 'the folder holds blocks but no Node objects; add them with: kubectl get nodes -o yaml';
    unread.push({ kind: 'Node', reason, invariants: unjudgedWithout['Node'] ?? [] });
  }

  return {
    now: store.capturedAt ?? options.clock.now(),
    locked: info?.spec?.datastoreReady === false,
    graceMs: options.graceMs ?? clusterGrace(controllers) ?? defaultGraceMs,
    clusterInformation: info,
    pools,
    blocks,
    affinities,
    handles,
    config,
    reservations,
    nodes,
    pods,
    workloads,
    services,
    kubeControllers: controllers,
    unread: unread.sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}
