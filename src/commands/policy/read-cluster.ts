// What the policy commands read: everything that policies are judged by, and what of it is missing.
import { type Datastore, DatastoreError, type Holdings, listAll } from '../../datastore/datastore.ts';
import { Cluster, type MalformedPolicy } from '../../policy/cluster.ts';
import { noObjects, type ObjectList, type PolicyObjects } from '../../policy/cluster-objects.ts';
import type { PolicyKind } from '../../policy/policy.ts';
import { builtInTiers } from '../../policy/tiers.ts';
import { toV3 } from '../../resources/convert/v3.ts';
import type { Kind } from '../../resources/kind.ts';
import { adminNetworkPolicy } from '../../resources/kinds/admin-network-policy.ts';
import { baselineAdminNetworkPolicy } from '../../resources/kinds/baseline-admin-network-policy.ts';
import { clusterNetworkPolicy } from '../../resources/kinds/cluster-network-policy.ts';
import { endpointSlice } from '../../resources/kinds/endpoint-slice.ts';
import { felixConfiguration } from '../../resources/kinds/felix-configuration.ts';
import { globalNetworkPolicy } from '../../resources/kinds/global-network-policy.ts';
import { globalNetworkSet } from '../../resources/kinds/global-network-set.ts';
import { hostEndpoint } from '../../resources/kinds/host-endpoint.ts';
import { kubernetesNetworkPolicy } from '../../resources/kinds/kubernetes-network-policy.ts';
import { namespace } from '../../resources/kinds/namespace.ts';
import { networkPolicy } from '../../resources/kinds/network-policy.ts';
import { networkSet } from '../../resources/kinds/network-set.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { profile } from '../../resources/kinds/profile.ts';
import { serviceAccount } from '../../resources/kinds/service-account.ts';
import { stagedGlobalNetworkPolicy } from '../../resources/kinds/staged-global-network-policy.ts';
import { stagedKubernetesNetworkPolicy } from '../../resources/kinds/staged-kubernetes-network-policy.ts';
import { stagedNetworkPolicy } from '../../resources/kinds/staged-network-policy.ts';
import { tier } from '../../resources/kinds/tier.ts';
import { workloadEndpoint } from '../../resources/kinds/workload-endpoint.ts';
import { distinctName } from '../../resources/kinds.ts';
import { type KubeObject, qualifiedName } from '../../resources/object.ts';
import { problemsOf } from '../../resources/validate.ts';
import { andMore } from '../../text/wording.ts';
import type { Context } from '../command.ts';

interface Source {
  readonly kind: Kind;
  /** For policies: under which name verdicts speak of them. */
  readonly policyKind?: PolicyKind;
  /** Every cluster that Calico enforces policies in serves the kind. */
  readonly isEssential?: true;
  /** Objects of the kind are made from others in a Kubernetes datastore, and stored elsewhere only. */
  readonly isDerived?: true;
  /** Kept as it is stored, without Calico's form. */
  readonly isRaw?: true;
}

const sources: Readonly<Record<ObjectList, Source>> = {
  pods: { kind: pod, isEssential: true },
  workloadEndpoints: { kind: workloadEndpoint, isDerived: true },
  namespaces: { kind: namespace, isEssential: true },
  serviceAccounts: { kind: serviceAccount, isEssential: true },
  nodes: { kind: calicoNode, isEssential: true, isRaw: true },
  hostEndpoints: { kind: hostEndpoint },
  networkSets: { kind: networkSet },
  globalNetworkSets: { kind: globalNetworkSet },
  endpointSlices: { kind: endpointSlice, isEssential: true },
  profiles: { kind: profile, isDerived: true },
  tiers: { kind: tier },
  networkPolicies: { kind: networkPolicy, policyKind: 'NetworkPolicy', isEssential: true },
  globalNetworkPolicies: { kind: globalNetworkPolicy, policyKind: 'GlobalNetworkPolicy', isEssential: true },
  kubernetesNetworkPolicies: {
    kind: kubernetesNetworkPolicy,
    policyKind: 'KubernetesNetworkPolicy',
    isEssential: true,
  },
  adminNetworkPolicies: { kind: adminNetworkPolicy, policyKind: 'AdminNetworkPolicy' },
  baselineAdminNetworkPolicies: { kind: baselineAdminNetworkPolicy, policyKind: 'BaselineAdminNetworkPolicy' },
  clusterNetworkPolicies: { kind: clusterNetworkPolicy, policyKind: 'ClusterNetworkPolicy' },
  stagedNetworkPolicies: { kind: stagedNetworkPolicy, policyKind: 'StagedNetworkPolicy' },
  stagedGlobalNetworkPolicies: { kind: stagedGlobalNetworkPolicy, policyKind: 'StagedGlobalNetworkPolicy' },
  stagedKubernetesNetworkPolicies: {
    kind: stagedKubernetesNetworkPolicy,
    policyKind: 'StagedKubernetesNetworkPolicy',
  },
  felixConfigurations: { kind: felixConfiguration },
};

const allLists = Object.keys(sources) as ObjectList[];

/** A kind that was not read in full, and why that is known. */
export interface UnreadKind {
  readonly kind: string;
  readonly reason: string;
}

export interface ReadCluster {
  readonly cluster: Cluster;
  readonly unread: readonly UnreadKind[];
}

