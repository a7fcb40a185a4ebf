// Rules for policies as a whole, for tiers and for profiles: docs/reference/validation.md#policies.
import type { FieldPath } from '../field-path.ts';
import type { CalicoApi, Rules } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { kubernetesRuleProblems } from './kubernetes-policy.ts';
import { kubernetesPolicyText } from './kubernetes-policy-text.ts';
import { annotationProblems, areLabels, labelProblems, longestName, tooLong } from './metadata.ts';
import { hasGlobal, httpText, serviceText } from './policy-rule.ts';
import { goText, problem, type RuleProblem } from './rule-problem.ts';

type Members = Readonly<Record<string, unknown>>;
type Direction = 'ingress' | 'egress';

interface Policy extends KubeObject {
  spec: Members;
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const oneLabel = new RegExp(`^${label}$`);
const oneOrTwoLabels = new RegExp(`^${label}(\\.${label})?$`);
const ownedName = new RegExp(`^(?:knp|ossg)\\.default\\.${label}(\\.${label})*$`);
const labelReason = `name must consist of lower case alphanumeric characters or '-' (regex: ${label})`;

const isOwnName = (name: string): boolean => oneOrTwoLabels.test(name) || ownedName.test(name);

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

/** Policies and tiers check their metadata again: names by rules of their own, labels and annotations by the same. */
function ownMetadata(
  object: KubeObject,
  accepts: (name: string) => boolean,
  words: string,
  longest = longestName,
): RuleProblem[] {
  const { name } = object.metadata;
  const found = tooLong(name, longest);
  if (!accepts(name)) {
    found.push(problem(['metadata', 'name'], words, { field: 'Metadata.Name', value: name, reason: labelReason }));
  }
  return [...found, ...annotationProblems(object), ...labelProblems(object)];
}

const nameWords = "must be one word of lower-case letters, digits and '-', or two joined by a dot";

/** Services at the wrong end of a rule, and what only ingress rules can match. */
function rulesProblems(spec: Members, direction: Direction, isGlobal: boolean): RuleProblem[] {
  const isEgress = direction === 'egress';
  const wrongEnd = isEgress ? 'source' : 'destination';
  return listOf(spec[direction]).flatMap((one, index) => {
    const found: RuleProblem[] = [];
    const rule = membersOf(one);
    const at: FieldPath = ['spec', direction, index];
    const services = membersOf(rule[wrongEnd])['services'];
    if (isSet(services)) {
      const reason = `not allowed in ${direction} rule ${wrongEnd}`;
      const details = { field: 'Services', value: serviceText(membersOf(services)), reason };
      const words = `works only in the ${isEgress ? 'destination' : 'source'} of ${direction} rules`;
      found.push(problem([...at, wrongEnd, 'services'], words, details));
    }
    if (isEgress && isSet(rule['http'])) {
      const value = httpText(membersOf(rule['http']));
      const reason = isGlobal ? 'not allowed in egress rules' : 'not allowed in egress rule';
      found.push(problem([...at, 'http'], 'works only in ingress rules', { field: 'HTTP', value, reason }));
    }
    return found;
  });
}

function repeatedTypes(spec: Members, struct: string): RuleProblem[] {
  const types = listOf(spec['types']).map(String);
  return types.flatMap((type, index) => {
    if (types.indexOf(type) === index) return [];
    const reason = `'${type}' type specified more than once`;
    return [problem(['spec', 'types', index], 'is given twice', { field: `${struct}.Types`, value: types, reason })];
  });
}

const globalPolicySelectors = [
  ['selector', 'Selector'],
  ['serviceAccountSelector', 'ServiceAccountSelector'],
  ['namespaceSelector', 'NamespaceSelector'],
] as const;

/** Of policies of the whole cluster, calicoctl prints `selector` in place of the value that it refuses. */
function globalSelectors(spec: Members, isGlobal: boolean): RuleProblem[] {
  const struct = isGlobal ? 'GlobalNetworkPolicySpec' : 'NetworkPolicySpec';
  return globalPolicySelectors.flatMap(([field, goField]) => {
    if (!hasGlobal(spec[field])) return [];
    const reason = 'global() can only be used in an EntityRule namespaceSelector';
    const value = isGlobal ? (spec['selector'] ?? '') : spec[field];
    const details = { field: `${struct}.${goField}`, value, reason };
    return [problem(['spec', field], 'cannot have global(): only the namespaceSelector of a rule can', details)];
  });
}

function networkPolicyProblems(policy: Policy): RuleProblem[] {
  return [...ownMetadata(policy, isOwnName, nameWords), ...specProblems(policy.spec)];
}

function specProblems(spec: Members): RuleProblem[] {
  const struct = 'NetworkPolicySpec';
  return [
    ...repeatedTypes(spec, struct),
    ...rulesProblems(spec, 'egress', false),
    ...rulesProblems(spec, 'ingress', false),
    ...globalSelectors(spec, false),
  ];
}

function globalSpecProblems(spec: Members): RuleProblem[] {
  const found: RuleProblem[] = [];
  const { preDNAT, doNotTrack, applyOnForward } = spec;
  const add = (field: string, message: string, goField: string, value: unknown, reason: string): void => {
    found.push(problem(['spec', field], message, { field: `PolicySpec.${goField}`, value, reason }));
  };
  if (preDNAT === true && doNotTrack === true) {
    const reason = 'PreDNAT and DoNotTrack cannot both be true, for a given PolicySpec';
    add('preDNAT', 'cannot be true together with doNotTrack', 'PreDNAT', true, reason);
  }
  const egress = listOf(spec['egress']);
  const types = listOf(spec['types']).map(String);
  if (preDNAT === true && egress.length > 0) {
    // calicoctl prints the rules with addresses of its memory.
    add(
      'egress',
      'cannot have rules in a preDNAT policy',
      'Egress',
      '',
      'PreDNAT PolicySpec cannot have any Egress rules',
    );
  }
  for (const type of preDNAT === true ? types : []) {
    if (type !== 'Egress') continue;
    add(
      'types',
      'cannot have Egress in a preDNAT policy',
      'Types',
      types,
      "PreDNAT PolicySpec cannot have 'egress' Type",
    );
  }
  if ((preDNAT === true || doNotTrack === true) && applyOnForward !== true) {
    const reason = 'ApplyOnForward must be true if either PreDNAT or DoNotTrack is true, for a given PolicySpec';
    add('applyOnForward', 'must be true in a preDNAT or doNotTrack policy', 'ApplyOnForward', false, reason);
  }
  const struct = 'GlobalNetworkPolicySpec';
  found.push(
    ...repeatedTypes(spec, struct),
    ...rulesProblems(spec, 'egress', true),
    ...rulesProblems(spec, 'ingress', true),
    ...namespacesOfServices(spec),
    ...globalSelectors(spec, true),
  );
  return found;
}

/** A policy of the whole cluster has no namespace of its own in which a service could be. */
function namespacesOfServices(spec: Members): RuleProblem[] {
  return (['egress', 'ingress'] as const).flatMap((direction) => {
    const end = direction === 'egress' ? 'destination' : 'source';
    return listOf(spec[direction]).flatMap((one, index) => {
      const services = membersOf(membersOf(one)[end])['services'];
      if (!isSet(services) || membersOf(services)['namespace']) return [];
      const details = { field: 'Namespace', value: '', reason: 'must specify a namespace' };
      return [problem(['spec', direction, index, end, 'services', 'namespace'], 'is missing', details)];
    });
  });
}

function globalNetworkPolicyProblems(policy: Policy): RuleProblem[] {
  return [...ownMetadata(policy, (one) => oneOrTwoLabels.test(one), nameWords), ...globalSpecProblems(policy.spec)];
}

/** True when nothing but these fields is set. */
function isEmptyBut(spec: Members, ...names: readonly string[]): boolean {
  return Object.entries(spec).every(
    ([name, value]) =>
      names.includes(name) ||
      value === false ||
      value === '' ||
      !isSet(value) ||
      (Array.isArray(value) && value.length === 0),
  );
}

const deletionWords = 'must be the only field: stagedAction is Delete';

/** A deletion that is staged says nothing else. */
function deletionProblem(spec: Members, struct: string, reason: string, text: string): RuleProblem {
  const field = Object.keys(spec).find((name) => name !== 'stagedAction' && name !== 'tier') ?? 'stagedAction';
  return problem(['spec', field], deletionWords.replace('must be the only field', 'cannot be set'), {
    field: struct,
    value: text,
    reason,
  });
}

const deletionReason = 'Spec fields, except Tier, should all be zero-value if stagedAction is Delete';

/** Go's text of a member that is a pointer; calicoctl prints an address of its memory for one that is set. */
const pointerText = (value: unknown): string => (isSet(value) ? goText(value) : '<nil>');

function entityText(value: unknown): string {
  const { nets, selector, namespaceSelector, services, ports, notNets, notSelector, notPorts, serviceAccounts } =
    membersOf(value);
  const [in1, in2, in3, in4] = [nets, ports, notNets, notPorts].map((list) => goText(listOf(list)));
  const [text1, text2, text3] = [selector, namespaceSelector, notSelector].map(goText);
  return `{${in1} ${text1} ${text2} ${pointerText(services)} ${in2} ${in3} ${text3} ${in4} ${pointerText(serviceAccounts)}}`;
}

/** A rule as Go prints its struct. */
function ruleText(value: unknown): string {
  const { action, ipVersion, protocol, icmp, notProtocol, notICMP, source, destination, http, metadata } =
    membersOf(value);
  const [before, after] = [
    [ipVersion, protocol, icmp, notProtocol, notICMP],
    [http, metadata],
  ].map((all) => all.map(pointerText).join(' '));
  return `{${goText(action)} ${before} ${entityText(source)} ${entityText(destination)} ${after}}`;
}

/** Go's text of the fields of a spec, in the order of its type. */
function specText(spec: Members, fields: readonly string[]): string {
  const lists = ['types', 'performanceHints', 'policyTypes'];
  const switches = ['doNotTrack', 'preDNAT', 'applyOnForward'];
  const text = (name: string): string => {
    if (name === 'order') return pointerText(spec[name]);
    if (name === 'ingress' || name === 'egress') return `[${listOf(spec[name]).map(ruleText).join(' ')}]`;
    if (switches.includes(name)) return String(spec[name] === true);
    return lists.includes(name) ? goText(listOf(spec[name])) : goText(spec[name]);
  };
  return `{${fields.map(text).join(' ')}}`;
}

const policyFields = ['stagedAction', 'tier', 'order', 'ingress', 'egress', 'selector', 'types'];

/** The directions that a policy without types governs: ingress, and egress when it has only rules for that or for both. */
function typed(object: Policy): never {
  const { types: given, ...spec } = object.spec;
  // A deletion that is staged has none.
  if (spec['stagedAction'] === 'Delete') return { ...object, spec } as never;
  if (listOf(given).length > 0) return object as never;
  const [ingress, egress] = [listOf(spec['ingress']).length > 0, listOf(spec['egress']).length > 0];
  const types = egress ? (ingress ? ['Ingress', 'Egress'] : ['Egress']) : ['Ingress'];
  return { ...object, spec: { ...spec, types } } as never;
}

export const networkPolicyRules: Rules<never> = {
  problems: networkPolicyProblems as (object: never) => RuleProblem[],
  defaulted: typed,
};

export const globalNetworkPolicyRules: Rules<never> = {
  problems: globalNetworkPolicyProblems as (object: never) => RuleProblem[],
  defaulted: typed,
};

export const stagedNetworkPolicyRules: Rules<never> = {
  defaulted: typed,
  problems: (object: Policy) => {
    const found = ownMetadata(object, isOwnName, nameWords);
    const { spec } = object;
    if (spec['stagedAction'] !== 'Delete') return [...found, ...specProblems(spec)];
    if (isEmptyBut(spec, 'stagedAction', 'tier')) return found;
    const text = specText(spec, [...policyFields, 'serviceAccountSelector', 'performanceHints']);
    return [...found, deletionProblem(spec, 'StagedNetworkPolicySpec', deletionReason, text)];
  },
};

export const stagedGlobalNetworkPolicyRules: Rules<never> = {
  defaulted: typed,
  problems: (object: Policy) => {
    const { spec } = object;
    const found = ownMetadata(object, (one) => oneOrTwoLabels.test(one), nameWords);
    if (spec['stagedAction'] !== 'Delete') return [...found, ...globalSpecProblems(spec)];
    if (isEmptyBut(spec, 'stagedAction', 'tier')) return found;
    const more = [
      'doNotTrack',
      'preDNAT',
      'applyOnForward',
      'serviceAccountSelector',
      'namespaceSelector',
      'performanceHints',
    ];
    const text = specText(spec, [...policyFields, ...more]);
    return [...found, deletionProblem(spec, 'StagedGlobalNetworkPolicySpec', deletionReason, text)];
  },
};

export const stagedKubernetesNetworkPolicyRules: Rules<never> = {
  problems: (object: Policy) => {
    const { spec } = object;
    const found = ownMetadata(object, () => true, nameWords);
    if (spec['stagedAction'] !== 'Delete') return [...found, ...kubernetesRuleProblems(object.metadata.name, spec)];
    const selector = membersOf(spec['podSelector']);
    const isEmpty = isEmptyBut(spec, 'stagedAction', 'podSelector') && Object.keys(selector).length === 0;
    if (isEmpty) return found;
    const text = `{Delete ${kubernetesPolicyText(spec)}}`;
    const reason = 'Spec fields should all be zero-value if stagedAction is Delete';
    return [...found, deletionProblem(spec, 'StagedKubernetesNetworkPolicySpec', reason, text)];
  },
};

/** Tiers that Calico brings, with the order that they must have. */
const builtInOrders: Readonly<Record<CalicoApi, Readonly<Record<string, readonly [order: number, text: string]>>>> = {
  'crd.projectcalico.org/v1': {
    default: [1e6, '1e+06'],
    adminnetworkpolicy: [1000, '1000'],
    baselineadminnetworkpolicy: [1e7, '1e+07'],
  },
  'projectcalico.org/v3': {
    default: [1e6, '1e+06'],
    'kube-admin': [1000, '1000'],
    'kube-baseline': [1e7, '1e+07'],
  },
};

export const tierRules: Rules<never> = {
  problems: (tier: Policy, calicoApi) => {
    const { spec } = tier;
    const { name } = tier.metadata;
    const found = ownMetadata(
      tier,
      (one) => oneLabel.test(one),
      "must be one word of lower-case letters, digits and '-'",
      63,
    );
    const [order, text] = builtInOrders[calicoApi][name] ?? [];
    if (order !== undefined && spec['order'] !== order) {
      const reason = `${name} tier order must be ${text}`;
      const value = isSet(spec['order']) ? goText(spec['order']) : '<nil>';
      found.push(
        problem(['spec', 'order'], `must be ${order} in this tier`, { field: 'TierSpec.Order', value, reason }),
      );
    }
    return found;
  },
  defaulted: (tier: Policy) => {
    const { name } = tier.metadata;
    const action = name === 'adminnetworkpolicy' || name === 'baselineadminnetworkpolicy' ? 'Pass' : 'Deny';
    return { ...tier, spec: { ...tier.spec, defaultAction: tier.spec['defaultAction'] || action } } as never;
  },
};

/** Labels are checked as one. */
export const labelsTag = {
  name: 'labels',
  accepts: (value: unknown) => areLabels(membersOf(value) as Record<string, string>),
  message: 'must be labels: keys and values as those of metadata.labels',
};
