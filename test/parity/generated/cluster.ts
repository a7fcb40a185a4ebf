// The cluster in which scenarios run: what it holds at the beginning, what it holds now, and how it gets back.
import type { CalicoApi } from '../../../src/resources/kind.ts';
import { customResourceApi, v3ApiVersion } from '../../../src/resources/kind.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import type { ApiServer } from '../../support/servers/api-server.ts';

const made = '2025-06-15T15:00:00Z';

/** A custom resource, as calicoctl stores it. */
function stored(
  kind: string,
  name: string,
  spec: unknown,
  more: { namespace?: string; shown?: string } = {},
): KubeObject {
  const { namespace, shown } = more;
  const kept = { ...(shown !== undefined && { name: shown }), creationTimestamp: made };
  return {
    apiVersion: customResourceApi,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      annotations: { 'projectcalico.org/metadata': JSON.stringify(kept) },
    },
    spec,
  };
} // prettier-ignore

/** A custom resource that was made with kubectl. */
function plain(kind: string, name: string, spec: unknown, namespace?: string): KubeObject {
  return {
    apiVersion: customResourceApi,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), labels: { 'projectcalico.org/by': 'kubectl' } },
    spec,
  };
}

const shop = 'shop';

function policies(kind: string, namespace?: string): KubeObject[] {
  const where = namespace === undefined ? {} : { namespace };
  const spec = { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Allow', protocol: 'UDP' }] };
  return [
    stored(kind, 'default.allow-dns', { ...spec, tier: 'default', order: 10 }, { ...where, shown: 'allow-dns' }),
    stored(kind, 'platform.deny-all', { ...spec, tier: 'platform' }, { ...where, shown: 'platform.deny-all' }),
    plain(kind, 'default.of-kubectl', { selector: 'has(a)', tier: 'default', types: ['Egress'] }, namespace),
  ];
}

/** The same for both releases, but for the version and the names of policies, which 3.32 does not change. */
function initialObjects(calicoApi: CalicoApi): readonly KubeObject[] {
  const isNative = calicoApi === v3ApiVersion;
  const calicoVersion = isNative ? 'v3.32.1' : 'v3.31.4';
  const tiers: readonly (readonly [string, number, string])[] = isNative
    ? [
        ['default', 1_000_000, 'Deny'],
        ['kube-admin', 1000, 'Pass'],
        ['kube-baseline', 10_000_000, 'Pass'],
      ]
    : [
        ['default', 1_000_000, 'Deny'],
        ['adminnetworkpolicy', 1000, 'Pass'],
        ['baselineadminnetworkpolicy', 10_000_000, 'Pass'],
      ]; // prettier-ignore
  const all: KubeObject[] = [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: 'node-a',
        labels: { zone: 'a' },
        annotations: { 'projectcalico.org/IPv4Address': '192.0.2.11/24', 'projectcalico.org/ASNumber': '64600' },
      },
      spec: {},
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.11' }] },
    },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-b' }, spec: {} },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'till', namespace: shop, labels: { role: 'x' } } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: shop, labels: { app: 'web' } },
      spec: { nodeName: 'node-a', containers: [{ name: 'main', image: 'none' }] },
      status: { phase: 'Running', podIP: '10.60.0.1', podIPs: [{ ip: '10.60.0.1' }] },
    },
    stored('ClusterInformation', 'default', {
      clusterGUID: '5d2c9e4b8bcc09e00656c54f84e82dff',
      clusterType: 'k8s,kdd',
      calicoVersion,
      datastoreReady: true,
    }),
    ...tiers.map(([name, order, defaultAction]) => stored('Tier', name, { order, defaultAction })),
    stored('Tier', 'platform', { order: 100, defaultAction: 'Deny' }),
    plain('Tier', 'empty', { order: 500 }),
    stored('IPPool', 'pool-1', {
      cidr: '10.60.0.0/16',
      blockSize: 26,
      ipipMode: 'Never',
      vxlanMode: 'Always',
      natOutgoing: true,
      nodeSelector: 'all()',
      allowedUses: ['Workload', 'Tunnel'],
    }),
    stored('IPPool', 'pool-2', { cidr: '10.61.0.0/24', blockSize: 28, disabled: true, nodeSelector: "zone == 'a'" }),
    plain('IPPool', 'pool-v6', { cidr: 'fd60::/64', blockSize: 122, ipipMode: 'Never', nodeSelector: 'all()' }),
    stored('IPReservation', 'kept', { reservedCIDRs: ['10.60.200.0/28'] }),
    stored('BGPConfiguration', 'default', { asNumber: 64512, logSeverityScreen: 'Info', nodeToNodeMeshEnabled: true }),
    stored('BGPFilter', 'filter-1', {}),
    stored('BGPPeer', 'peer-1', { peerIP: '192.0.2.1', asNumber: 64513, node: 'node-a' }),
    stored('FelixConfiguration', 'default', { logSeverityScreen: 'Info', routeRefreshInterval: '1m30s' }),
    plain('FelixConfiguration', 'node.node-a', { logSeverityScreen: 'Debug' }),
    stored('KubeControllersConfiguration', 'default', { controllers: { node: { leakGracePeriod: '15m0s' } } }),
    stored('HostEndpoint', 'hep-1', { node: 'node-a', interfaceName: 'eth1', expectedIPs: ['192.0.2.11'] }),
    stored('GlobalNetworkSet', 'nets-1', { nets: ['10.0.0.0/8'] }),
    stored('NetworkSet', 'nets-1', { nets: ['10.0.0.0/8'] }, { namespace: shop }),
    ...policies('NetworkPolicy', shop),
    ...policies('GlobalNetworkPolicy'),
    ...policies('StagedNetworkPolicy', shop),
    ...policies('StagedGlobalNetworkPolicy'),
    stored(
      'StagedKubernetesNetworkPolicy',
      'web',
      { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
      { namespace: shop },
    ),
    {
      apiVersion: customResourceApi,
      kind: 'IPAMConfig',
      metadata: { name: 'default', annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' } },
      spec: { strictAffinity: false, autoAllocateBlocks: true, maxBlocksPerHost: 0 },
    },
  ]; // prettier-ignore
  return isNative ? all.map(asShown) : all;
}

