// Settings of Felix in the environment of calico-node, which wins over FelixConfiguration: those that matter here, by the
// rules of Felix. None of them is a secret. docs/reference/installations.md#settings-by-environment

import { calicoNodeEnvironment } from '../../resources/convert/calico-node-environment.ts';
import type { FelixConfigurationSpec } from '../../resources/kinds/felix-configuration.ts';
import type { Pod } from '../../resources/kinds/pod.ts';

type Field = keyof FelixConfigurationSpec;
type Read = (text: string) => boolean | number | string | undefined;

const asText: Read = (text) => text;
const asNumber: Read = (text) => (/^\d+$/.test(text) ? Number(text) : undefined);
const asFlag: Read = (text) =>
  /^(true|1|yes|y|t)$/i.test(text) ? true : /^(false|0|no|n|f)$/i.test(text) ? false : undefined;
/** Felix takes such values in any case. */
const oneOf =
  (...values: string[]): Read =>
  (text) =>
    values.find((value) => value.toLowerCase() === text.toLowerCase());

/** Fields of FelixConfiguration by the variable that sets them. */
const variables: readonly (readonly [variable: string, field: Field, read: Read])[] = [
  ['FELIX_INTERFACEPREFIX', 'interfacePrefix', asText],
  ['FELIX_MTUIFACEPATTERN', 'mtuIfacePattern', asText],
  ['FELIX_IPINIPENABLED', 'ipipEnabled', asFlag],
  ['FELIX_IPINIPMTU', 'ipipMTU', asNumber],
  ['FELIX_VXLANENABLED', 'vxlanEnabled', asFlag],
  ['FELIX_VXLANMTU', 'vxlanMTU', asNumber],
  ['FELIX_VXLANMTUV6', 'vxlanMTUV6', asNumber],
  ['FELIX_VXLANPORT', 'vxlanPort', asNumber],
  ['FELIX_VXLANVNI', 'vxlanVNI', asNumber],
  ['FELIX_WIREGUARDENABLED', 'wireguardEnabled', asFlag],
  ['FELIX_WIREGUARDENABLEDV6', 'wireguardEnabledV6', asFlag],
  ['FELIX_WIREGUARDMTU', 'wireguardMTU', asNumber],
  ['FELIX_WIREGUARDMTUV6', 'wireguardMTUV6', asNumber],
  ['FELIX_WIREGUARDROUTINGRULEPRIORITY', 'wireguardRoutingRulePriority', asNumber],
  ['FELIX_DEVICEROUTEPROTOCOL', 'deviceRouteProtocol', asNumber],
  ['FELIX_PROGRAMCLUSTERROUTES', 'programClusterRoutes', asText],
  ['FELIX_ROUTESOURCE', 'routeSource', oneOf('WorkloadIPs', 'CalicoIPAM')],
  ['FELIX_ROUTESYNCDISABLED', 'routeSyncDisabled', asFlag],
  ['FELIX_BPFENABLED', 'bpfEnabled', asFlag],
  ['FELIX_NFTABLESMODE', 'nftablesMode', oneOf('Enabled', 'Disabled', 'Auto')],
];

/** The fields that the environment sets. A value that Felix would not understand sets nothing. */
function fieldsOf(environment: Readonly<Record<string, string>>): FelixConfigurationSpec {
  const set = variables.flatMap(([variable, field, read]) => {
    const value = read(environment[variable]?.trim() ?? '');
    return value === undefined || value === '' ? [] : [[field, value] as const];
  });
  return Object.fromEntries(set) as FelixConfigurationSpec;
}

/** By node, what the environment of its calico-node sets. Nodes whose calico-node sets nothing are left out. */
export function felixEnvironments(pods: readonly Pod[]): ReadonlyMap<string, FelixConfigurationSpec> {
  return new Map(
    pods.flatMap((pod) => {
      const environment = calicoNodeEnvironment(pod);
      const node = pod.spec?.nodeName;
      if (environment === undefined || node === undefined) return [];
      const fields = fieldsOf(environment);
      return Object.keys(fields).length === 0 ? [] : [[node, fields] as const];
    }),
  );
}
