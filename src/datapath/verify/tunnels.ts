// Tunnel devices of a node as seen, against those that it must have: device, address, MTU, and for VXLAN the device's
// identity and what it knows of other nodes.
import { endingAdvice } from '../../faults/ending-advice.ts';
import { faults, type NodeFault } from '../../faults/faults.ts';
import { formatIp } from '../../net/ip.ts';
import type { Interface, VxlanInterface } from '../../node-state/iproute/iproute.ts';
import { deviceOf, isSameAddress } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import type { FelixSettings } from '../expected/felix-settings.ts';
import type { ExpectedMtus } from '../expected/mtu.ts';
import type { NetworkNode } from '../expected/network.ts';
import { vxlanDevices } from '../expected/route-forms.ts';
import type { ExpectedVtep, TunnelDevice } from '../expected/tunnels.ts';
import { deviceDownHint, deviceMissingHint } from '../routes/comparison.ts';
import { isWorkloadDevice } from '../routes/foreign.ts';
import { type Fact, type FactSpec, factOf, judged, none, notObserved } from './fact.ts';

const linkCommand = (name: string): string[] => ['ip', '-d', 'link', 'show', 'dev', name];

function deviceFacts(device: TunnelDevice, interfaces: Observed<readonly Interface[]>): Fact[] {
  const { name, kind } = device;
  const spec: FactSpec = {
    fault: faults.tunnelUnusable,
    subject: name,
    fact: 'device',
    expected: `${kind}, UP`,
    hint: deviceMissingHint(name),
    command: linkCommand(name),
  };
  const isDown =
    interfaces.seen &&
    interfaces.value.some((one) => one.name === name && one.kind === kind && !one.flags.includes('UP'));
  return [
    factOf(isDown ? { ...spec, hint: deviceDownHint(name) } : spec, interfaces, (all) => {
      const found = all.find((one) => one.name === name);
      if (found === undefined) return { seen: none, isRight: false };
      const isUp = found.flags.includes('UP');
      const seen = `${found.kind ?? 'not a tunnel'}, ${isUp ? 'UP' : 'DOWN'}`;
      return { seen, isRight: isUp && found.kind === kind };
    }),
  ];
}

function addressFact(device: TunnelDevice, { addresses }: NodeState): Fact[] {
  const { name, address, version, needsAddress } = device;
  if (address === undefined && !needsAddress) return [];
  const missing: FactSpec = {
    fault: faults.tunnelUnusable,
    subject: name,
    fact: 'address',
    expected: address === undefined ? 'recorded on the Node' : formatIp(address),
    hint: `check the tunnel address of the Node and its allocation (calictl ipam check); ${endingAdvice.restartForDevice.hint}`,
    command: ['ip', 'addr', 'show', 'dev', name],
  };
  if (address === undefined) return [judged(missing, 'not recorded', false)];
  if (!addresses.seen) return [notObserved(missing, addresses.why)];
  const found = addresses.value.filter(
    (entry) => entry.device === name && entry.address.version === version && entry.scope !== 'link',
  );
  if (found.length === 0) return [judged(missing, none, false)];
  const isRight = found.length === 1 && isSameAddress(found[0]?.address, address);
  const seen = found.map((entry) => formatIp(entry.address)).join(',');
  return [judged({ ...missing, fault: faults.tunnelAddressWrong }, seen, isRight)];
}

/** The largest MTU of the pods of a node; without pods, that of new ones. */
function largestPodMtu({ interfaces, mtu }: NodeState, { interfacePrefixes }: FelixSettings): number | undefined {
  const pods = (interfaces.seen ? interfaces.value : []).filter(({ name }) =>
    isWorkloadDevice(name, interfacePrefixes),
  );
  const mtus = pods.flatMap((one) => one.mtu ?? []);
  if (mtus.length > 0) return Math.max(...mtus);
  return mtu.seen ? mtu.value : undefined;
}

function mtuFact(
  device: TunnelDevice,
  interfaces: Observed<readonly Interface[]>,
  mtus: ExpectedMtus | undefined,
  podMtu: number | undefined,
): Fact[] {
  const { name, kind, version } = device;
  const expected = mtus === undefined ? undefined : kind === 'ipip' ? mtus.ipip : mtus.vxlan[version];
  const spec: FactSpec = {
    fault: faults.mtuWrong,
    subject: name,
    fact: 'MTU',
    expected: expected === undefined ? 'derived from that of the host' : String(expected),
    hint: endingAdvice.restartForMtu.hint,
    command: linkCommand(name),
  };
  // A device that is missing has a fact of its own.
  if (interfaces.seen && !interfaces.value.some((one) => one.name === name)) return [];
  return [
    factOf(spec, interfaces, (all) => {
      const mtu = all.find((one) => one.name === name)?.mtu;
      if (expected === undefined) return { why: 'the MTU of the host is not known' };
      if (mtu === undefined) return { why: 'the MTU of the device was not read' };
      // Smaller than need be loses nothing as long as pods keep to it: the environment may say so.
      return { seen: String(mtu), isRight: mtu === expected || (mtu < expected && (podMtu ?? mtu) <= mtu) };
    }),
  ];
}