/** In projectcalico.org/v3 a policy is stored under the name that people see. */
function asShown(object: KubeObject): KubeObject {
  const shown = object.metadata.name.replace(/^default\./, '');
  return object.kind.endsWith('NetworkPolicy') ? { ...object, metadata: { ...object.metadata, name: shown } } : object;
}

/** Collections that commands of a scenario may change, by the kind of their objects. */
function collectionsOf(calicoApi: CalicoApi): ReadonlyMap<string, string> {
  const base = `/apis/${calicoApi}`;
  const plurals: readonly (readonly [kind: string, plural: string])[] = [
    ['BGPConfiguration', 'bgpconfigurations'],
    ['BGPFilter', 'bgpfilters'],
    ['BGPPeer', 'bgppeers'],
    ['BlockAffinity', 'blockaffinities'],
    ['ClusterInformation', 'clusterinformations'],
    ['FelixConfiguration', 'felixconfigurations'],
    ['GlobalNetworkPolicy', 'globalnetworkpolicies'],
    ['GlobalNetworkSet', 'globalnetworksets'],
    ['HostEndpoint', 'hostendpoints'],
    ['IPAMBlock', 'ipamblocks'],
    ['IPAMConfig', calicoApi === v3ApiVersion ? 'ipamconfigurations' : 'ipamconfigs'],
    ['IPAMHandle', 'ipamhandles'],
    ['IPPool', 'ippools'],
    ['IPReservation', 'ipreservations'],
    ['KubeControllersConfiguration', 'kubecontrollersconfigurations'],
    ['NetworkPolicy', 'networkpolicies'],
    ['NetworkSet', 'networksets'],
    ['StagedGlobalNetworkPolicy', 'stagedglobalnetworkpolicies'],
    ['StagedKubernetesNetworkPolicy', 'stagedkubernetesnetworkpolicies'],
    ['StagedNetworkPolicy', 'stagednetworkpolicies'],
    ['Tier', 'tiers'],
  ];
  return new Map([
    ...plurals.map(([kind, plural]) => [kind, `${base}/${plural}`] as const),
    ['Node', '/api/v1/nodes'],
    ['Pod', '/api/v1/pods'],
    ['Namespace', '/api/v1/namespaces'],
  ]);
}

/** Objects that Kubernetes owns are changed in place: others would not be the same to their clients. */
const inPlace: readonly string[] = ['Node', 'Pod', 'Namespace'];

const identityOf = (kind: string, { metadata: { namespace = '', name } }: KubeObject): string =>
  `${kind}/${namespace}/${name}`;

