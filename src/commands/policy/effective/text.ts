// What `policy effective` prints: tiers, policies and rules in the order of evaluation; a document.
import { formatCidr } from '../../../net/cidr.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { type Style, styleOf, type TextView } from '../../../output/style.ts';
import { wrap } from '../../../output/wrap.ts';
import { anyTier, type Profile } from '../../../policy/cluster.ts';
import type { Effective, EffectivePolicy, EffectiveTier, Stage } from '../../../policy/effective.ts';
import { isUnsure } from '../../../policy/match.ts';
import type { Member } from '../../../policy/member.ts';
import { type Direction, type Policy, policyTitle } from '../../../policy/policy.ts';
import type { Rule } from '../../../policy/rule.ts';
import { ruleConditions } from '../../../policy/rule-text.ts';
import { printYaml } from '../../../text/yaml.ts';
import type { UnreadKind } from '../read-cluster.ts';

export interface DirectionShown {
  readonly direction: Direction;
  readonly stage: Stage;
  readonly effective: Effective;
}

export interface EndpointShown {
  readonly member: Member;
  readonly node: string;
  readonly directions: readonly DirectionShown[];
}

export interface EffectiveShown {
  readonly endpoints: readonly EndpointShown[];
  readonly unread: readonly UnreadKind[];
}

const stageTexts: Readonly<Record<Stage, string>> = {
  untracked: ', doNotTrack policies',
  'pre-dnat': ', preDNAT policies',
  ordinary: '',
};

const orderText = (order: number): string => (Number.isFinite(order) ? `order ${order}` : 'no order');

/** Only what says more than that it is an ordinary policy. */
function marks({ staged, doNotTrack, preDNAT, applyOnForward, namespace }: Policy): string[] {
  return [
    ...(staged ? ['staged, not enforced'] : []),
    ...(doNotTrack ? ['doNotTrack'] : []),
    ...(preDNAT ? ['preDNAT'] : []),
    ...(applyOnForward && namespace === undefined ? ['applyOnForward'] : []),
  ];
}

class Writer {
  readonly #width: number;
  readonly #style: Style;
  readonly lines: string[] = [];

  constructor({ columns, colour }: TextView) {
    this.#width = columns;
    this.#style = styleOf(colour);
  }

