// The configuration of BIRD for one node, as Calico renders it: six files, from the plan that `node bgp` shows and the
// objects that say what is exported (docs/reference/bird.md).
import type { BgpPlan } from '../bgp/desired-sessions.ts';
import type { BgpNode, PeerRoute } from '../bgp/session.ts';
import { formatIp } from '../net/ip.ts';
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import { nodeNotFound } from '../resources/kinds/node.ts';
import { aggregationFile, ownBlocks } from './aggregation-file.ts';
import { communitiesRemarks } from './communities.ts';
import { filterRemarks } from './filter-functions.ts';
import { mainFile, routerId } from './main-file.ts';
import { type BirdEnvironment, type BirdObjects, type Passwords, type Remark, refusal, remark } from './objects.ts';
import { sessionRemarks, sessionsInOrder } from './peer-protocols.ts';
import { poolFile } from './pool-file.ts';
import { serviceRoutes } from './service-routes.ts';
import { prefixRemarks } from './syntax.ts';

/** In the order in which people read them. */
export const birdFileNames = [
  'bird.cfg',
  'bird_aggr.cfg',
  'bird_ipam.cfg',
  'bird6.cfg',
  'bird6_aggr.cfg',
  'bird6_ipam.cfg',
] as const;

export type BirdFileName = (typeof birdFileNames)[number];

export interface BirdConfiguration {
  readonly node: string;
  readonly files: Readonly<Record<BirdFileName, string>>;
  readonly remarks: readonly Remark[];
}

/**
 * The configuration of a node. Errors: DatastoreError for a node that does not exist; UnrenderableError for values that
 * cannot be part of a configuration, naming the object.
 */
export function birdConfiguration(
  name: string,
  plan: BgpPlan,
  objects: BirdObjects,
  environment: BirdEnvironment,
  passwords: Passwords,
): BirdConfiguration {
  const core = objects.nodes.find(({ metadata }) => metadata.name === name);
  const node = plan.index.node(name);
  if (core === undefined || node === undefined) throw nodeNotFound(name);
  const specOf = (configuration: string): BGPConfiguration['spec'] | undefined =>
    objects.bgpConfigurations.find(({ metadata }) => metadata.name === configuration)?.spec;
  const [own, global] = [specOf(`node.${name}`), specOf('default')];
  const blocks = ownBlocks(core, objects.affinities, environment);
  const services = serviceRoutes(core, global, objects, environment);
  const peerRoutes = plan.peerRoutes.filter((route) => route.node === name);
  const filters = new Map(objects.bgpFilters.map((filter) => [filter.metadata.name, filter]));
  const sessionsOf = (version: 4 | 6) => sessionsInOrder(plan, name, version);
  const main = (version: 4 | 6): string[] =>
    mainFile(version, { node, own, global, filters, passwords, environment, sessions: sessionsOf(version) });
  const aggregation = (version: 4 | 6): string[] => aggregationFile(version, blocks, services.advertised, peerRoutes);
  const pools = (version: 4 | 6): string[] => poolFile(version, { node, pools: objects.pools, services, spec: global });
  const lines: Readonly<Record<BirdFileName, readonly string[]>> = {
    'bird.cfg': main(4),
    'bird_aggr.cfg': aggregation(4),
    'bird_ipam.cfg': pools(4),
    'bird6.cfg': main(6),
    'bird6_aggr.cfg': aggregation(6),
    'bird6_ipam.cfg': pools(6),
  };
  const files = Object.fromEntries(birdFileNames.map((file) => [file, `${lines[file].join('\n')}\n`]));
  return {
    node: name,
    files: files as Record<BirdFileName, string>,
    remarks: [
      ...nodeRemarks(plan, node, environment),
      ...[...new Set([...services.advertised, ...services.rejected])].flatMap((cidr) =>
        prefixRemarks(cidr, 'a range of services in BGPConfiguration default'),
      ),
      ...families.flatMap((version) => [
        ...communitiesRemarks(own, global, version),
        ...(node.address[version] === undefined ? [] : filterRemarks(objects.bgpFilters, version)),
        ...sessionRemarks(sessionsOf(version)),
      ]),
      ...peerRoutes.flatMap(gatewayRemarks),
    ],
  };
}

const families = [4, 6] as const;

const gatewayRemarks = ({ peer, gateway }: PeerRoute): Remark[] =>
  peer.version === gateway.version
    ? []
    : [
        refusal(
          `reachableBy ${formatIp(gateway)} cannot be the gateway to ${formatIp(peer)}, an address of the other family`,
        ),
      ];

function nodeRemarks(plan: BgpPlan, node: BgpNode, environment: BirdEnvironment): Remark[] {
  const id = routerId(node, environment);
  const remarks = sharedAddresses(plan, node);
  if (/^(?:0|127)\./.test(id)) remarks.push(remark(`the router ID ${id} is in a range that is not for routers`));
  if (environment.CALICO_ADVERTISE_CLUSTER_IPS) {
    remarks.push(
      remark(
        'cluster addresses are not advertised: with CALICO_ADVERTISE_CLUSTER_IPS Calico ignores serviceClusterIPs, and withdraws the range of the variable once it has read the Node',
      ),
    );
  }
  return remarks;
}

/** Two nodes of the mesh with one address: Calico gives both the same name, and BIRD refuses that. */
function sharedAddresses(plan: BgpPlan, node: BgpNode): Remark[] {
  if (!plan.mesh || node.clusterId !== undefined) return [];
  const owners = new Map<string, string[]>();
  for (const { name, clusterId, address } of plan.nodes) {
    if (clusterId !== undefined) continue;
    for (const version of families) {
      const own = address[version];
      if (own === undefined || node.address[version] === undefined || own.value === node.address[version].value)
        continue;
      const key = `${version} ${own.value}`;
      owners.set(key, [...(owners.get(key) ?? []), name]);
    }
  }
  return [...owners.values()]
    .filter((names) => names.length > 1)
    .map((names) =>
      refusal(`${names.join(' and ')} have one address: Calico gives ${node.name} two peers with one name`),
    );
}
