// The members of a cluster, made from its objects: workloads with the labels of their namespaces and service accounts,
// host endpoints, network sets.
import { type Cidr, parseCidrOrIp } from '../net/cidr.ts';
import { workloadEndpointOf } from '../resources/convert/workload-endpoint-of-pod.ts';
import type { WorkloadEndpoint } from '../resources/kinds/workload-endpoint-fields.ts';
import type { KubeObject } from '../resources/object.ts';
import type { Labels } from '../resources/selector.ts';
import type { PolicyObjects, Unread } from './cluster-objects.ts';
import { type LabelSet, noLabels } from './labels.ts';
import { accountLabel, type Member, type NamedPort, nameLabel, namespaceLabel } from './member.ts';
import { protocolNumber } from './protocol.ts';

/** How Calico marks the labels that a workload has from its namespace and its service account. */
const namespacePrefix = 'pcns.';
const accountPrefix = 'pcsa.';

/** Labels as objects hold them: only texts are labels. */
function labelsOf({ metadata }: KubeObject): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([, value]) => typeof value === 'string'));
}

/** The labels that begin with the prefix, without it. */
function withPrefix(labels: Labels, prefix: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );
}

function netsOf(texts: unknown): Cidr[] {
  if (!Array.isArray(texts)) return [];
  return texts.flatMap((text) => parseCidrOrIp(String(text)) ?? []);
}

function portsOf(ports: unknown): NamedPort[] {
  if (!Array.isArray(ports)) return [];
  return ports.flatMap(({ name, protocol, port }: { name?: string; protocol?: unknown; port?: unknown }) => {
    const number = protocolNumber(protocol);
    return name && number !== undefined ? [{ name, protocol: number, port: Number(port) }] : [];
  });
}

/** Labels that members get from other objects. */
export class InheritedLabels {
  readonly #namespaces: ReadonlyMap<string, Labels>;
  readonly #accounts: ReadonlyMap<string, Labels>;
  readonly #unread: Unread;

  constructor({ namespaces, serviceAccounts }: PolicyObjects, unread: Unread) {
    this.#namespaces = new Map(
      namespaces.map((object) => [object.metadata.name, { ...labelsOf(object), [nameLabel]: object.metadata.name }]),
    );
    this.#accounts = new Map(
      serviceAccounts.map((object) => [
        `${object.metadata.namespace ?? ''}/${object.metadata.name}`,
        { ...labelsOf(object), [nameLabel]: object.metadata.name },
      ]),
    );
    this.#unread = unread;
  }

  /** Of a namespace whose object was not read the API server's own labels are known all the same. */
  ofNamespace(name: string): LabelSet {
    const known = this.#namespaces.get(name);
    if (known !== undefined) return { known };
    const unread = this.#unread.get('namespaces') ?? `the labels of namespace ${name} are not known`;
    return { known: { [nameLabel]: name, 'kubernetes.io/metadata.name': name }, unread };
  }

  /** A service account that does not exist has no labels, not even its name. */
  ofAccount(namespace: string, name: string | undefined): LabelSet {
    if (!name) return noLabels;
    const known = this.#accounts.get(`${namespace}/${name}`);
    return { known: known ?? {}, unread: known === undefined ? this.#unread.get('serviceAccounts') : undefined };
  }
}

/** A workload, and the object that it is made from. */
export interface Workload extends Member {
  readonly type: 'workload';
  readonly namespace: string;
  readonly node: string;
}

function workloadOf(endpoint: WorkloadEndpoint, inherited: InheritedLabels): Workload {
  const { metadata, spec } = endpoint;
  const namespace = metadata.namespace ?? 'default';
  const own = Object.entries(labelsOf(endpoint)).filter(
    ([key]) => !key.startsWith(namespacePrefix) && !key.startsWith(accountPrefix),
  );
  const known = Object.fromEntries(own);
  return {
    type: 'workload',
    namespace,
    name: spec.pod || spec.workload || metadata.name,
    node: spec.node ?? '',
    labels: { known },
    namespaceLabels: inherited.ofNamespace(namespace),
    accountLabels: inherited.ofAccount(namespace, spec.serviceAccountName || known[accountLabel]),
    nets: netsOf(spec.ipNetworks),
    ports: portsOf(spec.ports),
    profiles: spec.profiles ?? [],
  };
}

export function workloadsOf(objects: PolicyObjects, inherited: InheritedLabels): Workload[] {
  const made = objects.pods.flatMap((pod) => workloadEndpointOf(pod) ?? []);
  return [...made, ...objects.workloadEndpoints].map((endpoint) => workloadOf(endpoint, inherited));
}

interface HostEndpointSpec {
  readonly node?: string | null;
  readonly interfaceName?: string | null;
  readonly expectedIPs?: readonly string[] | null;
  readonly profiles?: readonly string[] | null;
  readonly ports?: unknown;
}

/** A host endpoint: an interface of a node, or all of them. */
export interface HostEndpointMember extends Member {
  readonly type: 'host-endpoint';
  readonly node: string;
  /** `*` for all interfaces, empty when it is found by its addresses. */
  readonly interfaceName: string;
}

export function hostEndpointsOf({ hostEndpoints }: PolicyObjects): HostEndpointMember[] {
  return hostEndpoints.map((object) => {
    const spec = (object.spec ?? {}) as HostEndpointSpec;
    const known = labelsOf(object);
    return {
      type: 'host-endpoint',
      name: object.metadata.name,
      node: spec.node ?? '',
      interfaceName: spec.interfaceName ?? '',
      labels: { known },
      namespaceLabels: { known: withPrefix(known, namespacePrefix) },
      accountLabels: { known: withPrefix(known, accountPrefix) },
      nets: netsOf(spec.expectedIPs),
      ports: portsOf(spec.ports),
      profiles: spec.profiles ?? [],
    };
  });
}

export function networkSetsOf({ networkSets, globalNetworkSets }: PolicyObjects, inherited: InheritedLabels): Member[] {
  const setOf = (object: KubeObject, namespace: string | undefined): Member => {
    const own = labelsOf(object);
    const known = namespace === undefined ? own : { ...own, [namespaceLabel]: namespace };
    return {
      type: 'network-set',
      namespace,
      name: object.metadata.name,
      labels: { known },
      namespaceLabels:
        namespace === undefined ? { known: withPrefix(own, namespacePrefix) } : inherited.ofNamespace(namespace),
      accountLabels: { known: withPrefix(own, accountPrefix) },
      nets: netsOf((object.spec as { nets?: unknown } | undefined)?.nets),
      ports: [],
      profiles: [],
    };
  };
  return [
    ...networkSets.map((object) => setOf(object, object.metadata.namespace ?? 'default')),
    ...globalNetworkSets.map((object) => setOf(object, undefined)),
  ];
}