  add(text: string, depth: number, paint = (line: string): string => line): void {
    const indent = '  '.repeat(depth);
    this.lines.push(paint(wrap(printable(text), this.#width, indent, `${indent}    `)));
  }

  endpoint({ member, node, directions }: EndpointShown): void {
    const { type, namespace, name, nets, profiles } = member;
    const title = type === 'workload' ? `${namespace}/${name}` : `host endpoint ${name}`;
    const addresses = nets.map((net) => formatCidr(net).replace(/\/(32|128)$/, '')).join(', ');
    this.add(`${title} on node ${node}${addresses === '' ? '' : ` (${addresses})`}`, 0, this.#style.strong);
    if (profiles.length > 0) this.add(`profiles: ${profiles.join(', ')}`, 0);
    for (const one of directions) {
      if (one.stage !== 'ordinary' && one.effective.tiers.length === 0) continue;
      this.lines.push('');
      this.direction(one);
    }
  }

  direction({ direction, stage, effective: { tiers, profiles } }: DirectionShown): void {
    this.add(`${direction}${stageTexts[stage]}`, 0, this.#style.strong);
    for (const tier of tiers) this.tier(tier, stage);
    if (tiers.length === 0 && stage === 'ordinary') this.add('no policy applies', 1);
    for (const profile of profiles) this.profile(profile, direction);
  }

  tier({ tier, policies }: EffectiveTier, stage: Stage): void {
    const isStagedOnly = policies.every(({ policy }) => policy.staged);
    if (tier.name !== anyTier) {
      const end = isStagedOnly || stage !== 'ordinary' ? 'no end' : `ends with ${tier.defaultAction}`;
      const missing = tier.exists ? '' : ', does not exist';
      this.add(`tier ${tier.name} (${orderText(tier.order)}${missing}, ${end})`, 1);
    }
    for (const policy of policies) this.policy(policy);
  }

  policy({ policy, selection, rules }: EffectivePolicy): void {
    if (policy.unsure !== undefined) {
      this.add(`not known: ${policy.unsure.because}`, 2, this.#style.warning);
      return;
    }
    const notes = [orderText(policy.order), ...marks(policy)].join(', ');
    const paint = policy.staged ? this.#style.dim : (line: string): string => line;
    this.add(`${policyTitle(policy)} (${notes}) for ${policy.selector.text}`, 2, paint);
    if (isUnsure(selection))
      this.add(`it is not known whether it applies: ${selection.because}`, 3, this.#style.warning);
    if (rules.length === 0) this.add('no rules', 3, paint);
    for (const rule of rules) this.add(ruleLine(rule), 3, paint);
  }

  profile({ name, unsure, ...rules }: Profile, direction: Direction): void {
    this.add(`profile ${name}${unsure === undefined ? '' : ` (not known: ${unsure})`}`, 1);
    if (rules[direction].length === 0) this.add('no rules', 2);
    for (const rule of rules[direction]) this.add(ruleLine(rule), 2);
  }
}

function ruleLine(rule: Rule): string {
  const conditions = ruleConditions(rule);
  return `${rule.index} ${rule.action}${conditions === '' ? '' : ` ${conditions}`}`;
}

/** For people: one block for each direction. */
export function policyEffectiveText({ endpoints, unread }: EffectiveShown, view: TextView): string {
  const writer = new Writer(view);
  for (const [index, endpoint] of endpoints.entries()) {
    if (index > 0) writer.lines.push('');
    writer.endpoint(endpoint);
  }
  if (unread.length > 0) writer.lines.push('');
  for (const { reason } of unread) writer.add(`not read: ${reason}`, 0);
  return `${writer.lines.join('\n')}\n`;
}

const finite = (order: number): number | null => (Number.isFinite(order) ? order : null);

const ruleDocument = (rule: Rule): object => ({ index: rule.index, action: rule.action, match: ruleConditions(rule) });

function policyDocument({ policy, selection, rules }: EffectivePolicy): object {
  const { kind, namespace = null, name, staged, doNotTrack, preDNAT, applyOnForward, unsure } = policy;
  const doubt = unsure?.because ?? (isUnsure(selection) ? selection.because : undefined);
  return {
    kind,
    namespace,
    name: name === '' ? null : name,
    order: finite(policy.order),
    staged,
    ...(namespace === null && (doNotTrack || preDNAT || applyOnForward) ? { doNotTrack, preDNAT, applyOnForward } : {}),
    selector: policy.selector.text,
    rules: rules.map(ruleDocument),
    ...(doubt === undefined ? {} : { doubt }),
  };
}

function directionDocument({ effective: { tiers, profiles }, direction }: DirectionShown): object {
  return {
    tiers: tiers.map(({ tier, policies }) => ({
      name: tier.name === anyTier ? null : tier.name,
      order: finite(tier.order),
      defaultAction: tier.name === anyTier ? null : tier.defaultAction,
      policies: policies.map(policyDocument),
    })),
    profiles: profiles.map((profile) => ({ name: profile.name, rules: profile[direction].map(ruleDocument) })),
  };
}

function endpointDocument({ member, node, directions }: EndpointShown): object {
  const { namespace = null, name, labels, nets, profiles } = member;
  const of = (direction: Direction, stage: Stage): object | undefined => {
    const found = directions.find((one) => one.direction === direction && one.stage === stage);
    return found === undefined ? undefined : directionDocument(found);
  };
  const early = directions.some(({ stage }) => stage !== 'ordinary')
    ? {
        doNotTrack: { ingress: of('ingress', 'untracked'), egress: of('egress', 'untracked') },
        preDNAT: { ingress: of('ingress', 'pre-dnat') },
      }
    : {};
  return {
    endpoint: {
      kind: member.type === 'workload' ? 'Pod' : 'HostEndpoint',
      namespace,
      name,
      node,
      addresses: nets.map(formatCidr),
      labels: labels.known,
      profiles,
    },
    ...early,
    ingress: of('ingress', 'ordinary'),
    egress: of('egress', 'ordinary'),
  };
}

function document({ endpoints, unread }: EffectiveShown): object {
  const [first] = endpoints;
  const header = { apiVersion: 'calictl/v1', kind: 'EffectivePolicies' };
  if (endpoints.length === 1 && first?.member.type === 'workload')
    return { ...header, ...endpointDocument(first), unread };
  return { ...header, kind: 'EffectivePoliciesList', items: endpoints.map(endpointDocument), unread };
}

/** Everything as one JSON document. */
export const policyEffectiveJson = (shown: EffectiveShown): string => jsonDocument(document(shown));
/** The same as YAML. */
export const policyEffectiveYaml = (shown: EffectiveShown): string => printYaml(document(shown));