const shown = (value: unknown): string => (value === undefined ? none : String(value));

/** Identity of a VXLAN device: what the other nodes send to, and where it sends from. */
function identityFacts(device: TunnelDevice, state: NodeState): Fact[] {
  const { name, vxlan } = device;
  const { interfaces, addresses } = state;
  const found = interfaces.seen ? interfaces.value.find((one) => one.name === name) : undefined;
  if (vxlan === undefined || found === undefined || found.kind !== 'vxlan') return [];
  const parent = addresses.seen && vxlan.local !== undefined ? deviceOf(addresses.value, vxlan.local) : undefined;
  const spec = (fault: NodeFault, fact: string, expected: string): FactSpec => ({
    fault,
    subject: name,
    fact,
    expected,
    hint: endingAdvice.restartForDevice.hint,
    command: linkCommand(name),
  });
  const seen: Partial<VxlanInterface> = found.vxlan ?? {};
  const macSpec: FactSpec = {
    ...spec(faults.vtepMacWrong, 'MAC', vxlan.mac),
    hint: `udev or systemd gives devices MAC addresses of its own: set MACAddressPolicy=none for ${name} in a file of /etc/systemd/network (*.link); ${endingAdvice.restartForDevice.hint}`,
  };
  const parentSpec = spec(faults.vxlanUnderlayWrong, 'parent', parent ?? 'the interface with the address of the node');
  return [
    judged(spec(faults.tunnelUnusable, 'VNI', String(vxlan.id)), shown(seen.id), seen.id === vxlan.id),
    judged(spec(faults.tunnelUnusable, 'port', String(vxlan.port)), shown(seen.port), seen.port === vxlan.port),
    judged(macSpec, found.mac ?? none, found.mac === vxlan.mac),
    judged(
      spec(faults.vxlanUnderlayWrong, 'local address', vxlan.local === undefined ? none : formatIp(vxlan.local)),
      seen.local === undefined ? none : formatIp(seen.local),
      isSameAddress(seen.local, vxlan.local),
    ),
    parent === undefined
      ? notObserved(parentSpec, addresses.seen ? 'no interface has the address of the node' : addresses.why)
      : judged(parentSpec, seen.parent ?? none, seen.parent === parent),
    judged(
      spec(faults.tunnelUnusable, 'learning', 'off'),
      seen.learning === true ? 'on' : 'off',
      seen.learning !== true,
    ),
  ];
}

/** What a VXLAN device knows of another node: its neighbour entry, and unless in eBPF mode its forwarding entry. */
function peerFacts(device: TunnelDevice, peer: ExpectedVtep, state: NodeState, hasFdb: boolean): Fact[] {
  const { name } = device;
  const base = {
    subject: name,
    hint: `check the VXLAN address and MAC of ${peer.node}; ${endingAdvice.restartForRoutes.hint}`,
    peer: peer.node,
  };
  const isOfDevice = (one: { readonly device: string | undefined }): boolean =>
    one.device === undefined || one.device === name;
  const address = formatIp(peer.tunnelAddress);
  const neighbourSpec: FactSpec = {
    ...base,
    fault: faults.vtepMacWrong,
    fact: `neighbour of ${peer.node}`,
    expected: `${address} ${peer.mac} permanent`,
    command: ['ip', 'neigh', 'show', 'dev', name],
    remedy: { type: 'neighbour', side: 'node', address: peer.tunnelAddress, mac: peer.mac, device: name },
  };
  const neighbour = factOf(neighbourSpec, state.neighbours, (all) => {
    const entry = all.find((one) => isSameAddress(one.address, peer.tunnelAddress) && isOfDevice(one));
    if (entry === undefined) return { seen: none, isRight: false };
    const isPermanent = entry.states.includes('PERMANENT');
    return {
      seen: `${address} ${entry.mac ?? 'no MAC'} ${entry.states.join(',').toLowerCase()}`,
      isRight: isPermanent && entry.mac === peer.mac,
    };
  });
  if (!hasFdb) return [neighbour];
  const forwardingSpec: FactSpec = {
    ...base,
    fault: faults.forwardingEntryMissing,
    fact: `forwarding entry of ${peer.node}`,
    expected: `${peer.mac} to ${formatIp(peer.destination)}`,
    command: ['ip', '-f', 'bridge', 'neigh', 'show', 'dev', name],
    remedy: { type: 'forwarding', side: 'node', mac: peer.mac, destination: peer.destination, device: name },
  };
  const forwarding = factOf(forwardingSpec, state.fdb, (all) => {
    const destinations = all.flatMap((one) => (one.mac === peer.mac && isOfDevice(one) ? (one.destination ?? []) : []));
    return {
      seen: destinations.map((destination) => `${peer.mac} to ${formatIp(destination)}`).join(', ') || none,
      isRight: destinations.some((destination) => isSameAddress(destination, peer.destination)),
    };
  });
  return [neighbour, forwarding];
}

