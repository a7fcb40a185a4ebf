// Reads the snapshot that `ipam check` judges: every kind once, all at the same time, as small records.
import {
  type Datastore,
  DatastoreError,
  getIfAny,
  type Holdings,
  type ListOptions,
} from '../../datastore/datastore.ts';
import { malformed } from '../../datastore/malformed.ts';
import type { OptionalKind } from '../../ipam-check/invariant.ts';
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
import { namespace } from '../../resources/kinds/namespace.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { service } from '../../resources/kinds/service.ts';
import { workloadEndpoint } from '../../resources/kinds/workload-endpoint.ts';
import type { KubeObject } from '../../resources/object.ts';
import { parseGoDuration } from '../../text/go-duration.ts';
import { counted } from '../../text/wording.ts';
import type { Progress } from '../../world/progress.ts';
import type { Clock } from '../../world/world.ts';
import { folderGaps } from './folder-gaps.ts';
import { handleRecord, nodeRecord, podRecord, serviceRecord, workloadRecord } from './snapshot-records.ts';

/** The grace period when neither the user nor the cluster sets one. */
const defaultGraceMs = 15 * 60_000;

export interface ObserveOptions {
  readonly clock: Clock;
  /** `--grace`; the cluster's leakGracePeriod, else 15 minutes, when absent. */
  readonly graceMs?: number | undefined;
  readonly signal?: AbortSignal;
  /** Reads what is stored at this moment, for a reading that is not followed by a second one. */
  readonly current?: boolean;
  /** Called with how much has been read so far. */
  readonly progress?: Progress;
}

/** Everything of a kind, page by page, each object turned into its record at once so that the raw one can be collected. */
export async function readAll<T extends KubeObject, R>(
  store: Datastore,
  kind: Kind<T>,
  record: (object: T) => R,
  options: ListOptions,
  onRead: (count: number) => void = () => undefined,
): Promise<R[]> {
  const records: R[] = [];
  for await (const page of store.list(kind, options)) {
    for (const item of page.items) records.push(record(item));
    onRead(page.items.length);
  }
  return records;
}

/**
 * Refuses an object that does not match the schema of its kind: a pod whose addresses cannot be read would seem to use
 * none. Kubernetes validates objects itself; a folder can hold anything.
 */
function strict<T extends KubeObject, R>(store: Datastore, kind: Kind<T>, record: (object: T) => R): (object: T) => R {
  if (store.type === 'kubernetes') return record;
  return (object) => {
    const problem = malformed(kind, object);
    if (problem !== undefined) throw problem;
    return record(object);
  };
}

