// The fields of Calico 2's own kinds of objects (apiVersion: v1), with the checks that calicoctl makes of each.

import { parseInterface } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import {
  asNumber,
  cidr,
  type FieldTable,
  field,
  flag,
  integer,
  integerOrText,
  ipAddress,
  list,
  map,
  number,
  object,
  oneOf,
  type ScalarType,
  selector as selectorText,
  type Tag,
  tagged,
  text,
} from '../field.ts';
import type { FieldPath } from '../field-path.ts';
import { problem, type RuleProblem, tagReason } from '../rules/rule-problem.ts';
import { isPortName, needed, tags } from '../rules/tags.ts';
import { entityProblems, icmpProblems, natProblems, portProblems, ruleProblems } from './rules.ts';

/** The text of an address, or undefined; without one, the field is not set. */
function readAddress(given: string): { readonly value?: string; readonly error?: string } {
  if (given === '') return {};
  const read = parseIp(given);
  return read === undefined ? { error: `invalid IP address: ${given}` } : { value: formatIp(read) };
}

/** An address with a prefix length, whose host bits stay. */
function readNet(given: string): { readonly value?: string; readonly error?: string } {
  const address = parseIp(given);
  if (address !== undefined) return { value: `${formatIp(address)}/${address.version === 4 ? 32 : 128}` };
  const read = parseInterface(given);
  if (read === undefined) return { error: `invalid CIDR address: ${given}` };
  return { value: `${formatIp(read.address)}/${read.cidr.prefix}` };
}

const macAddress =
  /^(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}(?:[\da-f]{2}\1[\da-f]{2}\1)?[\da-f]{2}|(?:[\da-f]{4}\.){2,3}[\da-f]{4})$/i;

function readMac(given: string): { readonly value?: string; readonly error?: string } {
  if (!macAddress.test(given)) return { error: `address ${given}: invalid MAC address` };
  const digits = given.toLowerCase().replace(/[^\da-f]/g, '');
  return { value: (digits.match(/../g) ?? []).join(':') };
}

const ip = { ...ipAddress, read: readAddress };
const net = { ...cidr, read: readNet };
const mac = { ...text, format: 'MAC address', read: readMac };

/** A check of a text by a pattern. */
const pattern = (name: string, accepts: RegExp, message: string): Tag => ({
  name,
  accepts: (value) => accepts.test(String(value)),
  message,
});

const characters = "must have at most 128 letters, digits, '_', '.' and '-'";
const plainName = tagged(text, pattern('name', /^[a-zA-Z0-9_.-]{1,128}$/, characters));
const pathName = tagged(text, pattern('namespacedName', /^[a-zA-Z0-9_./-]{1,128}$/, `${characters}, and '/'`));
const tag = tagged(text, pattern('tag', /^[a-zA-Z0-9_.-]{1,128}$/, characters));
const selector = tagged(selectorText, tags.selector);
const interfaceName = tagged(text, tags.interface);

const isLabelKey = (key: string): boolean => /^[a-zA-Z0-9_./-]{1,512}$/.test(key);
const isLabelValue = (value: string): boolean => /^[a-zA-Z0-9_.-]{0,63}$/.test(value);

const labels = map(text, {
  name: 'labels',
  accepts: (value) =>
    Object.entries(value as Record<string, string>).every(([key, one]) => isLabelKey(key) && isLabelValue(one)),
  message: "must have keys and values of letters, digits, '_', '.', '-', and '/' in keys",
});

const protocolNames = ['tcp', 'udp', 'icmp', 'icmpv6', 'sctp', 'udplite'] as const;

function protocolProblems(value: string | number | bigint | boolean, at: FieldPath): RuleProblem[] {
  const isName = typeof value === 'string';
  if (isName ? (protocolNames as readonly string[]).includes(value) : Number(value) >= 1) return [];
  const reason = isName ? 'protocol name invalid' : 'protocol number invalid';
  const words = `must be one of ${protocolNames.join(', ')}, or a number from 1 to 255`;
  return [problem(at, words, { field: 'Protocol', value, reason })];
}

const protocol = {
  ...integerOrText,
  format: 'protocol: tcp, udp, icmp, icmpv6, sctp, udplite or a number from 1 to 255',
  problems: protocolProblems,
};

