// Rules for the rules of policies and profiles: docs/reference/validation.md#policies.
import { parseCidr, parseCidrOrIp } from '../../net/cidr.ts';
import type { FieldPath } from '../field-path.ts';
import { type CalicoApi, customResourceApi, v3ApiVersion } from '../kind.ts';
import { selectorProblem, usesGlobal } from '../selector.ts';
import { goText, problem, type RuleProblem } from './rule-problem.ts';

type Members = Readonly<Record<string, unknown>>;

const portProtocols: readonly unknown[] = ['tcp', 'udp', 'sctp', 6, 17, 132];

/** True for protocols that have ports, in any case. */
export const hasPorts = (protocol: unknown): boolean =>
  portProtocols.includes(typeof protocol === 'string' ? protocol.toLowerCase() : protocol);

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const isGiven = (value: unknown): boolean => typeof value === 'string' && value !== '';
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

export const hasGlobal = (value: unknown): boolean =>
  typeof value === 'string' &&
  (value.includes('global()') || (selectorProblem(value) === undefined && usesGlobal(value)));

/** Goes for the numbers of an ICMP match too, of which calicoctl prints the addresses in its memory. */
const icmpText = ({ type, code }: Members): string => `&{${goText(type) || '<nil>'} ${goText(code) || '<nil>'}}`;

export const serviceText = ({ name, namespace }: Members): string => `&{${goText(name)} ${goText(namespace)}}`;

/** What is wrong with an ICMP match. */
export function icmpProblems(icmp: Members, at: FieldPath): RuleProblem[] {
  if (!isSet(icmp['code']) || isSet(icmp['type'])) return [];
  const reason = 'ICMP code specified without an ICMP type';
  return [problem([...at, 'code'], 'needs type', { field: 'Code', value: icmp['code'], reason })];
}