/** Without what differs between two clusters on which the same was done. */
export function masked(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replace(
      /(resourceVersion"?: )("?[\d/]+"?)/g,
      (_, name: string, value: string) => name + value.replace(/\d+/g, 'N'),
    )
    .replace(/(ResourceVersion = )'\d+'/g, "$1'N'")
    .replace(/(manager"?: )"?[\w-]+"?/g, '$1"M"');
}

const comparable = (object: KubeObject): string => {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  return masked(JSON.stringify({ ...object, metadata }));
};

export class ScenarioCluster {
  readonly server: ApiServer;
  readonly #collections: ReadonlyMap<string, string>;
  readonly #initial = new Map<string, KubeObject>();

  private constructor(server: ApiServer, calicoApi: CalicoApi) {
    this.server = server;
    this.#collections = collectionsOf(calicoApi);
  }

  /** Fills an empty server. */
  static async on(server: ApiServer, calicoApi: CalicoApi): Promise<ScenarioCluster> {
    const cluster = new ScenarioCluster(server, calicoApi);
    await server.admin.load(initialObjects(calicoApi));
    for (const [id, object] of await cluster.#objects()) cluster.#initial.set(id, object);
    return cluster;
  }

  async #list(kind: string): Promise<KubeObject[]> {
    const { status, body } = await this.server.admin.request('GET', this.#collections.get(kind) ?? '');
    if (status !== 200) throw new Error(`${kind}: ${status} ${body}`);
    return (JSON.parse(body) as { items: KubeObject[] }).items;
  }

  async #objects(): Promise<Map<string, KubeObject>> {
    const lists = [...this.#collections.keys()].map(async (kind) => {
      return (await this.#list(kind)).map((object) => [identityOf(kind, object), object] as const);
    });
    return new Map((await Promise.all(lists)).flat());
  }

  /** Everything that is stored, as text without what differs between clusters, by kind, namespace and name. */
  async contents(): Promise<Map<string, string>> {
    return new Map([...(await this.#objects())].map(([id, object]) => [id, comparable(object)]));
  }

  /** The revision of an object that people see under this name; undefined when there is none. */
  async revision(kind: string, namespace: string, name: string): Promise<string | undefined> {
    if (!this.#collections.has(kind)) return undefined;
    const all = await this.#list(kind);
    const fits = ({ metadata }: KubeObject, wanted: string): boolean =>
      metadata.name === wanted && (metadata.namespace ?? '') === namespace;
    const found = all.find((one) => fits(one, name)) ?? all.find((one) => fits(one, `default.${name}`));
    return found?.metadata.resourceVersion;
  }

  #path(kind: string, { metadata: { namespace, name } }: KubeObject): string {
    const collection = this.#collections.get(kind) ?? '';
    if (namespace === undefined) return `${collection}/${name}`;
    const at = collection.lastIndexOf('/');
    return `${collection.slice(0, at)}/namespaces/${namespace}${collection.slice(at)}/${name}`;
  }

  async #send(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.server.admin.request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  }

  async #remove(kind: string, object: KubeObject): Promise<void> {
    if (object.metadata['finalizers'] !== undefined) {
      await this.#send('PUT', this.#path(kind, object), {
        ...object,
        metadata: { ...object.metadata, finalizers: [] },
      });
    }
    await this.#send('DELETE', this.#path(kind, object), { gracePeriodSeconds: 0 });
  }

  async #recreate(kind: string, { metadata, ...object }: KubeObject): Promise<void> {
    const {
      uid: _,
      resourceVersion: __,
      generation: ___,
      creationTimestamp: ____,
      managedFields: _____,
      ...kept
    } = metadata;
    const path = this.#path(kind, { ...object, metadata } as KubeObject);
    await this.#send('POST', path.slice(0, path.lastIndexOf('/')), { ...object, metadata: kept });
  } // prettier-ignore

  /** Makes the cluster what it was at the beginning. */
  async restore(): Promise<void> {
    const now = await this.#objects();
    const changed = new Set([...now.keys(), ...this.#initial.keys()]);
    await Promise.all(
      [...changed].map(async (id) => {
        const kind = id.slice(0, id.indexOf('/'));
        const [before, after] = [this.#initial.get(id), now.get(id)];
        if (before && after && comparable(before) === comparable(after)) return;
        if (before && after && inPlace.includes(kind)) {
          const metadata = { ...before.metadata, resourceVersion: after.metadata.resourceVersion };
          await this.#send('PUT', this.#path(kind, before), { ...before, metadata });
          return;
        }
        if (after) await this.#remove(kind, after);
        if (before) await this.#recreate(kind, before);
      }),
    );
  }
}
