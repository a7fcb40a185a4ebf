// Tunnel devices of a node as seen, beside those that it must have: device, address, MTU, and of VXLAN its identity and
// what it knows of the other nodes.
import { formatIp } from '../../net/ip.ts';
import type { Interface, VxlanInterface } from '../../node-state/iproute/iproute.ts';
import { deviceOf, isSameAddress } from '../../node-state/lookups.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { Observed } from '../../node-state/probes.ts';
import type { ExpectedMtus } from '../expected/mtu.ts';
import { vxlanDevices } from '../expected/route-forms.ts';
import type { ExpectedVtep, TunnelDevice } from '../expected/tunnels.ts';
import { type Fact, type FactSpec, factOf, judged, none, notObserved } from './fact.ts';

const restartHint = 'restart calico-node on this node';
const linkCommand = (name: string): string[] => ['ip', '-d', 'link', 'show', 'dev', name];

function deviceFacts(device: TunnelDevice, interfaces: Observed<readonly Interface[]>): Fact[] {
  const { name, kind } = device;
  const spec: FactSpec = {
    ...{ subject: name, fact: 'device', expected: `${kind}, UP`, id: 'F54', severity: 'error' },
    command: linkCommand(name),
    hint: kind === 'ipip' ? 'load the module ipip; restart calico-node' : 'load the module vxlan; restart calico-node',
  };
  return [
    factOf(spec, interfaces, (all) => {
      const link = all.find((one) => one.name === name);
      if (link === undefined) return { seen: none, isRight: false };
      const isUp = link.flags.includes('UP');
      return { seen: `${link.kind ?? 'no tunnel'}, ${isUp ? 'UP' : 'DOWN'}`, isRight: isUp && link.kind === kind };
    }),
  ];
}

function addressFact(device: TunnelDevice, state: NodeState): Fact[] {
  const { name, address, version, needsAddress } = device;
  if (address === undefined && !needsAddress) return [];
  const base = { subject: name, fact: 'address', command: ['ip', 'addr', 'show', 'dev', name] };
  const hint = 'see the tunnel address of the Node and its allocation (calictl ipam check); restart calico-node';
  const missing: FactSpec = {
    ...{ ...base, id: 'F54', severity: 'error', hint },
    expected: address === undefined ? 'recorded on the Node' : formatIp(address),
  };
  if (address === undefined) return [judged(missing, 'not recorded', false)];
  return [
    factOf(missing, state.addresses, (all) => {
      const own = all.filter((entry) => entry.device === name && entry.address.version === version);
      const global = own.filter(({ scope }) => scope !== 'link');
      const right = global.length === 1 && isSameAddress(global[0]?.address, address);
      return { seen: global.map((entry) => formatIp(entry.address)).join(',') || none, isRight: right };
    }),
  ].map((fact) =>
    fact.verdict === 'wrong' && fact.seen !== none ? { ...fact, id: 'F55', severity: 'warning' } : fact,
  );
}

function mtuFact(
  device: TunnelDevice,
  interfaces: Observed<readonly Interface[]>,
  mtus: ExpectedMtus | undefined,
): Fact[] {
  const { name, kind, version } = device;
  const expected = mtus === undefined ? undefined : kind === 'ipip' ? mtus.ipip : mtus.vxlan[version];
  const spec: FactSpec = {
    ...{ subject: name, fact: 'MTU', expected: expected === undefined ? 'by that of the host' : String(expected) },
    ...{ id: 'F74', severity: 'warning', command: linkCommand(name) },
    hint: 'restart calico-node after a change of MTU settings or of the MTU of the host',
  };
  return [
    factOf(spec, interfaces, (all) => {
      const mtu = all.find((link) => link.name === name)?.mtu;
      if (expected === undefined) return { why: 'the MTU of the host is not known' };
      if (mtu === undefined) return { why: 'the device was not seen' };
      return { seen: String(mtu), isRight: mtu === expected };
    }),
  ].filter(
    (fact) =>
      !(fact.verdict === 'not observed' && interfaces.seen && !interfaces.value.some((link) => link.name === name)),
  );
}

const shown = (value: unknown): string => (value === undefined ? none : String(value));