/** F71: another VXLAN device with the same VNI on the same port. */
function collisionFacts(devices: readonly TunnelDevice[], interfaces: Observed<readonly Interface[]>): Fact[] {
  const own = devices.find(({ vxlan }) => vxlan !== undefined)?.vxlan;
  if (own === undefined || !interfaces.seen) return [];
  const names: readonly string[] = Object.values(vxlanDevices);
  return interfaces.value
    .filter(({ name, vxlan }) => !names.includes(name) && vxlan?.id === own.id && (vxlan.port ?? own.port) === own.port)
    .map(({ name }) => {
      const spec: FactSpec = {
        fault: faults.vxlanCollision,
        subject: name,
        fact: 'foreign VXLAN device',
        expected: `not VNI ${own.id} on port ${own.port}`,
        hint: 'change vxlanVNI or vxlanPort of FelixConfiguration, so that it no longer collides with that of the other program (flannel, Docker Swarm)',
        command: linkCommand(name),
      };
      return judged(spec, `VNI ${own.id} on port ${own.port}`, false);
    });
}

/** All facts of a node's tunnels. In eBPF mode one device without an identity carries both families. */
export function tunnelFacts(
  devices: readonly TunnelDevice[],
  state: NodeState,
  mtus: ExpectedMtus | undefined,
  felix: FelixSettings,
): readonly Fact[] {
  const { bpf } = felix;
  const facts = devices.flatMap((device) => {
    // Felix creates the device once the node has its tunnel address.
    if (device.address === undefined) return addressFact(device, state);
    return [
      ...deviceFacts(device, state.interfaces),
      ...addressFact(device, state),
      ...mtuFact(device, state.interfaces, mtus, largestPodMtu(state, felix)),
      ...(bpf ? [] : identityFacts(device, state)),
      ...(device.vxlan?.peers ?? []).flatMap((peer) => peerFacts(device, peer, state, !bpf)),
    ];
  });
  return [...facts, ...collisionFacts(devices, state.interfaces)];
}

/** F83: what a node must have while WireGuard is enabled: device, key, rule. Felix notes the key when the device works. */
export function wireguardFacts(
  { wireguard, wireguardV6, wireguardRulePriority }: FelixSettings,
  node: NetworkNode,
  state: NodeState,
): Fact[] {
  const wanted = [
    ...(wireguard ? [{ version: 4 as const, name: 'wireguard.cali', rules: state.rules4 }] : []),
    ...(wireguardV6 ? [{ version: 6 as const, name: 'wg-v6.cali', rules: state.rules6 }] : []),
  ];
  return wanted.flatMap(({ version, name, rules }): Fact[] => {
    if (node.addresses[version] === undefined) return [];
    const hint =
      'check that the kernel of the node has WireGuard (modprobe wireguard), and read the log of calico-node there: packets from and to it are not encrypted';
    const base = { fault: faults.wireguardUnusable, subject: name, hint };
    const key = node.wireguardKeys[version];
    const device = factOf(
      { ...base, fact: 'device', expected: 'wireguard, UP', command: linkCommand(name) },
      state.interfaces,
      (all) => {
        const found = all.find((one) => one.name === name);
        const isUp = found?.flags.includes('UP') === true;
        const keyless = key === undefined ? ', no public key in the Node' : '';
        if (found === undefined) return { seen: `${none}${keyless}`, isRight: false };
        return { seen: `${isUp ? 'UP' : 'DOWN'}${keyless}`, isRight: isUp && key !== undefined };
      },
    );
    // Without a device that works there is no rule either.
    if (device.verdict !== 'ok') return [device];
    const spec: FactSpec = {
      ...base,
      fact: 'rule to its table',
      expected: `priority ${wireguardRulePriority}`,
      hint: 'read the log of calico-node there, and find out what changes the rules of the node (ip rule show): without this one packets to pods are not encrypted',
      command: ['ip', `-${version}`, 'rule', 'show'],
    };
    const rule = factOf(spec, rules, (all) => {
      // Its mark sets it apart: it holds for what WireGuard has not encrypted yet.
      const found = all.find(({ not, mark }) => not && mark !== undefined);
      return { seen: found === undefined ? none : `priority ${found.priority}`, isRight: found !== undefined };
    });
    return [device, rule];
  });
}
