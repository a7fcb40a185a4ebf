// What a folder of manifests lacks: it may be a dump of some kinds or of some namespaces, or have files that cannot be read.
// Nothing is judged by what was not read (docs/reference/ipam.md#what-a-directory-lacks).
import type { Holdings } from '../../datastore/datastore.ts';
import type { OptionalKind } from '../../ipam-check/invariant.ts';
import type { IpamSnapshot, UnreadKind } from '../../ipam-check/snapshot.ts';
import { isObject } from '../../text/plain-values.ts';
import { andMore, counted, listed } from '../../text/wording.ts';

/** What was read of a folder. */
export type FolderContents = Pick<
  IpamSnapshot,
  'blocks' | 'affinities' | 'handles' | 'pools' | 'nodes' | 'pods' | 'workloads' | 'services'
> & {
  /** Names of the Namespace objects. */
  readonly namespaces: readonly string[];
};

/** A kind that may be missing from a folder, when that shows, and how it is added. */
interface Absence {
  readonly kind: OptionalKind;
  /** What of the other kinds shows that the cluster has, or had, such objects; undefined when nothing does. */
  readonly sign: (contents: FolderContents, named: Named) => string | undefined;
  readonly command: string;
}

/** What the allocations name. */
interface Named {
  readonly pods: number;
  readonly services: number;
  readonly handles: number;
  /** Allocations of pods and services by namespace. */
  readonly namespaces: ReadonlyMap<string, number>;
}

const allKinds: readonly OptionalKind[] = [
  'BlockAffinity',
  'ClusterInformation',
  'IPAMBlock',
  'IPAMConfig',
  'IPAMHandle',
  'IPPool',
  'IPReservation',
  'KubeControllersConfiguration',
  'Node',
  'Pod',
  'Service',
  'WorkloadEndpoint',
];

const absences: readonly Absence[] = [
  {
    kind: 'IPAMBlock',
    sign: ({ blocks, handles, affinities }) =>
      blocks.length > 0 || handles.length + affinities.length === 0
        ? undefined
        : `${counted(affinities.length, 'affinity')} and ${counted(handles.length, 'handle')}`,
    command: 'kubectl get ipamblocks -o yaml',
  },
  {
    kind: 'IPPool',
    sign: ({ pools, blocks }) =>
      pools.length > 0 || blocks.length === 0 ? undefined : counted(blocks.length, 'block'),
    command: 'kubectl get ippools -o yaml',
  },
  {
    kind: 'BlockAffinity',
    sign: ({ affinities, blocks }) => {
      const owned = blocks.filter(({ spec }) => spec?.affinity).length;
      return affinities.length > 0 || owned === 0 ? undefined : `${counted(owned, 'block')} with an owner`;
    },
    command: 'kubectl get blockaffinities -o yaml',
  },
  {
    kind: 'IPAMHandle',
    sign: ({ handles }, named) =>
      handles.length > 0 || named.handles === 0 ? undefined : `${counted(named.handles, 'allocation')} with a handle`,
    command: 'kubectl get ipamhandles -o yaml',
  },
  {
    // A cluster with blocks has nodes: a dump without them was made without them, and not all of its nodes are gone.
    kind: 'Node',
    sign: ({ nodes, blocks }) =>
      nodes.length > 0 || blocks.length === 0 ? undefined : counted(blocks.length, 'block'),
    command: 'kubectl get nodes -o yaml',
  },
  {
    // A datastore that is not Kubernetes has workload endpoints in the place of pods.
    kind: 'Pod',
    sign: ({ pods, workloads }, named) =>
      pods.length + workloads.length > 0 || named.pods === 0
        ? undefined
        : `${counted(named.pods, 'allocation')} that ${named.pods === 1 ? 'names a pod' : 'name pods'}`,
    command: 'kubectl get pods -A -o yaml',
  },
  {
    kind: 'Service',
    sign: ({ services }, named) =>
      services.length > 0 || named.services === 0
        ? undefined
        : `${counted(named.services, 'allocation')} that ${named.services === 1 ? 'names a service' : 'name services'}`,
    command: 'kubectl get services -A -o yaml',
  },
];