/** Identity of a VXLAN device: what the other nodes send to, and whom it collides with. */
function identityFacts(device: TunnelDevice, state: NodeState): Fact[] {
  const { name, vxlan } = device;
  const { interfaces, addresses } = state;
  const link = interfaces.seen ? interfaces.value.find((one) => one.name === name) : undefined;
  if (vxlan === undefined || link === undefined || link.kind !== 'vxlan') return [];
  const parent = addresses.seen && vxlan.local !== undefined ? deviceOf(addresses.value, vxlan.local) : undefined;
  const command = linkCommand(name);
  const spec = (fact: string, expected: string, id: string, hint = restartHint): FactSpec => ({
    ...{ subject: name, fact, expected, id, severity: 'error', command, hint },
  });
  const seen: Partial<VxlanInterface> = link.vxlan ?? {};
  const parentSpec = spec('parent', parent ?? 'the interface with the address of the node', 'F119');
  return [
    judged(spec('VNI', String(vxlan.id), 'F54'), shown(seen.id), seen.id === vxlan.id),
    judged(spec('port', String(vxlan.port), 'F54'), shown(seen.port), seen.port === vxlan.port),
    judged(spec('MAC', vxlan.mac, 'F58'), link.mac ?? none, link.mac === vxlan.mac),
    judged(
      spec('local address', vxlan.local === undefined ? none : formatIp(vxlan.local), 'F119'),
      seen.local === undefined ? none : formatIp(seen.local),
      isSameAddress(seen.local, vxlan.local),
    ),
    parent === undefined
      ? notObserved(parentSpec, addresses.seen ? 'no interface has the address of the node' : addresses.why)
      : judged(parentSpec, seen.parent ?? none, seen.parent === parent),
    judged(spec('learning', 'off', 'F54'), seen.learning === true ? 'on' : 'off', seen.learning !== true),
  ];
}

function peerFacts(device: TunnelDevice, peer: ExpectedVtep, state: NodeState, hasFdb: boolean): Fact[] {
  const { name } = device;
  const hint = `restart calico-node; see the VXLAN address and MAC of ${peer.node}`;
  const base = { subject: name, severity: 'error' as const, hint, peer: peer.node };
  const address = formatIp(peer.tunnelAddress);
  const neighbour = factOf(
    {
      ...{ ...base, fact: `neighbour of ${peer.node}`, expected: `${address} ${peer.mac} permanent`, id: 'F58' },
      command: ['ip', 'neigh', 'show', 'dev', name],
    },
    state.neighbours,
    (all) => {
      const entry = all.find(
        (one) => isSameAddress(one.address, peer.tunnelAddress) && (one.device === undefined || one.device === name),
      );
      if (entry === undefined) return { seen: none, isRight: false };
      const isPermanent = entry.states.includes('PERMANENT');
      return {
        seen: `${address} ${entry.mac ?? 'no MAC'} ${entry.states.join(',').toLowerCase()}`,
        isRight: isPermanent && entry.mac === peer.mac,
      };
    },
  );
  if (!hasFdb) return [neighbour];
  const destination = formatIp(peer.destination);
  const forwarding = factOf(
    {
      ...{ ...base, fact: `forwarding entry of ${peer.node}`, expected: `${peer.mac} to ${destination}`, id: 'F57' },
      command: ['ip', '-f', 'bridge', 'neigh', 'show', 'dev', name],
    },
    state.fdb,
    (all) => {
      const entries = all.filter(
        (one) =>
          one.mac === peer.mac && (one.device === undefined || one.device === name) && one.destination !== undefined,
      );
      const right = entries.some((one) => isSameAddress(one.destination, peer.destination));
      const seen = entries.map(
        (one) => `${one.mac} to ${one.destination === undefined ? none : formatIp(one.destination)}`,
      );
      return { seen: seen.join(', ') || none, isRight: right };
    },
  );
  return [neighbour, forwarding];
}

/** F71: another VXLAN device with the same VNI on the same port. */
function collisionFacts(devices: readonly TunnelDevice[], interfaces: Observed<readonly Interface[]>): Fact[] {
  const own = devices.find(({ vxlan }) => vxlan !== undefined)?.vxlan;
  if (own === undefined || !interfaces.seen) return [];
  const names: readonly string[] = Object.values(vxlanDevices);
  return interfaces.value
    .filter(({ name, vxlan }) => !names.includes(name) && vxlan?.id === own.id && (vxlan.port ?? own.port) === own.port)
    .map(({ name }) =>
      judged(
        {
          ...{ subject: name, fact: 'VXLAN device of others', expected: `not VNI ${own.id} on port ${own.port}` },
          ...{ id: 'F71', severity: 'error', command: linkCommand(name) },
          hint: 'change vxlanVNI or vxlanPort of FelixConfiguration, or remove the other user (flannel, Docker Swarm)',
        },
        `VNI ${own.id} on port ${own.port}`,
        false,
      ),
    );
}

/** All facts of the tunnels of a node. `bpf`: one device without identity carries both families. */
export function tunnelFacts(
  devices: readonly TunnelDevice[],
  state: NodeState,
  mtus: ExpectedMtus | undefined,
  bpf: boolean,
): readonly Fact[] {
  const facts = devices.flatMap((device) => {
    // Felix makes the device when the node has its address.
    if (device.address === undefined) return addressFact(device, state);
    return [
      ...deviceFacts(device, state.interfaces),
      ...addressFact(device, state),
      ...mtuFact(device, state.interfaces, mtus),
      ...(bpf ? [] : identityFacts(device, state)),
      ...(device.vxlan?.peers ?? []).flatMap((peer) => peerFacts(device, peer, state, !bpf)),
    ];
  });
  return [...facts, ...collisionFacts(devices, state.interfaces)];
}
