// A cluster as its policies see it: members by address, policies, tiers, profiles, endpoints of services. Made once from
// the objects; nothing is judged here.
import { parseCidrOrIp } from '../net/cidr.ts';
import { formatIp, type IpAddress } from '../net/ip.ts';
import type { KubeObject } from '../resources/object.ts';
import { adminPolicy, adminTiers } from './admin-policy.ts';
import { calicoPolicy, rulesOf, unclearPolicy, whyUnclear } from './calico-policy.ts';
import type { PolicyObjects, Unread } from './cluster-objects.ts';
import { kubernetesOrder, kubernetesPolicy } from './kubernetes-policy.ts';
import { type Match, noPort } from './match.ts';
import { hasAddress, type Member } from './member.ts';
import {
  type HostEndpointMember,
  hostEndpointsOf,
  InheritedLabels,
  networkSetsOf,
  type Workload,
  workloadsOf,
} from './members.ts';
import { anything, comparePolicies, type Policy, type UnsurePolicy } from './policy.ts';
import { protocolNumber } from './protocol.ts';
import { anyEntity, type Rule, type RuleSurroundings, type ServiceRef } from './rule.ts';
import type { RuleSpec } from './specs.ts';
import { defaultTier } from './tiers.ts';

/** Rules that apply when no tier decided. */
export interface Profile {
  readonly name: string;
  readonly ingress: readonly Rule[];
  readonly egress: readonly Rule[];
  /** Why its rules are not known. */
  readonly unsure?: string | undefined;
}

const allowAll: readonly Rule[] = [{ index: 0, action: 'Allow', source: anyEntity, destination: anyEntity }];
const denyAll: readonly Rule[] = [{ index: 0, action: 'Deny', source: anyEntity, destination: anyEntity }];

/** The profile that every cluster has. */
const defaultAllow = 'projectcalico-default-allow';

/** The endpoints of one EndpointSlice. */
interface ServiceEndpoints {
  readonly addresses: readonly string[];
  readonly ports: readonly { readonly protocol: number; readonly port: number }[];
  /** Why they are not known. */
  readonly unsure?: string;
}

const isList = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value);

