// What the selectors of rules mean: workloads, host endpoints and network sets. Each has labels and addresses, and a
// selector is the set of addresses of those that it selects (docs/reference/policy.md#selectors).
import { type Cidr, cidrContains } from '../net/cidr.ts';
import type { IpAddress } from '../net/ip.ts';
import { type LabelSet, selects } from './labels.ts';
import { allOf, type Match, not } from './match.ts';

/** A port with a name, of a workload or a host endpoint. */
export interface NamedPort {
  readonly name: string;
  /** Number of the protocol: 6 for TCP. */
  readonly protocol: number;
  readonly port: number;
}

export interface Member {
  readonly type: 'workload' | 'host-endpoint' | 'network-set';
  /** Absent for host endpoints and global network sets. */
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Its own labels, with those that Calico sets. */
  readonly labels: LabelSet;
  /** Labels of its namespace, which `namespaceSelector` is about. */
  readonly namespaceLabels: LabelSet;
  /** Labels of its service account, which `serviceAccounts.selector` and `serviceAccountSelector` are about. */
  readonly accountLabels: LabelSet;
  readonly nets: readonly Cidr[];
  readonly ports: readonly NamedPort[];
  /** Names of its profiles, in order. */
  readonly profiles: readonly string[];
}

export const namespaceLabel = 'projectcalico.org/namespace';
export const orchestratorLabel = 'projectcalico.org/orchestrator';
export const accountLabel = 'projectcalico.org/serviceaccount';
/** What Calico calls a namespace or a service account among the labels of it. */
export const nameLabel = 'projectcalico.org/name';

export function hasAddress({ nets }: Member, ip: IpAddress): boolean {
  return nets.some((net) => cidrContains(net, ip));
}

/** Which members something is about. */
export interface MemberSelector {
  /** For people: `app == 'web' in namespace shop`. */
  readonly text: string;
  /** True for the selectors of Kubernetes, which select pods only: it does not matter which other members exist. */
  readonly podsOnly: boolean;
  test(member: Member): Match;
}

const allCalls = /\ball\([ \t]*\)/g;
const globalCalls = /\bglobal\([ \t]*\)/g;

/** What `all()` means as a namespaceSelector, and `global()` the opposite of. */
function hasNamespace({ labels }: Member): boolean {
  return Object.hasOwn(labels.known, namespaceLabel);
}

/** Stands for `all()` in a selector on the labels of a namespace; no label of an object can have this name. */
const marker = '//in-a-namespace';

function isSelectedNamespace(selector: string, member: Member): Match {
  const { known, unread } = member.namespaceLabels;
  const text = selector.replace(allCalls, `has(${marker})`).replace(globalCalls, `!has(${marker})`);
  // Without a namespace there are no labels of one, whatever was read.
  if (!hasNamespace(member)) return selects(text, { known });
  return selects(text, { known: { ...known, [marker]: '' }, unread });
}

/** One side of a rule, or what a policy is for, as far as it is about labels. */
export interface SelectorFields {
  /** Of a namespaced policy. */
  readonly namespace?: string | undefined;
  readonly selector?: string | null | undefined;
  readonly notSelector?: string | null | undefined;
  readonly namespaceSelector?: string | null | undefined;
  readonly accountNames?: readonly string[] | null | undefined;
  readonly accountSelector?: string | null | undefined;
  readonly podsOnly?: boolean;
}

/** `notSelector` where nothing else narrows the rule: it matches addresses outside the cluster too. */
export interface EntitySelectors {
  readonly selector?: MemberSelector;
  readonly notSelector?: MemberSelector;
}

function ofSelector(text: string, podsOnly: boolean): MemberSelector {
  return { text, podsOnly, test: (member) => selects(text, member.labels) };
}

/** Checks a text that no member may be there to be compared with. Errors: SelectorError. */
function checkSelector(text: string | null | undefined): void {
  if (text) selects(text, { known: {} });
}

/**
 * The selectors of one side of a rule. As soon as a namespaced policy uses any of them, that side is limited to its
 * namespace, or to those that `namespaceSelector` selects. Errors: SelectorError.
 */
export function entitySelectors(fields: SelectorFields): EntitySelectors {
  const { namespace, selector, notSelector, namespaceSelector, accountNames, accountSelector } = fields;
  const podsOnly = fields.podsOnly ?? false;
  for (const text of [selector, notSelector, accountSelector]) checkSelector(text);
  if (namespaceSelector) checkSelector(namespaceSelector);
  const tests: ((member: Member) => Match)[] = [];
  const texts: string[] = [];
  if (selector) {
    tests.push((member) => selects(selector, member.labels));
    texts.push(selector);
  }
  if (accountNames && accountNames.length > 0) {
    tests.push(({ labels }) => accountNames.includes(labels.known[accountLabel] ?? ''));
    texts.push(`service account ${accountNames.join(' or ')}`);
  }
  if (accountSelector) {
    tests.push(({ accountLabels }) => selects(accountSelector, accountLabels));
    texts.push(`service account ${accountSelector}`);
  }
  const isUsed = tests.length > 0 || Boolean(notSelector) || Boolean(namespaceSelector);
  if (namespaceSelector) {
    tests.push((member) => isSelectedNamespace(namespaceSelector, member));
    texts.push(`namespace ${namespaceSelector}`);
  } else if (namespace !== undefined && isUsed) {
    tests.push(({ labels }) => labels.known[namespaceLabel] === namespace);
    texts.push(`namespace ${namespace}`);
  }
  if (tests.length === 0) return notSelector ? { notSelector: ofSelector(notSelector, podsOnly) } : {};
  if (notSelector) {
    tests.push(({ labels }) => not(selects(notSelector, labels)));
    texts.push(`not ${notSelector}`);
  }
  const test = (member: Member): Match => allOf(...tests.map((one) => one(member)));
  return { selector: { text: texts.join(', '), podsOnly, test } };
}

/**
 * Which endpoints a policy is for. In a GlobalNetworkPolicy with a namespaceSelector `all()` means "in a namespace", also
 * in its selector, and with a serviceAccountSelector "with a service account". Errors: SelectorError.
 */
export function policySelector(fields: SelectorFields): MemberSelector {
  const { namespace, selector, namespaceSelector, accountSelector } = fields;
  const text = (raw: string): string => {
    if (namespace !== undefined) return raw;
    if (namespaceSelector) return raw.replace(allCalls, `has(${namespaceLabel})`);
    return accountSelector ? raw.replace(allCalls, `has(${accountLabel})`) : raw;
  };
  const shown = [...(selector ? [selector] : [])];
  const tests: ((member: Member) => Match)[] = [];
  if (selector) {
    checkSelector(selector);
    tests.push((member) => selects(text(selector), member.labels));
  }
  if (namespaceSelector) {
    checkSelector(namespaceSelector);
    tests.push((member) => isSelectedNamespace(namespaceSelector, member));
    shown.push(`namespace ${namespaceSelector}`);
  } else if (namespace !== undefined) {
    tests.push(({ labels }) => labels.known[namespaceLabel] === namespace);
  }
  if (accountSelector) {
    checkSelector(accountSelector);
    const isAll = namespace === undefined && /^[ \t]*all\([ \t]*\)[ \t]*$/.test(accountSelector);
    tests.push((member) =>
      isAll ? Object.hasOwn(member.labels.known, accountLabel) : selects(accountSelector, member.accountLabels),
    );
    shown.push(`service account ${accountSelector}`);
  }
  return {
    text: shown.join(', ') || 'all()',
    podsOnly: fields.podsOnly ?? false,
    test: (member) => allOf(...tests.map((one) => one(member))),
  };
}