/**
 * So many allocations in namespaces without any object are not leaks, but a dump that was made without those namespaces.
 * A pod that was deleted leaves an address or two; a whole namespace of them is what `kubectl get -n` leaves out.
 */
const tooManyForLeaks = 3;
/** The same where all pods are of one namespace: every cluster has pods in kube-system, and few have none elsewhere. */
const tooManyBesideOne = 1;

/** The kinds that are missing from a folder, or may be in its unreadable files, each with the reason. */
export function folderGaps(contents: FolderContents, holdings: Holdings): UnreadKind[] {
  const { unreadable, complete } = holdings;
  const [first] = unreadable;
  if (first !== undefined) {
    // The file may hold anything.
    const reason = `cannot read ${first}${andMore(unreadable.length - 1)}`;
    return allKinds.map((kind) => ({ kind, reason }));
  }
  const named = namedBy(contents);
  const gaps: UnreadKind[] = [];
  for (const { kind, sign, command } of absences) {
    const signs = complete.has(kind) ? undefined : sign(contents, named);
    if (signs === undefined) continue;
    gaps.push({ kind, reason: `the directory has ${signs} but no ${kind} objects; add them with: ${command}` });
  }
  if (!complete.has('Pod') && !gaps.some(({ kind }) => kind === 'Pod'))
    gaps.push(...missingNamespaces(contents, named));
  return gaps;
}

/**
 * Namespaces of which there is nothing, though allocations name them: not in this dump, unless the dump has the Namespace
 * object or, having all Namespace objects, shows that it was deleted.
 */
function missingNamespaces(contents: FolderContents, { namespaces: named }: Named): UnreadKind[] {
  const existing = new Set(contents.namespaces);
  // Every cluster has these two: a dump with both was made of all namespaces.
  if (existing.has('default') && existing.has('kube-system')) return [];
  const present = new Set([
    ...existing,
    ...[contents.pods, contents.workloads, contents.services].flatMap((all) => all.map(({ namespace }) => namespace)),
  ]);
  const missing = [...named.keys()].filter((namespace) => !present.has(namespace)).sort();
  let count = 0;
  for (const namespace of missing) count += named.get(namespace) ?? 0;
  const withPods = new Set([...contents.pods, ...contents.workloads].map(({ namespace }) => namespace));
  if (count < (withPods.size === 1 ? tooManyBesideOne : tooManyForLeaks)) return [];
  const reason =
    `${counted(count, 'allocation')} of namespace ${listed(missing)}, of which the directory has no objects; ` +
    'add them with: kubectl get pods,services -A -o yaml, or show that it was deleted with: kubectl get namespaces -o yaml';
  return [{ kind: 'Pod', reason, namespaces: new Set(missing) }];
}

function namedBy({ blocks }: FolderContents): Named {
  let pods = 0;
  let services = 0;
  let handles = 0;
  const namespaces = new Map<string, number>();
  for (const { spec } of blocks) {
    // A folder may hold anything: what is not as it should be names nothing.
    const { allocations, attributes } = spec ?? {};
    if (!Array.isArray(allocations) || !Array.isArray(attributes)) continue;
    for (const index of allocations) {
      const record: unknown = typeof index === 'number' ? attributes[index] : undefined;
      if (!isObject(record)) continue;
      if (typeof record['handle_id'] === 'string') handles++;
      const secondary = isObject(record['secondary']) ? record['secondary'] : {};
      const { pod, service, namespace } = secondary;
      if (typeof namespace !== 'string') continue;
      if (typeof pod === 'string') pods++;
      else if (typeof service === 'string') services++;
      else continue;
      namespaces.set(namespace, (namespaces.get(namespace) ?? 0) + 1);
    }
  }
  return { pods, services, handles, namespaces };
}