/** The object without the large part that no judgement needs: of managedFields only the times are kept. */
function lean<T extends KubeObject>(object: T): T {
  const { managedFields: fields } = object.metadata;
  if (!Array.isArray(fields)) return object;
  const managedFields = fields.map((field) => (field?.time === undefined ? {} : { time: field.time }));
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** The leakGracePeriod of the cluster, when it is above zero; 0 switches the collector off and is not a grace period. */
function clusterGrace(controllers: KubeControllersConfiguration | undefined): number | undefined {
  const text = controllers?.spec?.controllers?.node?.leakGracePeriod;
  const ms = typeof text === 'string' ? parseGoDuration(text) : undefined;
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/** Reads the parts of one snapshot. What cannot be read and is not essential is noted in `unread`. */
class SnapshotReader {
  readonly unread: UnreadKind[] = [];
  readonly #store: Datastore;
  readonly #options: ObserveOptions;
  readonly #partial: boolean;
  #kinds = 0;
  #kindsRead = 0;
  #objectsRead = 0;

  constructor(store: Datastore, options: ObserveOptions, holdings: Holdings | undefined) {
    this.#store = store;
    this.#options = options;
    // What is missing is noted, and nothing depends on it.
    this.#partial = holdings !== undefined;
  }

  /** All objects of a kind. */
  async all<T extends KubeObject, R>(kind: Kind<T>, record: (object: T) => R): Promise<R[]> {
    const { signal, current = false } = this.#options;
    this.#kinds += 1;
    const onRead = (count: number): void => this.#report(0, count);
    try {
      const options = { mode: 'scan', current, signal, partial: this.#partial } as const;
      return await readAll(this.#store, kind, record, options, onRead);
    } finally {
      this.#report(1, 0);
    }
  }

  #report(kinds: number, objects: number): void {
    this.#kindsRead += kinds;
    this.#objectsRead += objects;
    const detail = counted(this.#objectsRead, 'object');
    this.#options.progress?.('reading', { done: this.#kindsRead, total: this.#kinds, unit: 'kinds', detail });
  }

  /** The same, refusing objects that do not match the schema of their kind. */
  allValid<T extends KubeObject, R>(kind: Kind<T>, record: (object: T) => R): Promise<R[]> {
    return this.all(kind, strict(this.#store, kind, record));
  }

  /** The object named default of a kind; undefined when there is none or it cannot be read. */
  one<T extends KubeObject>(name: OptionalKind, kind: Kind<T>): Promise<T | undefined> {
    const { signal } = this.#options;
    const read = async () => {
      if (!this.#partial) return getIfAny(this.#store, kind, { name: 'default' }, { signal });
      return (await this.all(kind, (object) => object)).find(({ metadata }) => metadata.name === 'default');
    };
    return this.ifReadable(name, read, undefined);
  }

  /** The fallback when the kind is not served, or may not be read. */
  async ifReadable<R>(kind: OptionalKind, read: () => Promise<R>, fallback: R): Promise<R> {
    try {
      return await read();
    } catch (error) {
      const unreadable = error instanceof DatastoreError && (error.reason === 'unauthorized' || error.missingKind);
      if (!unreadable) throw error;
      this.unread.push({ kind, reason: error.message });
      return fallback;
    }
  }
}

/** What IPAM itself keeps. */
async function readIpam(reader: SnapshotReader) {
  const [handles, blocks, affinities, pools, reservations] = await Promise.all([
    reader.ifReadable('IPAMHandle', () => reader.all(ipamHandle, handleRecord), []),
    reader.all(ipamBlock, lean),
    reader.ifReadable('BlockAffinity', () => reader.all(blockAffinity, lean), []),
    reader.all(ipPool, lean),
    reader.ifReadable('IPReservation', () => reader.all(ipReservation, lean), []),
  ]);
  return { handles, blocks, affinities, pools, reservations };
}

/** What uses addresses. A Kubernetes datastore derives workload endpoints from the pods, which are read already. */
async function readUsers(reader: SnapshotReader, store: Datastore) {
  const [nodes, pods, services, workloads] = await Promise.all([
    reader.allValid(calicoNode, nodeRecord),
    reader.allValid(pod, podRecord),
    reader.ifReadable('Service', () => reader.allValid(service, serviceRecord), []),
    store.type === 'kubernetes'
      ? []
      : reader.ifReadable('WorkloadEndpoint', () => reader.allValid(workloadEndpoint, workloadRecord), []),
  ]);
  return { nodes, pods, services, workloads };
}

async function readSettings(reader: SnapshotReader) {
  const [config, clusterInformationObject, kubeControllers] = await Promise.all([
    reader.one('IPAMConfig', ipamConfig),
    reader.one('ClusterInformation', clusterInformation),
    reader.one('KubeControllersConfiguration', kubeControllersConfiguration),
  ]);
  return { config, clusterInformation: clusterInformationObject, kubeControllers };
}

/**
 * Reads a snapshot of everything that the check judges.
 * Errors: DatastoreError when blocks, pools, pods or nodes of a live store cannot be read; any other kind, and what a folder
 * lacks, is noted in `unread`.
 */
export async function observe(store: Datastore, options: ObserveOptions): Promise<IpamSnapshot> {
  const holdings = await store.holdings?.({ signal: options.signal });
  const reader = new SnapshotReader(store, options, holdings);
  const [ipam, users, settings] = await Promise.all([readIpam(reader), readUsers(reader, store), readSettings(reader)]);
  const unread = [...reader.unread];
  if (holdings !== undefined) {
    const namespaces = await reader.all(namespace, ({ metadata }) => metadata.name);
    const known = new Set(unread.map(({ kind }) => kind));
    unread.push(...folderGaps({ ...ipam, ...users, namespaces }, holdings).filter(({ kind }) => !known.has(kind)));
  }
  return {
    now: store.capturedAt ?? options.clock.now(),
    calicoApi: store.calicoApi,
    locked: settings.clusterInformation?.spec?.datastoreReady === false,
    graceMs: options.graceMs ?? clusterGrace(settings.kubeControllers) ?? defaultGraceMs,
    ...ipam,
    ...users,
    ...settings,
    unread: unread.sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}
