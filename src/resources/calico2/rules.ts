// The rules between the fields of Calico 2's objects, in the order in which calicoctl reports what breaks them.
import { cidrContains, cidrsOverlap, isMaskedCidr, parseCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { FieldPath } from '../field-path.ts';
import { goText, problem, type RuleProblem } from '../rules/rule-problem.ts';

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const given = (value: unknown): readonly string[] => (value === undefined || value === '' ? [] : [String(value)]);
const versionOf = (net: unknown): 4 | 6 | undefined => parseCidrOrIp(String(net))?.version;

export function icmpProblems({ type, code }: Members, at: FieldPath): RuleProblem[] {
  if (code === undefined || type !== undefined) return [];
  const reason = 'ICMP code specified without an ICMP type';
  return [problem([...at, 'code'], 'needs type', { field: 'Code', value: code, reason })];
}

export function entityProblems(entity: Members, at: FieldPath): RuleProblem[] {
  return (['net', 'notNet'] as const).flatMap((one) => {
    const several = listOf(entity[`${one}s`]);
    if (several.length === 0 || given(entity[one]).length === 0) return [];
    const word = one === 'net' ? 'Net' : 'NotNet';
    const details = {
      field: `Source/Destination.${word}/${word}s`,
      value: several,
      reason: `only one of ${word} and ${word}s fields allowed`,
    };
    return [problem([...at, one], `cannot be used together with ${one}s`, details)];
  });
}

const withPorts: readonly unknown[] = ['tcp', 'udp', 'sctp', 6, 17, 132];

const ends = [
  ['source', 'Source'],
  ['destination', 'Destination'],
] as const;

export function ruleProblems(rule: Members, at: FieldPath): RuleProblem[] {
  const found: RuleProblem[] = [];
  const { protocol } = rule;
  if (!withPorts.includes(typeof protocol === 'string' ? protocol.toLowerCase() : protocol)) {
    for (const [end, goEnd] of ends) {
      for (const [name, goField] of [
        ['ports', 'Ports'],
        ['notPorts', 'NotPorts'],
      ] as const) {
        const value = listOf(membersOf(rule[end])[name]);
        if (value.length === 0) continue;
        const reason = 'rules that specify ports must set protocol to TCP or UDP or SCTP';
        const details = { field: `${goEnd}.${goField}`, value, reason };
        found.push(problem([...at, end, name], 'needs protocol tcp, udp or sctp', details));
      }
    }
  }
  return [...found, ...familyProblems(rule, at)];
}

/** All CIDRs of a rule are of one family, that of ipVersion if it is set. */
function familyProblems(rule: Members, at: FieldPath): RuleProblem[] {
  const found: RuleProblem[] = [];
  const { ipVersion } = rule;
  const seen = new Set<unknown>();
  for (const [end, goEnd] of ends) {
    const entity = membersOf(rule[end]);
    for (const [one, word] of [
      ['net', 'Net'],
      ['notNet', 'NotNet'],
    ] as const) {
      const single = given(entity[one]);
      const nets = [...listOf(entity[`${one}s`]), ...single];
      if (nets.length === 0) continue;
      const families = new Set(nets.map(versionOf));
      const path = [...at, end, single.length === 0 ? `${one}s` : one];
      const field = `${goEnd}.${word}(s)`;
      if (ipVersion !== undefined && [...families].some((version) => version !== ipVersion)) {
        const reason = "rule IP version doesn't match CIDR version";
        const message = `must be of IP version ${String(ipVersion)}, as the rule says`;
        found.push(problem(path, message, { field, value: single[0] ?? '<nil>', reason }));
      }
      for (const version of families) seen.add(version);
      if (seen.size > 1) {
        const reason = 'rule contains both IPv4 and IPv6 CIDRs';
        const message = 'mixes IPv4 and IPv6, which need rules of their own';
        found.push(problem(path, message, { field, value: nets, reason }));
      }
    }
  }
  return found;
}

/** A port of an endpoint has a protocol that has ports: Calico 2 takes its name only. */
export function portProblems({ protocol }: Members, at: FieldPath): RuleProblem[] {
  if (['tcp', 'udp', 'sctp'].includes(String(protocol))) return [];
  const reason = "EndpointPort protocol must be 'tcp' or 'udp' or 'sctp'.";
  const details = { field: 'EndpointPort.Protocol', value: protocol ?? 0, reason };
  return [problem([...at, 'protocol'], 'must be tcp, udp or sctp', details)];
}

export function natProblems({ internalIP, externalIP }: Members, at: FieldPath): RuleProblem[] {
  if (parseIp(String(internalIP))?.version === parseIp(String(externalIP))?.version) return [];
  const details = { field: 'ExternalIP', value: externalIP ?? '<nil>', reason: 'mismatched IP versions' };
  return [problem([...at, 'externalIP'], 'must be of the IP version of internalIP', details)];
}

/** Rules between the fields of whole objects. */
interface Parts {
  readonly metadata: Members;
  readonly spec: Members;
}

export function bgpPeerProblems({ metadata: { scope, node } }: Parts): RuleProblem[] {
  if (scope !== 'global' || given(node).length === 0) return [];
  const reason = 'no BGP Peer node name should be specified when scope is global';
  return [
    problem(['metadata', 'node'], 'cannot be used with scope global', { field: 'Metadata.Node', value: node, reason }),
  ];
}

/** The sizes of blocks of Calico 2, which could not be chosen. */
const blockSize = { 4: 26, 6: 122 } as const;

const linkLocal = [
  ['169.254.0.0/16', 'IPv4'],
  ['fe80::/10', 'IPv6'],
] as const;

export function ipPoolProblems({ metadata, spec }: Parts): RuleProblem[] {
  const value = String(metadata['cidr'] ?? '');
  const pool = parseCidrOrIp(value);
  if (pool === undefined) return [];
  const at = ['metadata', 'cidr'];
  const found: RuleProblem[] = [];
  const say = (message: string, reason: string): void => {
    found.push(problem(at, message, { field: 'CIDR', value, reason }));
  };
  if (membersOf(spec['ipip'])['enabled'] === true && pool.version === 6) {
    const reason = 'IPIP is not supported on an IPv6 IP pool';
    const details = { field: 'IPIP.Enabled', value: true, reason };
    found.push(problem(['spec', 'ipip', 'enabled'], 'is not supported for IPv6', details));
  }
  const least = blockSize[pool.version];
  if (pool.prefix > least && spec['disabled'] !== true) {
    say(
      `must have room for a block: at least a /${least}`,
      `IP pool size is too small (min /${least}) for use with Calico IPAM`,
    );
  }
  if (value.includes('/') && !isMaskedCidr(value)) say('has host bits', 'IP pool CIDR is not strictly masked');
  for (const [range, family] of linkLocal) {
    const other = parseCidr(range);
    if (other === undefined || other.version !== pool.version || !cidrsOverlap(other, pool)) continue;
    say(
      `overlaps the link-local addresses ${range}`,
      `IP pool range overlaps with ${family} Link Local range ${range}`,
    );
  }
  return found;
}

export function nodeProblems({ spec }: Parts): RuleProblem[] {
  if (spec['bgp'] === undefined) return [];
  const bgp = membersOf(spec['bgp']);
  const { ipv4Address, ipv6Address } = bgp;
  const at = (name: string): FieldPath => ['spec', 'bgp', name];
  if (ipv4Address === undefined && ipv6Address === undefined) {
    const reason = 'no BGP IP address and subnet specified';
    const details = { field: 'BGP.IPv4Address', value: '<nil>', reason };
    return [problem(at('ipv4Address'), 'is missing, and ipv6Address too', details)];
  }
  return (
    [
      ['ipv4Address', 4],
      ['ipv6Address', 6],
    ] as const
  ).flatMap(([name, version]) => {
    const value = bgp[name];
    if (value === undefined || versionOf(value) === version) return [];
    const reason = `invalid IPv${version} address and subnet specified`;
    return [
      problem(at(name), `must be an IPv${version} address`, { field: `BGP.IPv${version}Address`, value, reason }),
    ];
  });
}

export function hostEndpointProblems({ spec }: Parts): RuleProblem[] {
  if (given(spec['interfaceName']).length > 0 || listOf(spec['expectedIPs']).length > 0) return [];
  const reason = 'no interface or expected IPs have been specified';
  const details = { field: 'InterfaceName', value: '', reason };
  return [problem(['spec', 'interfaceName'], 'is missing, and expectedIPs too', details)];
}

export function workloadEndpointProblems({ spec }: Parts): RuleProblem[] {
  const found: RuleProblem[] = [];
  for (const version of [4, 6] as const) {
    const name = `ipv${version}Gateway`;
    const value = spec[name];
    if (value === undefined || versionOf(value) === version) continue;
    const reason = `invalid IPv${version} gateway address specified`;
    const details = { field: `IPv${version}Gateway`, value, reason };
    found.push(problem(['spec', name], `must be an IPv${version} address`, details));
  }
  const nets = listOf(spec['ipNetworks']).map(String);
  if (nets.some((one) => !isOneAddress(one))) {
    const details = { field: 'IPNetworks', value: nets, reason: 'IP network contains multiple addresses' };
    found.push(problem(['spec', 'ipNetworks'], 'must be single addresses', details));
  }
  const nats = listOf(spec['ipNATs']).map(membersOf);
  const own = nets.flatMap((one) => parseCidrOrIp(one) ?? []);
  const isOwn = (address: unknown): boolean => {
    const read = parseIp(String(address));
    return read !== undefined && own.some((one) => cidrContains(one, read));
  };
  if (nats.some(({ internalIP }) => !isOwn(internalIP))) {
    const value = nats.map((nat) => `${goText(nat['internalIP'] ?? '<nil>')}<>${goText(nat['externalIP'] ?? '<nil>')}`);
    const details = { field: 'IPNATs', value, reason: 'NAT is not in the endpoint networks' };
    found.push(problem(['spec', 'ipNATs'], 'must translate addresses of ipNetworks', details));
  }
  return found;
}

export function policyProblems({ spec }: Parts): RuleProblem[] {
  const found: RuleProblem[] = [];
  const { preDNAT, doNotTrack } = spec;
  const egress = listOf(spec['egress']).map(membersOf);
  const types = listOf(spec['types']);
  if (preDNAT === true && doNotTrack === true) {
    const reason = 'PreDNAT and DoNotTrack cannot both be true, for a given PolicySpec';
    found.push(
      problem(['spec', 'preDNAT'], 'cannot be used together with doNotTrack', {
        field: 'PolicySpec.PreDNAT',
        value: true,
        reason,
      }),
    );
  }
  if (preDNAT === true && egress.length > 0) {
    const details = {
      field: 'PolicySpec.EgressRules',
      value: egress.map(goRule),
      reason: 'PreDNAT PolicySpec cannot have any EgressRules',
    };
    found.push(problem(['spec', 'egress'], 'cannot be used together with preDNAT', details));
  }
  const at = ['spec', 'types'];
  const field = 'PolicySpec.Types';
  if (preDNAT === true && types.includes('egress')) {
    const reason = "PreDNAT PolicySpec cannot have 'egress' Type";
    found.push(problem(at, 'cannot have egress together with preDNAT', { field, value: types, reason }));
  }
  const twice = types.find((one, index) => types.indexOf(one) !== index);
  if (twice !== undefined) {
    const reason = `'${String(twice)}' type specified more than once`;
    found.push(problem(at, `has ${String(twice)} twice`, { field, value: types, reason }));
  }
  return found;
}

const isOneAddress = (net: string): boolean => {
  const read = parseCidrOrIp(net);
  return read === undefined || read.prefix === (read.version === 4 ? 32 : 128);
};

/** A rule as Go prints the struct; it prints pointers as addresses, of which this has none. */
function goRule(rule: Members): string {
  const text = (value: unknown, none: string): string => (value === undefined ? none : goText(value));
  const fields = ['ipVersion', 'protocol', 'icmp', 'notProtocol', 'notICMP'].map((name) => text(rule[name], '<nil>'));
  const entity = (value: Members): string =>
    `{${(['', 'not'] as const)
      .flatMap((prefix) => {
        const of = (name: string): unknown =>
          value[prefix === '' ? name : `${prefix}${name[0]?.toUpperCase()}${name.slice(1)}`];
        return [
          text(of('tag'), ''),
          text(of('net'), '<nil>'),
          text(of('nets'), '[]'),
          text(of('selector'), ''),
          text(of('ports'), '[]'),
        ];
      })
      .join(' ')}}`;
  return `{${[goText(rule['action']), ...fields].join(' ')} ${entity(membersOf(rule['source']))} ${entity(membersOf(rule['destination']))}}`;
}