/** What is wrong with the paths of an HTTP match: calicoctl reports the first. */
export function httpProblems(http: Members, at: FieldPath): RuleProblem[] {
  const found: RuleProblem[] = [];
  const methods = listOf(http['methods']);
  if (new Set(methods).size < methods.length) {
    const reason = `Invalid methods (duplicates): ${goText(methods)}`;
    found.push(problem([...at, 'methods'], 'has a method twice', { field: 'Methods', value: methods, reason }));
  }
  const paths = (Array.isArray(http['paths']) ? http['paths'] : []).map(membersOf);
  const all = goPaths(paths);
  for (const [index, { exact = '', prefix = '' }] of paths.entries()) {
    const say = (message: string, reason: string): void => {
      found.push(problem([...at, 'paths', index], message, { field: 'Paths', value: all, reason }));
    };
    if (exact !== '' && prefix !== '') {
      say('has both exact and prefix', "Invalid path match. Both 'exact' and 'prefix' are set");
    } else if (exact === '' && prefix === '') {
      say('has neither exact nor prefix', "Invalid path match. Either 'exact' or 'prefix' must be set");
    } else {
      const path = String(exact || prefix);
      if (path.startsWith('/') && !/[?# ]/.test(path)) continue;
      const reason = `Invalid path ${path}. (must start with \`/\` and not contain \`?\` or \`#\``;
      say('must begin with / and have no ?, # or space', reason);
    }
    break;
  }
  return found;
}

const goPaths = (paths: readonly Members[]): string =>
  `[${paths.map(({ exact = '', prefix = '' }) => `{${String(exact)} ${String(prefix)}}`).join(' ')}]`;

export const httpText = (http: Members): string =>
  `&{${goText(http['methods'] ?? [])} ${goPaths((Array.isArray(http['paths']) ? http['paths'] : []).map(membersOf))}}`;

/** What is wrong with one end of a rule. */
export function entityProblems(entity: Members, at: FieldPath): RuleProblem[] {
  const found: RuleProblem[] = [];
  for (const field of ['selector', 'notSelector'] as const) {
    if (!hasGlobal(entity[field])) continue;
    const reason = 'global() can only be used in an EntityRule namespaceSelector';
    const message = 'cannot have global(): it goes into namespaceSelector';
    const path = [...at, field];
    // calicoctl lets it pass in notSelector.
    if (field === 'notSelector') found.push({ path, message });
    else found.push(problem(path, message, { field: 'Selector field', value: entity[field], reason }));
  }
  const namespaces = entity['namespaceSelector'];
  if (hasGlobal(namespaces) && String(namespaces).replace(/[ \t]/g, '') !== 'global()') {
    const reason = 'global() cannot be combined with other selectors';
    const details = { field: 'NamespaceSelector field', value: namespaces, reason };
    found.push(problem([...at, 'namespaceSelector'], 'cannot have global() together with anything else', details));
  }
  if (isSet(entity['services'])) found.push(...serviceProblems(entity, at));
  return found;
}

function serviceProblems(entity: Members, at: FieldPath): RuleProblem[] {
  const service = membersOf(entity['services']);
  const value = serviceText(service);
  const field = 'Services field';
  const found: RuleProblem[] = [];
  if (!isGiven(service['name'])) {
    const reason = 'must specify a service name';
    found.push(problem([...at, 'services', 'name'], 'is missing', { field, value, reason }));
  }
  const accounts = membersOf(entity['serviceAccounts']);
  for (const [isUsed, name, words] of [
    [isGiven(entity['namespaceSelector']), 'NamespaceSelector', 'namespaceSelector'],
    [isGiven(entity['selector']) || isGiven(entity['notSelector']), 'Selector/NotSelector', 'selectors'],
    [
      isSet(entity['serviceAccounts']) && (listOf(accounts['names']).length > 0 || isGiven(accounts['selector'])),
      'ServiceAccounts',
      'serviceAccounts',
    ],
    [listOf(entity['nets']).length + listOf(entity['notNets']).length > 0, 'Nets/NotNets', 'nets and notNets'],
  ] as const) {
    if (!isUsed) continue;
    const reason = `cannot specify ${name} and Services on the same rule`;
    found.push(problem([...at, 'services'], `cannot be used together with ${words}`, { field, value, reason }));
  }
  return found;
}

/** What is wrong between the fields of a rule. */
export function ruleProblems(rule: Members, at: FieldPath, calicoApi: CalicoApi = customResourceApi): RuleProblem[] {
  const found: RuleProblem[] = [];
  const { protocol, ipVersion } = rule;
  const ends = [
    ['source', 'Source', membersOf(rule['source'])],
    ['destination', 'Destination', membersOf(rule['destination'])],
  ] as const;
  if (!hasPorts(protocol)) {
    for (const [end, goEnd, entity] of ends) {
      for (const [field, goField] of [
        ['ports', 'Ports'],
        ['notPorts', 'NotPorts'],
      ] as const) {
        const ports = listOf(entity[field]);
        // From 3.32 on named ports, which have a protocol of their own, need none.
        const takesNames = calicoApi === v3ApiVersion && !isSet(protocol);
        if (takesNames ? ports.every((one) => /[^\d:]/.test(String(one))) : ports.length === 0) continue;
        const reason = takesNames
          ? 'rules with numeric port or port range must set protocol to TCP or UDP or SCTP'
          : 'rules that specify ports must set protocol to TCP or UDP or SCTP';
        const details = { field: `${goEnd}.${goField}`, value: ports, reason };
        found.push(
          problem([...at, end, field], 'needs protocol TCP, UDP or SCTP', details, 'set the protocol of the rule'),
        );
      }
    }
  }
  if (isSet(rule['http'])) {
    if (isSet(protocol) && protocol !== 'TCP' && protocol !== 6) {
      const reason = 'rules that specify HTTP fields must set protocol to TCP or empty';
      found.push(
        problem([...at, 'protocol'], 'must be TCP in a rule with http', { field: 'Protocol', value: protocol, reason }),
      );
    }
  }
  const icmp = membersOf(rule['icmp']);
  if (isSet(rule['icmp'])) {
    const value = icmpText(icmp);
    if (protocol !== 'ICMP' && protocol !== 'ICMPv6') {
      const reason = 'rules that specify ICMP fields must set protocol to ICMP';
      found.push(problem([...at, 'icmp'], 'needs protocol ICMP or ICMPv6', { field: 'ICMP', value, reason }));
    }
  }
  for (const [name, version] of [
    ['ICMP', 4],
    ['ICMPv6', 6],
  ] as const) {
    const isNamed = protocol === name || rule['notProtocol'] === name;
    if (!isNamed || !isSet(ipVersion) || ipVersion === version) continue;
    const value = isSet(rule['icmp']) ? icmpText(icmp) : '<nil>';
    const reason = `must set ipversion to '${version}' with protocol ${name.toLowerCase()}`;
    const words = `must be ${version} with protocol ${name}`;
    found.push(problem([...at, 'ipVersion'], words, { field: 'IPVersion', value, reason }));
  }
  found.push(...netProblems(ends, ipVersion, at));
  if (isSet(rule['http']) && rule['action'] !== 'Allow') {
    const details = { field: 'HTTP', value: httpText(membersOf(rule['http'])), reason: 'only valid for Allow rules' };
    found.push(problem([...at, 'http'], 'works only in rules with action Allow', details));
  }
  const destination = membersOf(rule['destination']);
  if (isSet(destination['services'])) {
    for (const [field, goField, word] of [
      ['ports', 'Ports', 'ports'],
      ['notPorts', 'NotPorts', 'notports'],
    ] as const) {
      const ports = listOf(destination[field]);
      if (ports.length === 0) continue;
      const reason = `cannot specify ${word} with a service selector`;
      const details = { field: `Destination.${goField}`, value: ports, reason };
      found.push(problem([...at, 'destination', field], 'cannot be used together with services', details));
    }
  }
  return found;
}

/** All CIDRs of a rule are of one family, that of ipVersion if it is set. */
function netProblems(
  ends: readonly (readonly [string, string, Members])[],
  ipVersion: unknown,
  at: FieldPath,
): RuleProblem[] {
  const found: RuleProblem[] = [];
  let family: 4 | 6 | undefined;
  let seen: readonly string[] = [];
  for (const [end, goEnd, entity] of ends) {
    for (const [field, goField] of [
      ['nets', 'Nets'],
      ['notNets', 'NotNets'],
    ] as const) {
      const nets = listOf(entity[field]);
      const goName = `${goEnd}.${goField}`;
      const path = [...at, end, field];
      const families = new Set<4 | 6>();
      nets.forEach((net, index) => {
        const cidr = parseCidr(net);
        const read = cidr ?? parseCidrOrIp(net);
        if (read !== undefined) families.add(read.version);
        if (cidr === undefined) {
          const words = 'must be a CIDR, like 10.0.0.0/8 or 10.0.0.1/32';
          found.push(problem([...path, index], words, { field: goName, value: net, reason: 'invalid CIDR' }));
        } else if (field === 'notNets' && cidr.prefix === 0) {
          const reason = 'catch-all CIDR in negation creates logical contradiction (matches no traffic)';
          found.push(problem([...path, index], 'excludes all addresses', { field: goName, value: net, reason }));
        }
      });
      if (nets.length === 0) continue;
      // What calicoctl prints as the value is the first list that has CIDRs.
      if (seen.length === 0) seen = nets;
      if (isSet(ipVersion) && [...families].some((one) => one !== ipVersion)) {
        const reason = "rule IP version doesn't match CIDR version";
        found.push(
          problem(path, `must be of IP version ${String(ipVersion)}, as the rule says`, {
            field: goName,
            value: seen,
            reason,
          }),
        );
      }
      const before = family;
      for (const one of families) family ??= one;
      if (families.size > 1 || (before !== undefined && [...families].some((one) => one !== before))) {
        const reason = 'rule contains both IPv4 and IPv6 CIDRs';
        found.push(
          problem(path, 'mixes IPv4 and IPv6, which need separate rules', { field: goName, value: nets, reason }),
        );
      }
    }
  }
  return found;
}

/** What is wrong with the protocol of a rule or of a port: `Protocol`, `EndpointPort.Protocol`. */
export const protocolNames = ['TCP', 'UDP', 'ICMP', 'ICMPv6', 'SCTP', 'UDPLite'] as const;