function portRangeProblems(value: string | number | bigint | boolean, at: FieldPath): RuleProblem[] {
  const given = String(value);
  const [, low, high] = /^(\d+)(?::(\d+))?$/.exec(given) ?? [];
  if (low === undefined) {
    if (isPortName(given)) return [];
    return [
      problem(at, tags.portName.message, {
        field: 'PortName',
        value: given,
        reason: tagReason('PortName', 'portName'),
      }),
    ];
  }
  const from = Number(low);
  const to = Number(high ?? low);
  if (from >= 1 && to <= 65535) return [];
  const reason = 'port range invalid, port number must be between 0 and 65536';
  return [...new Set([from, to])].map((port) =>
    problem(at, 'must be from 1 to 65535', { field: 'Port', value: port, reason }),
  );
}

const ports = list({ ...integerOrText, format: 'port', problems: portRangeProblems });

const bounded = (name: string, max: number): ScalarType<number> =>
  tagged(integer({ min: 0, max }), {
    name,
    accepts: (value) => Number(value) >= 0 && Number(value) <= max,
    message: `must be from 0 to ${max}`,
  });

const icmp = object(
  { type: field(bounded('gte', 254), 'ICMP type.'), code: field(bounded('gte', 255), 'ICMP code; needs type.') },
  { struct: 'ICMPFields', go: 'v1.ICMPFields', check: icmpProblems },
);

const entity = object(
  {
    tag: field(tag, 'Tag of the profiles of the endpoints that match.'),
    net: field(net, 'Addresses that match, as a CIDR.'),
    nets: field(list(net), 'Addresses that match, as CIDRs.'),
    selector: field(selector, 'Labels of the endpoints that match.'),
    ports: field(ports, 'Ports that match.'),
    notTag: field(tag, 'Tag of the profiles of the endpoints that do not match.'),
    notNet: field(net, 'Addresses that do not match, as a CIDR.'),
    notNets: field(list(net), 'Addresses that do not match, as CIDRs.'),
    notSelector: field(selector, 'Labels of the endpoints that do not match.'),
    notPorts: field(ports, 'Ports that do not match.'),
  },
  { struct: 'EntityRule', go: 'v1.EntityRule', check: entityProblems },
);

const actions = ['allow', 'deny', 'log', 'pass'];
const action = {
  name: 'action',
  accepts: (value: unknown) => actions.includes(String(value)),
  message: `must be one of ${actions.join(', ')}`,
};

const rules = list(
  object(
    {
      action: field(needed(tagged(text, action)), 'What happens to packets that match.'),
      ipVersion: field(tagged(integer(), tags.ipVersion), 'IP version of the packets: 4 or 6.'),
      protocol: field(protocol, 'Protocol of the packets.'),
      icmp: field(icmp, 'ICMP type and code of the packets.'),
      notProtocol: field(protocol, 'Protocol that packets must not have.'),
      notICMP: field(icmp, 'ICMP type and code that packets must not have.'),
      source: field(entity, 'Where the packets come from.'),
      destination: field(entity, 'Where the packets go.'),
    },
    { struct: 'Rule', go: 'v1.Rule', check: ruleProblems },
  ),
);

const endpointPorts = list(
  object(
    {
      name: field(needed(plainName), 'Name of the port.'),
      protocol: field(protocol, 'Protocol of the port.'),
      port: field(needed({ ...tagged(integer(), tags.positivePort), go: 'uint16' }), 'Number of the port.'),
    },
    { struct: 'EndpointPort', go: 'v1.EndpointPort', check: portProblems },
  ),
);

const directions = {
  name: 'policytype',
  accepts: (value: unknown) => value === 'ingress' || value === 'egress',
  message: 'must be ingress or egress',
};

/** Metadata and spec of a kind. */
export interface Calico2Fields {
  readonly metadata: FieldTable;
  readonly spec: FieldTable;
}

export const bgpPeer: Calico2Fields = {
  metadata: {
    scope: field(
      tagged(text, pattern('scopeglobalornode', /^(?:global|node)$/, 'must be global or node')),
      'Which nodes have the peer: `global` for all, `node` for one.',
    ),
    node: field(plainName, 'Node that has the peer.'),
    peerIP: field(ip, 'Address of the peer.'),
  },
  spec: { asNumber: field(asNumber, 'AS number of the peer.') },
};

const ipipMode = pattern('ipIpMode', /^(?:always|cross-subnet)$/, 'must be always or cross-subnet');

