// BGPFilters as functions of BIRD (docs/reference/bird.md#filters).
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { parseCidr } from '../net/cidr.ts';
import type { BGPFilter } from '../resources/kinds/bgp-filter.ts';
import { compareBytes, type Remark, refusal, remark, UnrenderableError } from './objects.ts';
import { block, cidrText, communityRemarks, communityTuple, numberText, prefixRemarks, quoted } from './syntax.ts';

export type Direction = 'import' | 'export';

type Spec = BGPFilter['spec'];
type Rule = NonNullable<Spec['importV4']>[number];
type Operation = NonNullable<Rule['operations']>[number];

/** The longest name that BIRD 1.6 reads. */
const longestName = 64;
const hashDigits = 16;

/** BIRD prefers routes with a higher local preference, Calico those with a lower priority: one is this minus the other. */
const highestPreference = 2147483647;

const rulesOf = (spec: Spec | undefined, direction: Direction, version: 4 | 6): readonly Rule[] =>
  spec?.[`${direction}V${version}`] ?? [];

/**
 * The name of the function for a filter, in quotes. Names that are too long end with a part of their hash.
 * Errors: UnrenderableError for a name with characters that no name in BIRD can have.
 */
export function functionName(filter: string, direction: Direction, version: 4 | 6): string {
  if (!/^[A-Za-z0-9_.:-]+$/.test(filter)) {
    throw new UnrenderableError(`the name of BGPFilter ${JSON.stringify(filter)} cannot be part of a name in BIRD`);
  }
  const around = ['bgp_', `_${direction}FilterV${version}`];
  const room = longestName - around.join('').length;
  const short =
    filter.length <= room
      ? filter
      : `${filter.slice(0, room - hashDigits - 1)}_${bytesToHex(sha256(utf8ToBytes(filter)))
          .slice(0, hashDigits)
          .toUpperCase()}`;
  return `'${around.join(short)}'`;
}

/** True when some rule is only for sessions inside the AS, or only for others: the function then has an argument that says which. */
const dependsOnPeer = (rules: readonly Rule[]): boolean => rules.some(({ peerType }) => Boolean(peerType));

/** The call of a filter; undefined when there is no such filter, or it has no rules of that family and direction. */
export function filterCall(
  filter: BGPFilter | undefined,
  direction: Direction,
  version: 4 | 6,
  isInternal: boolean,
): string | undefined {
  const rules = rulesOf(filter?.spec, direction, version);
  if (filter === undefined || rules.length === 0) return undefined;
  return `${functionName(filter.metadata.name, direction, version)}(${dependsOnPeer(rules) ? isInternal : ''});`;
}

const operators: ReadonlyMap<string, string> = new Map([
  ['Equal', '='],
  ['NotEqual', '!='],
  ['In', '~'],
  ['NotIn', '!~'],
]);

/** The shortest and the longest prefix that match: never shorter than the network, whatever `min` says. */
function lengthsOf(cidr: string, { min, max }: NonNullable<Rule['prefixLength']>): readonly [number, number] {
  const network = parseCidr(cidr);
  const bits = network?.version === 6 ? 128 : 32;
  return [Math.max(network?.prefix ?? 0, min ?? 0), Math.min(bits, max ?? bits)];
}

function lengthRange(cidr: string, prefixLength: NonNullable<Rule['prefixLength']>, what: string): string {
  const lengths = lengthsOf(cidr, prefixLength).map((length) => numberText(length, what));
  return `[ ${cidrText(cidr, what)}{${lengths.join(',')}} ]`;
}

function conditionsOf(rule: Rule, what: string): string[] {
  const conditions: string[] = [];
  const { cidr, prefixLength, matchOperator, source, communities, asPathPrefix, priority } = rule;
  if (cidr) {
    const operator = operators.get(matchOperator ?? '');
    if (operator === undefined) throw new UnrenderableError(`${what} has a cidr, but no valid matchOperator`);
    const networks = prefixLength
      ? lengthRange(cidr, prefixLength, `cidr of ${what}`)
      : cidrText(cidr, `cidr of ${what}`);
    conditions.push(`(net ${operator} ${networks})`);
  }
  if (source) {
    if (source !== 'RemotePeers')
      throw new UnrenderableError(`${what} has an unknown source: ${JSON.stringify(source)}`);
    conditions.push('((defined(source))&&(source ~ [ RTS_BGP ]))');
  }
  if (rule.interface) {
    conditions.push(`((defined(ifname))&&(ifname ~ ${quoted(rule.interface, `interface of ${what}`)}))`);
  }
  const [community] = communities?.values ?? [];
  if (community !== undefined) {
    const { tuple, isLarge } = communityTuple(community, `a community of ${what}`);
    conditions.push(`(${tuple} ~ ${isLarge ? 'bgp_large_community' : 'bgp_community'})`);
  }
  if (asPathPrefix?.length) {
    const numbers = asPathPrefix.map((as) => numberText(as, `asPathPrefix of ${what}`));
    conditions.push(`(bgp_path ~ [= ${numbers.join(' ')} * =])`);
  }
  if (priority !== undefined) conditions.push(`(bgp_local_pref = ${preference(priority, `priority of ${what}`)})`);
  return conditions;
}

