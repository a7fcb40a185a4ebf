// The addresses of services that a node advertises, and the ranges that it keeps out of its kernel
// (docs/reference/bird.md#services).
import { type Cidr, cidrContains, parseCidr } from '../net/cidr.ts';
import { parseIp } from '../net/ip.ts';
import { nodeLabels } from '../resources/convert/node-v3.ts';
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import type { EndpointSlice } from '../resources/kinds/endpoint-slice.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import type { Service } from '../resources/kinds/service.ts';
import { groupBy } from '../text/group-by.ts';
import { type BirdEnvironment, type BirdObjects, compareBytes } from './objects.ts';

/** CIDRs as text, of both families, each list in Calico's order. */
export interface ServiceRoutes {
  readonly advertised: readonly string[];
  readonly rejected: readonly string[];
}

/** A node with this label does not take part in advertising services. */
const excluding = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** The ranges of a field; none when one of them cannot be parsed, since Calico then takes none of them. */
function rangesIn(entries: readonly { readonly cidr?: string | undefined }[] | null | undefined): readonly string[] {
  const texts = (entries ?? []).map(({ cidr }) => cidr ?? '');
  return texts.every((text) => parseCidr(text) !== undefined) ? texts : [];
}

const isSingle = (range: string): boolean => range.endsWith(range.includes(':') ? '/128' : '/32');

interface Ranges {
  readonly cluster: readonly string[];
  readonly external: readonly string[];
  readonly loadBalancer: readonly string[];
  /** False when each load balancer address is advertised by itself. */
  readonly aggregated: boolean;
}

/**
 * The ranges that are configured. CALICO_ADVERTISE_CLUSTER_IPS makes Calico ignore those of cluster addresses, and its own
 * range is withdrawn as soon as Calico has read the Node.
 */
function configuredRanges(spec: BGPConfiguration['spec'] | undefined, environment: BirdEnvironment): Ranges {
  return {
    cluster: environment.CALICO_ADVERTISE_CLUSTER_IPS ? [] : rangesIn(spec?.serviceClusterIPs),
    external: rangesIn(spec?.serviceExternalIPs),
    loadBalancer: rangesIn(spec?.serviceLoadBalancerIPs),
    aggregated: spec?.serviceLoadBalancerAggregation !== 'Disabled',
  };
}

const containing = (ranges: readonly string[], address: string | undefined): readonly Cidr[] => {
  const ip = parseIp(address ?? '');
  if (ip === undefined) return [];
  return ranges.flatMap((range) => {
    const cidr = parseCidr(range);
    return cidr !== undefined && cidrContains(cidr, ip) ? [cidr] : [];
  });
};

/** The address is in an entry of its own. */
const isNamed = (ranges: readonly string[], address: string | undefined): boolean =>
  containing(ranges, address).some(({ version, prefix }) => prefix === (version === 4 ? 32 : 128));

/** The addresses of the service that may be advertised. */
function addressesOf({ spec, status }: Service, ranges: Ranges): string[] {
  const cluster = ranges.cluster.length === 0 ? [] : (spec?.clusterIPs ?? [spec?.clusterIP ?? '']);
  const external = (spec?.externalIPs ?? []).filter((ip) => containing(ranges.external, ip).length > 0);
  const assigned = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
  const loadBalancer = assigned.filter((ip) => containing(ranges.loadBalancer, ip).length > 0);
  return [...cluster, ...external, ...loadBalancer].filter((ip) => parseIp(ip) !== undefined);
}

function isAdvertised({ spec }: Service, slices: readonly EndpointSlice[], ranges: Ranges, node: string): boolean {
  const { type = 'ClusterIP', clusterIP = '', externalTrafficPolicy: policy, ipFamilies = [] } = spec ?? {};
  if (!['ClusterIP', 'NodePort', 'LoadBalancer'].includes(type)) return false;
  if (clusterIP === '' || clusterIP === 'None' || slices.length === 0) return false;
  if (policy === 'Cluster') {
    if (type === 'LoadBalancer' && isNamed(ranges.loadBalancer, spec?.loadBalancerIP)) return true;
    if ((spec?.externalIPs ?? []).some((ip) => isNamed(ranges.external, ip))) return true;
  }
  if (policy !== 'Local') {
    return !ranges.aggregated && slices.some(({ endpoints }) => (endpoints ?? []).length > 0);
  }
  return slices.some(
    ({ addressType = '', endpoints }) =>
      (ipFamilies ?? []).includes(addressType) && (endpoints ?? []).some(({ nodeName }) => nodeName === node),
  );
}

/** What the node advertises of services, and keeps out of its kernel. */
export function serviceRoutes(
  node: CoreNode,
  spec: BGPConfiguration['spec'] | undefined,
  { services, endpointSlices }: Pick<BirdObjects, 'services' | 'endpointSlices'>,
  environment: BirdEnvironment,
): ServiceRoutes {
  const ranges = configuredRanges(spec, environment);
  const isExcluded = nodeLabels(node)[excluding] === 'true';
  const whole = [
    ...ranges.cluster,
    ...ranges.external.filter((range) => !isSingle(range)),
    ...(ranges.aggregated ? ranges.loadBalancer.filter((range) => !isSingle(range)) : []),
  ];
  const isOn = ranges.cluster.length + ranges.external.length + ranges.loadBalancer.length > 0;
  const slicesOf = groupBy(
    endpointSlices,
    ({ metadata }) => `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name'] ?? ''}`,
  );
  const nodeName = environment.CALICO_K8S_NODE_REF || node.metadata.name;
  const single = (isOn && !isExcluded ? services : [])
    .filter((service) => {
      const slices = slicesOf.get(`${service.metadata.namespace}/${service.metadata.name}`) ?? [];
      return isAdvertised(service, slices, ranges, nodeName);
    })
    .flatMap((service) => addressesOf(service, ranges).map((ip) => `${ip}/${ip.includes(':') ? 128 : 32}`));
  return { advertised: inOrder(isExcluded ? [] : [...whole, ...single]), rejected: inOrder(whole) };
}

/** Each once, in the order of Calico's keys, in which the length follows a hyphen. */
export function inOrder(cidrs: readonly string[]): string[] {
  const keyOf = (cidr: string): string => cidr.replace('/', '-');
  return [...new Set(cidrs)].sort((a, b) => compareBytes(keyOf(a), keyOf(b)));
}