interface ReadList {
  readonly list: ObjectList;
  readonly objects: readonly KubeObject[];
  readonly malformed: readonly MalformedPolicy[];
  readonly unread?: string | undefined;
}

/** The name that people see, also of an object that is not as its kind says. */
function shownName({ naming }: Kind, { metadata: { name } }: KubeObject): string {
  return naming === undefined ? name : name.replace(/^default\./, '');
}

async function readList(store: Datastore, list: ObjectList, signal: AbortSignal): Promise<ReadList> {
  const { kind, policyKind, isDerived, isEssential, isRaw } = sources[list];
  const nothing = { list, objects: [], malformed: [] };
  if (isDerived && store.type === 'kubernetes') return nothing;
  let stored: readonly KubeObject[];
  try {
    stored = await listAll(store, kind, { signal, mode: 'scan', current: true, partial: true });
  } catch (error) {
    if (!(error instanceof DatastoreError)) throw error;
    if (error.missingKind) return isEssential ? { ...nothing, unread: error.message } : nothing;
    if (error.reason !== 'unauthorized') throw error;
    return { ...nothing, unread: error.message };
  }
  const objects: KubeObject[] = [];
  const malformed: MalformedPolicy[] = [];
  let unread: string | undefined;
  for (const object of stored) {
    const [problem] = problemsOf(kind, object);
    if (problem === undefined) objects.push(isRaw ? object : toV3(kind, object));
    else {
      const why = `${problem.path} ${problem.message}`;
      if (policyKind === undefined) unread ??= `${kind.kind} ${qualifiedName(object.metadata)} is malformed: ${why}`;
      else malformed.push({ kind: policyKind, metadata: { ...object.metadata, name: shownName(kind, object) }, why });
    }
  }
  return { list, objects, malformed, unread };
}

/** The kinds of policies that decide in every cluster with Calico. */
const decidingLists = ['networkPolicies', 'globalNetworkPolicies', 'kubernetesNetworkPolicies'] as const;
const otherDecidingLists = ['adminNetworkPolicies', 'baselineAdminNetworkPolicies', 'clusterNetworkPolicies'] as const;

/**
 * What a folder lacks. A snapshot says which kinds it holds in full. Another folder is either written by hand, and then the
 * whole cluster, or a dump, which may have been made without some kinds: its objects have uids.
 */
function folderGaps(objects: PolicyObjects, { unreadable, complete }: Holdings): Map<ObjectList, string> {
  const gaps = new Map<ObjectList, string>();
  const [first] = unreadable;
  if (first !== undefined) {
    for (const list of allLists) gaps.set(list, `cannot read ${first}${andMore(unreadable.length - 1)}`);
    return gaps;
  }
  const isKnown = (list: ObjectList): boolean =>
    objects[list].length > 0 || complete.has(distinctName(sources[list].kind));
  if (complete.size > 0) {
    for (const list of allLists) {
      if (!isKnown(list) && !sources[list].isDerived)
        gaps.set(list, `the snapshot does not hold ${nameOf(list)} objects`);
    }
    return gaps;
  }
  const isDump = [...objects.pods, ...objects.namespaces].some(({ metadata }) => metadata.uid !== undefined);
  const hasPolicies = [...decidingLists, ...otherDecidingLists].some((list) => objects[list].length > 0);
  for (const list of decidingLists) {
    if (!isKnown(list) && (isDump || !hasPolicies)) gaps.set(list, `the directory holds no ${nameOf(list)} objects`);
  }
  if (objects.serviceAccounts.length === 0)
    gaps.set('serviceAccounts', 'the directory holds no ServiceAccount objects');
  if (objects.endpointSlices.length === 0) gaps.set('endpointSlices', 'the directory holds no EndpointSlice objects');
  const tiers = new Set([...builtInTiers, ...objects.tiers.map(({ metadata }) => metadata.name)]);
  const named = [...objects.networkPolicies, ...objects.globalNetworkPolicies].map(
    ({ spec }) => (spec as { tier?: string } | undefined)?.tier || 'default',
  );
  const missing = named.find((name) => !tiers.has(name));
  if (missing !== undefined) gaps.set('tiers', `the directory holds no Tier ${missing}, which a policy names`);
  return gaps;
}

function nameOf(list: ObjectList): string {
  const { policyKind, kind } = sources[list];
  return policyKind ?? kind.kind;
}

/**
 * Reads everything that policies are judged by, each kind once. Errors: those of the store, but for kinds that may not be
 * read: those are `unread`, as is what a folder lacks.
 */
export async function readCluster(ctx: Context): Promise<ReadCluster> {
  const store = await ctx.datastore();
  const { signal } = ctx.world;
  const [read, holdings] = await Promise.all([
    Promise.all(allLists.map((list) => readList(store, list, signal))),
    store.holdings?.({ signal }),
  ]);
  const objects = { ...noObjects, ...Object.fromEntries(read.map((one) => [one.list, one.objects])) } as PolicyObjects;
  const unread = new Map<ObjectList, string>(holdings === undefined ? [] : folderGaps(objects, holdings));
  for (const one of read) if (one.unread !== undefined) unread.set(one.list, one.unread);
  return {
    cluster: new Cluster(
      objects,
      unread,
      read.flatMap(({ malformed }) => malformed),
    ),
    unread: [...unread]
      .map(([list, reason]) => ({ kind: nameOf(list), reason }))
      .sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}
