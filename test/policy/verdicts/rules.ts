// What rules of Calico match: protocols, ports, nets, families, ICMP, negations, actions. Calico's documentation: "Network
// policy" > Rule, EntityRule, ICMP, Ports.
import { gnp, np } from '../../support/clusters/policy-objects.ts';
import { dev, endOfDefault, ops, type PolicyCase, shop } from './case.ts';

const rule = (index: number): string => `NetworkPolicy shop/p#${index}`;
/** A policy for the database that governs ingress by these rules. */
const onDb = (...ingress: object[]) => np('shop', 'p', { selector: "app == 'db'", types: ['Ingress'], ingress });
/** The same for what web sends. */
const onWeb = (...egress: object[]) => np('shop', 'p', { selector: "app == 'web'", types: ['Egress'], egress });

export const rules: readonly PolicyCase[] = [
  {
    about: 'protocols',
    given: [
      onDb(
        { action: 'Deny', protocol: 'UDP' },
        { action: 'Allow', protocol: 6 },
        { action: 'Allow', notProtocol: 'ICMP' },
      ),
    ],
    flows: [
      ['shop/web > shop/db udp 53', 'deny', shop, rule(0), 'a protocol by name'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(1), 'a protocol by number'],
      ['shop/web > shop/db sctp 5432', 'allow', shop, rule(2), 'SCTP is not ICMP'],
      ['shop/web > shop/db icmp', 'deny', shop, endOfDefault, 'ICMP fits none of the rules'],
      ['fd60::1:10 > fd60::1:20 icmp', 'allow', shop, rule(2), 'ICMPv6 is another protocol than ICMP'],
    ],
  },
  {
    about: 'ports of the destination',
    given: [
      onDb(
        { action: 'Allow', protocol: 'TCP', destination: { ports: [5432, '9000:9100'] } },
        { action: 'Allow', protocol: 'UDP', destination: { ports: ['53'] } },
      ),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'one port'],
      ['shop/web > shop/db tcp 9000', 'allow', shop, rule(0), 'the first port of a range'],
      ['shop/web > shop/db tcp 9100', 'allow', shop, rule(0), 'the last port of a range'],
      ['shop/web > shop/db tcp 9101', 'deny', shop, endOfDefault, 'a port behind the range'],
      ['shop/web > shop/db tcp 8999', 'deny', shop, endOfDefault, 'a port before the range'],
      ['shop/web > shop/db udp 5432', 'deny', shop, endOfDefault, 'the port is of TCP only'],
      ['shop/web > shop/db udp 53', 'allow', shop, rule(1), 'a port written as text'],
      ['shop/web > shop/db sctp 5432', 'deny', shop, endOfDefault, 'no rule is about SCTP'],
      ['shop/web > shop/db icmp', 'deny', shop, endOfDefault, 'ICMP has no ports'],
    ],
  },
  {
    about: 'ports that are not',
    given: [onDb({ action: 'Allow', protocol: 'TCP', destination: { notPorts: [22, '6000:6999'] } })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'another port'],
      ['shop/web > shop/db tcp 22', 'deny', shop, endOfDefault, 'a port of notPorts'],
      ['shop/web > shop/db tcp 6500', 'deny', shop, endOfDefault, 'a port of a range of notPorts'],
      ['shop/web > shop/db udp 5432', 'deny', shop, endOfDefault, 'the rule is about TCP only'],
    ],
  },
  {
    about: 'ports of the source',
    given: [onDb({ action: 'Allow', protocol: 'UDP', source: { ports: [68] }, destination: { ports: [67] } })],
    flows: [
      ['shop/web > shop/db udp 67/68', 'allow', shop, rule(0), 'both ports fit'],
      ['shop/web > shop/db udp 67/1068', 'deny', shop, endOfDefault, 'the source has another port'],
      ['shop/web > shop/db udp 68/68', 'deny', shop, endOfDefault, 'the destination has another port'],
    ],
  },
  {
    about: 'named ports are those of the destination workload',
    given: [
      onDb({ action: 'Allow', protocol: 'TCP', destination: { ports: ['pg'] } }),
      np('shop', 'cache', {
        selector: "app == 'cache'",
        types: ['Ingress'],
        ingress: [
          { action: 'Allow', protocol: 'UDP', destination: { ports: ['dns'] } },
          { action: 'Allow', protocol: 'TCP', destination: { ports: ['dns', 'pg', 8000] } },
        ],
      }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(0), 'the number of the named port'],
      ['shop/web > shop/db tcp 9090', 'deny', shop, endOfDefault, 'the number of another named port'],
      ['shop/web > shop/db udp 5432', 'deny', shop, endOfDefault, 'the named port is of TCP'],
      ['shop/web > shop/cache udp 53', 'allow', shop, 'NetworkPolicy shop/cache#0', 'a named port of UDP'],
      ['shop/web > shop/cache tcp 53', 'deny', shop, endOfDefault, 'dns is a port of UDP there, not of TCP'],
      ['shop/web > shop/cache tcp 5432', 'deny', shop, endOfDefault, 'pg is a port of another workload'],
      ['shop/web > shop/cache tcp 8000', 'allow', shop, 'NetworkPolicy shop/cache#1', 'numbers and names may be mixed'],
    ],
  },
  {
    about: 'named ports in egress rules',
    given: [
      onWeb(
        { action: 'Allow', protocol: 'TCP', destination: { selector: "app == 'db'", ports: ['metrics'] } },
        { action: 'Allow', protocol: 'TCP', destination: { selector: "app == 'cache'", ports: ['redis', 7000] } },
      ),
    ],
    flows: [
      ['shop/web > shop/db tcp 9090', 'allow', rule(0), shop, 'the selected workload has the port'],
      ['shop/web > shop/db tcp 5432', 'deny', endOfDefault, shop, 'that is another port of it'],
      ['shop/web > shop/cache tcp 6379', 'allow', rule(1), shop, 'the port of the other workload'],
      ['shop/web > shop/cache tcp 7000', 'allow', rule(1), shop, 'a number next to a name'],
      ['shop/web > shop/db tcp 7000', 'deny', endOfDefault, shop, 'the number is for selected workloads too'],
      ['shop/web > 192.0.2.7 tcp 9090', 'deny', endOfDefault, '-', 'an address outside has no named ports'],
    ],
  },
  {
    about: 'named ports that are not',
    given: [onDb({ action: 'Allow', protocol: 'TCP', destination: { notPorts: ['metrics'] } })],
    flows: [
      ['shop/web > shop/db tcp 9090', 'deny', shop, endOfDefault, 'it is the named port'],
      ['shop/web > shop/db tcp 9091', 'allow', shop, rule(0), 'it is another one'],
    ],
  },
  {
    about: 'nets of the source',
    given: [
      onDb({ action: 'Allow', source: { nets: ['192.0.2.0/24', '10.60.2.30/32'], notNets: ['192.0.2.128/25'] } }),
    ],
    flows: [
      ['192.0.2.7 > shop/db tcp 5432', 'allow', '-', rule(0), 'an address of a net'],
      ['192.0.2.200 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'an address of notNets'],
      ['198.51.100.1 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'an address of no net'],
      ['shop/cache > shop/db tcp 5432', 'allow', shop, rule(0), 'a workload has an address too'],
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'another workload'],
      ['fd60::1:10 > shop/db tcp 5432', 'deny', shop, endOfDefault, 'without a net of IPv6 the rule is for IPv4 only'],
    ],
  },
  {
    about: 'nets of the destination',
    given: [
      onWeb(
        { action: 'Allow', destination: { nets: ['203.0.113.5'], notNets: [] } },
        { action: 'Log', destination: { nets: ['0.0.0.0/0'] } },
      ),
    ],
    flows: [
      ['shop/web > 203.0.113.5 tcp 443', 'allow', rule(0), '-', 'a bare address is a net of one'],
      ['shop/web > 203.0.113.6 tcp 443', 'deny', endOfDefault, '-', 'Log decides nothing'],
      ['shop/web > shop/db tcp 5432', 'deny', endOfDefault, shop, 'nor for workloads'],
    ],
  },
  {
    about: 'a rule with notNets of one family does not exist in the other',
    given: [
      gnp('g', {
        selector: 'all()',
        types: ['Egress'],
        egress: [{ action: 'Deny', destination: { notNets: ['10.0.0.0/8'] } }, { action: 'Allow' }],
      }),
    ],
    flows: [
      ['shop/web > 192.0.2.7 tcp 443', 'deny', 'GlobalNetworkPolicy g#0', '-', 'an address outside the net'],
      ['shop/web > shop/cache tcp 6379', 'allow', 'GlobalNetworkPolicy g#1', shop, 'an address inside'],
      ['shop/web > 2001:db8::7 tcp 443', 'allow', 'GlobalNetworkPolicy g#1', '-', 'IPv6 is not denied'],
    ],
  },
  {
    about: 'nets of both families',
    given: [onDb({ action: 'Allow', source: { nets: ['192.0.2.0/24', '2001:db8::/32'] } })],
    flows: [
      ['192.0.2.7 > shop/db tcp 5432', 'allow', '-', rule(0), 'IPv4 by the net of IPv4'],
      ['2001:db8::7 > shop/db tcp 5432', 'allow', '-', rule(0), 'IPv6 by the net of IPv6'],
      ['2001:db9::7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'another network'],
    ],
  },
  {
    about: 'nets of different families at the two ends',
    given: [onDb({ action: 'Allow', source: { nets: ['192.0.2.0/24'] }, destination: { nets: ['fd60::/16'] } })],
    flows: [
      ['192.0.2.7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'the destination has no net of IPv4'],
      ['2001:db8::7 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'the source has none of IPv6'],
    ],
  },
  {
    about: 'ipVersion',
    given: [onDb({ action: 'Allow', ipVersion: 6 })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'the flow is IPv4'],
      ['fd60::1:10 > shop/db tcp 5432', 'allow', shop, rule(0), 'the flow is IPv6'],
    ],
  },
  {
    about: 'types and codes of ICMP',
    given: [
      onDb(
        { action: 'Deny', protocol: 'ICMP', icmp: { type: 3, code: 4 } },
        { action: 'Allow', protocol: 'ICMP', icmp: { type: 3 } },
        { action: 'Allow', protocol: 'ICMP', notICMP: { type: 8 } },
        { action: 'Allow', protocol: 'ICMPv6', icmp: { type: 128 } },
      ),
    ],
    flows: [
      ['shop/web > shop/db icmp', 'deny', shop, endOfDefault, 'an echo request has type 8'],
      ['shop/web > shop/db icmp 3/4', 'deny', shop, rule(0), 'type and code'],
      ['shop/web > shop/db icmp 3/1', 'allow', shop, rule(1), 'the type alone'],
      ['shop/web > shop/db icmp 11/0', 'allow', shop, rule(2), 'not type 8'],
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'TCP has no type'],
      ['fd60::1:10 > shop/db icmp', 'allow', shop, rule(3), 'an echo request of ICMPv6 has type 128'],
      ['fd60::1:10 > shop/db icmp 129/0', 'deny', shop, endOfDefault, 'rules on ICMP are not for ICMPv6'],
    ],
  },
  {
    about: 'notICMP with type and code',
    given: [onDb({ action: 'Allow', protocol: 'ICMP', notICMP: { type: 3, code: 4 } })],
    flows: [
      ['shop/web > shop/db icmp 3/4', 'deny', shop, endOfDefault, 'exactly this type and code'],
      ['shop/web > shop/db icmp 3/1', 'allow', shop, rule(0), 'the same type with another code'],
    ],
  },
  {
    about: 'actions in order',
    given: [
      onDb(
        { action: 'Log' },
        { action: 'Allow', protocol: 'TCP', source: { selector: "app == 'web'" } },
        { action: 'Deny', source: { selector: "app == 'web'" } },
        { action: 'Pass', protocol: 'TCP' },
        { action: 'Allow' },
      ),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, rule(1), 'Log keeps its number and decides nothing'],
      ['shop/web > shop/db udp 5432', 'deny', shop, rule(2), 'the first rule that fits decides'],
      ['shop/cache > shop/db tcp 5432', 'allow', shop, shop, 'Pass leaves the tier: the profile decides'],
      ['shop/cache > shop/db udp 5432', 'allow', shop, rule(4), 'a rule without conditions fits everything'],
      ['dev/tool > shop/db icmp', 'allow', dev, rule(4), 'from everywhere'],
    ],
  },
  {
    about: 'both ends in one rule',
    given: [
      gnp('g', {
        selector: "app == 'db'",
        types: ['Ingress'],
        ingress: [
          {
            action: 'Allow',
            protocol: 'TCP',
            source: { nets: ['10.60.0.0/16'], selector: "app == 'web'" },
            destination: { nets: ['10.60.1.0/24'], ports: [5432] },
          },
        ],
      }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'GlobalNetworkPolicy g#0', 'nets and selector and ports fit'],
      ['shop/cache > shop/db tcp 5432', 'deny', shop, endOfDefault, 'the selector does not fit'],
      ['ops/prom > shop/db tcp 5432', 'deny', ops, endOfDefault, 'nor for another namespace'],
      ['shop/web > shop/db tcp 5433', 'deny', shop, endOfDefault, 'the port does not fit'],
    ],
  },
  {
    about: 'types',
    given: [
      np('shop', 'p', { selector: "app == 'web'", ingress: [{ action: 'Allow' }] }),
      np('shop', 'q', { selector: "app == 'cache'", types: ['Egress'], ingress: [{ action: 'Deny' }] }),
    ],
    flows: [
      ['dev/tool > shop/web tcp 8080', 'allow', dev, rule(0), 'a stored policy without types governs ingress'],
      ['shop/web > dev/tool tcp 80', 'deny', endOfDefault, dev, 'and egress, for which it has no rule'],
      ['dev/tool > shop/cache tcp 6379', 'allow', dev, shop, 'rules of a direction that types leave out do nothing'],
      ['shop/cache > dev/tool tcp 80', 'deny', endOfDefault, dev, 'a type without rules closes the direction'],
    ],
  },
  {
    about: 'a catch-all in notNets',
    given: [onDb({ action: 'Allow', source: { notNets: ['0.0.0.0/0'] } })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'the rule fits nothing'],
      ['fd60::1:10 > shop/db tcp 5432', 'deny', shop, endOfDefault, 'and does not exist in IPv6'],
    ],
  },
];