/** The objects of a list; other items are left out. */
function objectsOf(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

function endpointsOf({ metadata, ...fields }: KubeObject): ServiceEndpoints {
  const endpoints = objectsOf(fields['endpoints']);
  const lists = [fields['endpoints'], fields['ports'], ...endpoints.map(({ addresses }) => addresses)];
  if (!lists.every(isList)) {
    const unsure = `EndpointSlice ${metadata.namespace}/${metadata.name} is malformed`;
    return { addresses: [], ports: [], unsure };
  }
  return {
    addresses: endpoints.flatMap(({ addresses }) =>
      ((addresses ?? []) as unknown[]).flatMap((text) => {
        const cidr = parseCidrOrIp(String(text));
        return cidr === undefined ? [] : [formatIp(cidr.base)];
      }),
    ),
    ports: objectsOf(fields['ports']).flatMap(({ protocol, port }) =>
      port === undefined || port === null
        ? []
        : [{ protocol: protocolNumber(protocol || 'TCP') ?? 0, port: Number(port) }],
    ),
  };
}

const serviceNameLabel = 'kubernetes.io/service-name';

/** Stands for policies that were not read: whether there are any, and what they do, is not known. */
function unreadPolicy(kind: Policy['kind'], tier: string, order: number, unsure: UnsurePolicy): Policy {
  const none = { namespace: undefined, name: '', key: '', ingress: [], egress: [], staged: false };
  const selector = { text: 'all()', podsOnly: false, test: () => ({ because: unsure.because }) };
  return { ...none, kind, tier, order, selector, doNotTrack: false, preDNAT: false, applyOnForward: false, unsure };
}

/** Of a kind that was not read there may be policies in any tier, also before all others. */
export const anyTier = '';

/** A policy of which a field has the wrong type. */
export interface MalformedPolicy {
  readonly kind: Policy['kind'];
  readonly metadata: KubeObject['metadata'];
  /** `spec.types must be a list`. */
  readonly why: string;
}

/** It may be in any tier, which is among what cannot be read of it. */
function malformedPolicy({ kind, metadata: { name, namespace }, why }: MalformedPolicy): Policy {
  const order = Number.NEGATIVE_INFINITY;
  return unclearPolicy({ kind, staged: false, tier: anyTier, namespace, name, key: name, order }, why);
}

export class Cluster implements RuleSurroundings {
  readonly objects: PolicyObjects;
  readonly unread: Unread;
  readonly workloads: readonly Workload[];
  readonly hostEndpoints: readonly HostEndpointMember[];
  /** Enforced policies, in the order within their tier. */
  readonly policies: readonly Policy[];
  /** Staged policies, which decide nothing. */
  readonly staged: readonly Policy[];
  readonly unreadMembers: string | undefined;
  readonly #sets: readonly Member[];
  readonly #byAddress = new Map<string, Workload[]>();
  readonly #services = new Map<string, ServiceEndpoints[]>();
  readonly #profiles: ReadonlyMap<string, KubeObject>;

  /** `malformed` are policies besides those of the objects. */
  constructor(objects: PolicyObjects, unread: Unread = new Map(), malformed: readonly MalformedPolicy[] = []) {
    this.objects = objects;
    this.unread = unread;
    const inherited = new InheritedLabels(objects, unread);
    this.workloads = workloadsOf(objects, inherited);
    this.hostEndpoints = hostEndpointsOf(objects);
    this.#sets = networkSetsOf(objects, inherited);
    for (const workload of this.workloads) {
      for (const { base } of workload.nets) {
        const key = formatIp(base);
        this.#byAddress.set(key, [...(this.#byAddress.get(key) ?? []), workload]);
      }
    }
    for (const slice of objects.endpointSlices) {
      const service = `${slice.metadata.namespace ?? ''}/${slice.metadata.labels?.[serviceNameLabel] ?? ''}`;
      this.#services.set(service, [...(this.#services.get(service) ?? []), endpointsOf(slice)]);
    }
    this.#profiles = new Map(objects.profiles.map((profile) => [profile.metadata.name, profile]));
    const unclear = malformed.filter(({ kind }) => !kind.startsWith('Staged')).map(malformedPolicy);
    this.policies = [...this.#enforced(), ...unclear, ...this.#unreadPolicies()].sort(comparePolicies);
    this.staged = [
      ...objects.stagedNetworkPolicies.map((one) => calicoPolicy('StagedNetworkPolicy', one, true)),
      ...objects.stagedGlobalNetworkPolicies.map((one) => calicoPolicy('StagedGlobalNetworkPolicy', one, true)),
      ...objects.stagedKubernetesNetworkPolicies.map((one) => kubernetesPolicy(one, true)),
    ].sort(comparePolicies);
    this.unreadMembers = (['networkSets', 'globalNetworkSets', 'hostEndpoints'] as const)
      .map((list) => unread.get(list))
      .find((reason) => reason !== undefined);
  }

  /** Every workload, host endpoint and network set that has the address. */
  membersAt(ip: IpAddress): readonly Member[] {
    return [
      ...(this.#byAddress.get(formatIp(ip)) ?? []),
      ...[...this.hostEndpoints, ...this.#sets].filter((member) => hasAddress(member, ip)),
    ];
  }

  /** The workloads that have the address. */
  workloadsAt(ip: IpAddress): readonly Workload[] {
    return this.#byAddress.get(formatIp(ip)) ?? [];
  }

  workload(namespace: string, name: string): Workload | undefined {
    return this.workloads.find((workload) => workload.namespace === namespace && workload.name === name);
  }

  endpointOf(
    { namespace, name }: ServiceRef,
    ip: IpAddress,
    port: { readonly protocol: number; readonly port: number | undefined } | undefined,
  ): Match {
    const unread = this.unread.get('endpointSlices');
    if (unread !== undefined) return { because: unread };
    const address = formatIp(ip);
    const all = this.#services.get(`${namespace}/${name}`) ?? [];
    const unsure = all.find((slice) => slice.unsure !== undefined)?.unsure;
    if (unsure !== undefined) return { because: unsure };
    const slices = all.filter(({ addresses }) => addresses.includes(address));
    if (port === undefined) return slices.length > 0;
    const ports = slices.flatMap((slice) => slice.ports).filter(({ protocol }) => protocol === port.protocol);
    if (ports.length === 0) return false;
    return port.port === undefined ? { because: noPort } : ports.some((one) => one.port === port.port);
  }

  /** The profile of that name: those of namespaces allow, those of service accounts say nothing, unless they are stored. */
  profile(name: string): Profile {
    const stored = this.#profiles.get(name);
    if (stored !== undefined) return profileOf(stored);
    if (name.startsWith('kns.') || name === defaultAllow) return { name, ingress: allowAll, egress: allowAll };
    if (name.startsWith('ksa.')) return { name, ingress: [], egress: [] };
    // Calico denies everything in the place of a profile that does not exist.
    return { name, ingress: denyAll, egress: denyAll, unsure: this.unread.get('profiles') };
  }

  /**
   * Which policies of administrators Calico enforces. Up to 3.31 these are AdminNetworkPolicies, from 3.32 on
   * ClusterNetworkPolicies; the tiers that Calico makes for them tell which. Without either tier both count.
   */
  get #adminPolicies(): { readonly ofAdmins: boolean; readonly ofClusters: boolean } {
    const tiers = this.objects.tiers.map(({ metadata }) => metadata.name);
    const isNew = tiers.includes(adminTiers.kubeAdmin);
    return { ofAdmins: !isNew, ofClusters: isNew || !tiers.includes(adminTiers.admin) };
  }

  /** Kinds of which there are objects that this release of Calico does not look at. */
  get notEnforced(): readonly Policy['kind'][] {
    const { adminNetworkPolicies, baselineAdminNetworkPolicies, clusterNetworkPolicies } = this.objects;
    const { ofAdmins, ofClusters } = this.#adminPolicies;
    const kinds: Policy['kind'][] = [];
    if (!ofAdmins && adminNetworkPolicies.length > 0) kinds.push('AdminNetworkPolicy');
    if (!ofAdmins && baselineAdminNetworkPolicies.length > 0) kinds.push('BaselineAdminNetworkPolicy');
    if (!ofClusters && clusterNetworkPolicies.length > 0) kinds.push('ClusterNetworkPolicy');
    return kinds;
  }

  #enforced(): Policy[] {
    const { objects } = this;
    const { ofAdmins, ofClusters } = this.#adminPolicies;
    const admin = ofAdmins ? objects.adminNetworkPolicies : [];
    const baseline = ofAdmins ? objects.baselineAdminNetworkPolicies : [];
    const cluster = ofClusters ? objects.clusterNetworkPolicies : [];
    return [
      ...objects.networkPolicies.map((one) => calicoPolicy('NetworkPolicy', one, false)),
      ...objects.globalNetworkPolicies.map((one) => calicoPolicy('GlobalNetworkPolicy', one, false)),
      ...objects.kubernetesNetworkPolicies.map((one) => kubernetesPolicy(one, false)),
      ...admin.map((one) => adminPolicy('AdminNetworkPolicy', one)),
      ...baseline.map((one) => adminPolicy('BaselineAdminNetworkPolicy', one)),
      ...cluster.map((one) => adminPolicy('ClusterNetworkPolicy', one)),
    ];
  }

  #unreadPolicies(): Policy[] {
    const first = Number.NEGATIVE_INFINITY;
    const found: Policy[] = [];
    const add = (
      list: keyof PolicyObjects,
      kind: Policy['kind'],
      tier: string,
      order: number,
      may = anything,
    ): void => {
      const because = this.unread.get(list);
      if (because !== undefined) found.push(unreadPolicy(kind, tier, order, { because, may }));
    };
    add('networkPolicies', 'NetworkPolicy', anyTier, first);
    add('globalNetworkPolicies', 'GlobalNetworkPolicy', anyTier, first);
    add('kubernetesNetworkPolicies', 'KubernetesNetworkPolicy', defaultTier, kubernetesOrder, ['Allow']);
    add('adminNetworkPolicies', 'AdminNetworkPolicy', adminTiers.admin, first);
    add('baselineAdminNetworkPolicies', 'BaselineAdminNetworkPolicy', adminTiers.baseline, first);
    add('clusterNetworkPolicies', 'ClusterNetworkPolicy', adminTiers.kubeAdmin, first);
    add('clusterNetworkPolicies', 'ClusterNetworkPolicy', adminTiers.kubeBaseline, first);
    return found;
  }
}

function profileOf({ metadata: { name }, spec }: KubeObject): Profile {
  const { ingress, egress } = (spec ?? {}) as {
    ingress?: readonly RuleSpec[] | null;
    egress?: readonly RuleSpec[] | null;
  };
  try {
    return { name, ingress: rulesOf(ingress), egress: rulesOf(egress) };
  } catch (error) {
    return { name, ingress: denyAll, egress: denyAll, unsure: `Profile ${name}: ${whyUnclear(error)}` };
  }
}
