// Which MTU tunnels and pods get from that of the host: docs/reference/datapath.md#mtu. Lengths are bytes.
import type { Interface } from '../../node-state/iproute/iproute.ts';
import { enabledEncapsulations, type Network } from './network.ts';

/** What each encapsulation takes from the MTU of the host. */
const overhead = { ipip: 20, vxlan4: 50, vxlan6: 70, wireguard4: 60, wireguard6: 80 } as const;

/** Felix's value when no interface of the host matches its pattern. */
const mtuWithoutInterface = 1460;

/** A regular expression from Felix's settings; undefined when it is invalid in JavaScript. */
function expressionOf(text: string): RegExp | undefined {
  try {
    return new RegExp(text);
  } catch {
    return undefined;
  }
}

/** The MTU that Felix takes as that of the host; undefined when its pattern is invalid. */
export function hostMtu(interfaces: readonly Interface[], pattern: string): number | undefined {
  const expression = expressionOf(pattern);
  if (expression === undefined) return undefined;
  const found = interfaces
    .filter(({ name, flags }) => expression.test(name) && flags.includes('UP'))
    .map(({ mtu }) => mtu)
    .filter((mtu) => mtu !== undefined);
  return found.length === 0 ? mtuWithoutInterface : Math.min(...found);
}

export interface ExpectedMtus {
  readonly ipip: number;
  readonly vxlan: Readonly<Record<4 | 6, number>>;
  /** The MTU of new pods. */
  readonly pod: number;
}

/** The MTUs on a node whose host has the MTU `host`. */
export function expectedMtus(network: Network, node: string, host: number): ExpectedMtus {
  const felix = network.felix(node);
  const ipip = felix.ipipMtu ?? host - overhead.ipip;
  const vxlan = { 4: felix.vxlanMtu ?? host - overhead.vxlan4, 6: felix.vxlanMtuV6 ?? host - overhead.vxlan6 };
  const enabled4 = enabledEncapsulations(network, node, 4);
  const enabled6 = enabledEncapsulations(network, node, 6);
  const all = [
    ...(enabled4.has('ipip') ? [ipip] : []),
    ...(enabled4.has('vxlan') ? [vxlan[4]] : []),
    ...(enabled6.has('vxlan') ? [vxlan[6]] : []),
    ...(felix.wireguard ? [felix.wireguardMtu ?? host - overhead.wireguard4] : []),
    ...(felix.wireguardV6 ? [felix.wireguardMtuV6 ?? host - overhead.wireguard6] : []),
  ];
  return { ipip, vxlan, pod: all.length === 0 ? host : Math.min(...all) };
}
