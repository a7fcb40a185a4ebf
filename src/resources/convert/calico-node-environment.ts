// The environment of calico-node, as its pods state it: only variables that are read here, none of which is a secret.
import type { Pod } from '../kinds/pod.ts';

/** The container of calico-node, under every installer. */
export const calicoNodeContainer = 'calico-node';

/** True for a variable of calico-node that is kept: settings of Felix and BIRD, and how the node finds its address. */
export const isKeptVariable = (name: string): boolean =>
  /^FELIX_(INTERFACEPREFIX|MTUIFACEPATTERN|IPINIP(ENABLED|MTU)|VXLAN(ENABLED|MTU|MTUV6|PORT|VNI)|WIREGUARD(ENABLED|ENABLEDV6|MTU|MTUV6|ROUTINGRULEPRIORITY)|DEVICEROUTEPROTOCOL|PROGRAMCLUSTERROUTES|ROUTESOURCE|ROUTESYNCDISABLED|BPFENABLED|NFTABLESMODE)$/.test(
    name,
  ) || /^(IP6?|IP6?_AUTODETECTION_METHOD|CALICO_(NETWORKING_BACKEND|ROUTER_ID|ROUTER_ID_V6)|USE_POD_CIDR)$/.test(name);

/** The kept variables of a pod of calico-node; undefined for any other pod. */
export function calicoNodeEnvironment({ spec, metadata }: Pod): Readonly<Record<string, string>> | undefined {
  if (metadata.deletionTimestamp) return undefined;
  const container = (spec?.containers ?? []).find(({ name }) => name === calicoNodeContainer);
  if (container === undefined) return undefined;
  const variables = (container.env ?? []).flatMap(({ name = '', value }) =>
    value === undefined || !isKeptVariable(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(variables);
}