const preference = (priority: number, what: string): string => numberText(highestPreference - priority, what);

function operationStatements({ addCommunity, prependASPath, setPriority }: Operation, what: string): string[] {
  if (addCommunity) {
    const { tuple, isLarge } = communityTuple(addCommunity.value, `a community of ${what}`);
    return [`${isLarge ? 'bgp_large_community' : 'bgp_community'}.add(${tuple});`];
  }
  if (prependASPath) {
    // Each number is put in front of those before it.
    return [...prependASPath.prefix]
      .reverse()
      .map((as) => `bgp_path.prepend(${numberText(as, `AS path of ${what}`)});`);
  }
  if (setPriority) return [`bgp_local_pref = ${preference(setPriority.value, `priority of ${what}`)};`];
  throw new UnrenderableError(`an operation of ${what} changes nothing`);
}

function ruleStatement(rule: Rule, what: string): string {
  const { action, operations = [], peerType } = rule;
  if (action !== 'Accept' && action !== 'Reject') {
    throw new UnrenderableError(`${what} has an unknown action: ${JSON.stringify(action)}`);
  }
  const conditions = conditionsOf(rule, what);
  const body = [...operations.flatMap((one) => operationStatements(one, what)), `${action.toLowerCase()};`].join(' ');
  const statement = conditions.length === 0 ? body : `if (${conditions.join('&&')}) then { ${body} }`;
  if (!peerType) return statement;
  return `if (${peerType === 'iBGP' ? '' : '!'}is_same_as) then { ${statement} }`;
}

function functionOf({ metadata: { name }, spec }: BGPFilter, direction: Direction, version: 4 | 6): string[] {
  const rules = rulesOf(spec, direction, version);
  if (rules.length === 0) return [];
  const statements = rules.map((rule, at) =>
    ruleStatement(rule, `${direction}V${version}[${at}] of BGPFilter ${name}`),
  );
  return block(
    `function ${functionName(name, direction, version)}(${dependsOnPeer(rules) ? 'bool is_same_as' : ''})`,
    statements,
  );
}

/** The functions of all filters with rules for the family, used or not. Errors: UnrenderableError, naming filter and rule. */
export function filterFunctions(filters: readonly BGPFilter[], version: 4 | 6): string[] {
  return [...filters]
    .sort((a, b) => compareBytes(a.metadata.name, b.metadata.name))
    .flatMap((filter) =>
      (['import', 'export'] as const).flatMap((direction) => functionOf(filter, direction, version)),
    );
}

/** Rules that BIRD 1.6 refuses, or that do not mean what they say. */
export function filterRemarks(filters: readonly BGPFilter[], version: 4 | 6): Remark[] {
  return filters.flatMap(({ metadata: { name }, spec }) =>
    (['import', 'export'] as const).flatMap((direction) =>
      rulesOf(spec, direction, version).flatMap((rule, at) =>
        ruleRemarks(rule, `${direction}V${version}[${at}] of BGPFilter ${name}`),
      ),
    ),
  );
}

function ruleRemarks(
  { cidr, prefixLength, matchOperator = '', communities, operations }: Rule,
  what: string,
): Remark[] {
  const added = (operations ?? []).flatMap(({ addCommunity }) => addCommunity?.value ?? []);
  const remarks = [...(communities?.values?.slice(0, 1) ?? []), ...added].flatMap((text) =>
    communityRemarks(text, what),
  );
  if (!cidr) return remarks;
  remarks.push(...prefixRemarks(cidr, `cidr of ${what}`));
  if (!prefixLength) return remarks;
  const [from, to] = lengthsOf(cidr, prefixLength);
  if (from > to) remarks.push(refusal(`prefixLength of ${what} is empty: from ${from} to ${to}`));
  if (['Equal', 'NotEqual'].includes(matchOperator)) {
    const matches = matchOperator === 'Equal' ? 'never' : 'always';
    remarks.push(remark(`${what} ${matches} matches: with a prefixLength only In and NotIn have a meaning`));
  }
  return remarks;
}