export const ipPool: Calico2Fields = {
  metadata: { cidr: field(net, 'Range of addresses of the pool.') },
  spec: {
    ipip: field(
      object(
        {
          enabled: field(flag, 'Whether IP-in-IP is on.'),
          mode: field(tagged(oneOf('always', 'cross-subnet'), ipipMode), 'When traffic is encapsulated.'),
        },
        { struct: 'IPIPConfiguration', go: 'v1.IPIPConfiguration' },
      ),
      'IP-in-IP encapsulation.',
    ),
    'nat-outgoing': field(flag, 'Whether traffic to other networks is masqueraded.'),
    disabled: field(flag, 'Whether no new addresses are assigned from the pool.'),
  },
};

export const node: Calico2Fields = {
  metadata: { name: field(plainName, 'Name of the node.') },
  spec: {
    bgp: field(
      object(
        {
          asNumber: field(asNumber, 'AS number of the node.'),
          ipv4Address: field(net, 'IPv4 address of the node for BGP.'),
          ipv6Address: field(net, 'IPv6 address of the node for BGP.'),
        },
        { struct: 'NodeBGPSpec', go: 'v1.NodeBGPSpec' },
      ),
      'BGP settings of the node.',
    ),
    orchRefs: field(
      list(
        object(
          {
            nodeName: field(text, 'Name of the node in the orchestrator.'),
            orchestrator: field(text, 'The orchestrator.'),
          },
          { struct: 'OrchRef', go: 'v1.OrchRef' },
        ),
      ),
      'Names of the node in the orchestrators that know it.',
    ),
  },
};

export const hostEndpoint: Calico2Fields = {
  metadata: {
    name: field(pathName, 'Name of the endpoint.'),
    node: field(plainName, 'Node that has the interface.'),
    labels: field(labels, 'Labels of the endpoint.'),
  },
  spec: {
    interfaceName: field(interfaceName, 'Name of the interface.'),
    expectedIPs: field(list(ip), 'Addresses of the interface.'),
    profiles: field(list(needed(pathName)), 'Profiles that apply to the endpoint.'),
    ports: field(endpointPorts, 'Ports with names.'),
  },
};

export const workloadEndpoint: Calico2Fields = {
  metadata: {
    name: field(pathName, 'Name of the interface in the workload.'),
    workload: field(pathName, 'Name of the workload.'),
    orchestrator: field(pathName, 'Orchestrator that made the workload.'),
    node: field(plainName, 'Node that the workload is on.'),
    activeInstanceID: field(pathName, 'ID of the container.'),
    labels: field(labels, 'Labels of the endpoint.'),
  },
  spec: {
    ipNetworks: field(list(net), 'Addresses of the workload.'),
    ipNATs: field(
      list(
        object(
          { internalIP: field(ip, 'Address of the workload.'), externalIP: field(ip, 'Floating address.') },
          { struct: 'IPNAT', go: 'v1.IPNAT', check: natProblems },
        ),
      ),
      'Floating addresses.',
    ),
    ipv4Gateway: field(ip, 'IPv4 gateway of the workload.'),
    ipv6Gateway: field(ip, 'IPv6 gateway of the workload.'),
    profiles: field(list(needed(pathName)), 'Profiles that apply to the workload.'),
    interfaceName: field(needed(interfaceName), "Name of the host's end of the veth pair."),
    mac: field(mac, 'MAC address of the interface.'),
    ports: field(endpointPorts, 'Ports with names.'),
  },
};

export const profile: Calico2Fields = {
  metadata: {
    name: field(pathName, 'Name of the profile.'),
    tags: field(list(needed(tag)), 'Tags that the endpoints of the profile get.'),
    labels: field(labels, 'Labels that the endpoints of the profile get.'),
  },
  spec: { ingress: field(rules, 'Rules for incoming packets.'), egress: field(rules, 'Rules for outgoing packets.') },
};

export const policy: Calico2Fields = {
  metadata: {
    name: field(pathName, 'Name of the policy.'),
    annotations: field(map(text), 'Keys and values that programs store with the policy.'),
  },
  spec: {
    order: field(number, 'Place of the policy: lower orders are applied first.'),
    ingress: field(rules, 'Rules for incoming packets.'),
    egress: field(rules, 'Rules for outgoing packets.'),
    selector: field(selector, 'Labels of the endpoints that the policy applies to.'),
    doNotTrack: field(flag, 'Whether packets are not tracked.'),
    preDNAT: field(flag, 'Whether the rules are applied before DNAT.'),
    types: field(list(tagged(oneOf('ingress', 'egress'), directions)), 'Directions that the policy applies to.'),
  },
};
