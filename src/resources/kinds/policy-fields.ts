// What the kinds of Calico's policies share: their fields, columns and names.
import { column, goNumber, nameColumn } from '../cells.ts';
import { choice, field, flag, list, number, selector as selectorText, tagged, text } from '../field.ts';
import type { AppliedOrder, Column, Naming } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { defaultTier, policyNameProblem, storedPolicyNames } from '../policy-names.ts';
import { tags, unique } from '../rules/tags.ts';
import { type Rule, rules } from './policy-rule-fields.ts';
import { tier } from './tier.ts';

const selector = tagged(selectorText, tags.selector);

const tierField = field(tagged(text, tags.name), 'Tier of the policy.', { default: defaultTier });

const orderField = field(number, 'Policies of a tier apply in ascending order; those without one come last.', {
  omit: 'unset',
});

const rulesFields = {
  ingress: field(rules, 'Rules for packets to the endpoints.'),
  egress: field(rules, 'Rules for packets from the endpoints.'),
};

const selectorField = field(selector, 'Labels of the endpoints that the policy applies to; all when it is empty.', {
  default: 'all()',
});

const typesField = field(list(choice('policyType', 'Ingress', 'Egress')), 'Directions that the policy applies to.', {
  default: { about: '`Ingress`, or what the policy has rules for' },
});

const serviceAccountSelectorField = field(
  selector,
  'Labels of the service accounts of pods that the policy applies to.',
);

const performanceHintsField = field(
  list({ ...choice('oneof', 'AssumeNeededOnEveryNode'), go: 'v3.PolicyPerformanceHint' }, unique),
  'What Felix may assume, to program the policy faster.',
);

/** Fields of a policy of a namespace. */
export const networkPolicyFields = () => ({
  tier: tierField,
  order: orderField,
  ...rulesFields,
  selector: selectorField,
  types: typesField,
  serviceAccountSelector: serviceAccountSelectorField,
  performanceHints: performanceHintsField,
});

/** Fields of a policy of the whole cluster. */
export const globalNetworkPolicyFields = () => ({
  tier: tierField,
  order: orderField,
  ...rulesFields,
  selector: selectorField,
  types: typesField,
  doNotTrack: field(flag, 'Whether the policy applies before connection tracking; for host endpoints.', {
    default: false,
  }),
  preDNAT: field(flag, 'Whether the policy applies before DNAT; for host endpoints.', { default: false }),
  applyOnForward: field(flag, 'Whether the policy applies to packets that a host endpoint forwards.', {
    default: false,
  }),
  serviceAccountSelector: serviceAccountSelectorField,
  namespaceSelector: field(selector, 'Labels of the namespaces of pods that the policy applies to.'),
  performanceHints: performanceHintsField,
});

/** The field that staged policies have before all others. */
export const stagedActionField = field(
  choice('stagedAction', 'Set', 'Delete', 'Learn', 'Ignore'),
  'What the policy would do if it were enforced: replace the policy of the same name, or delete it.',
  { default: 'Set' },
);

/** What the columns of all kinds of policies in tiers are made from. */
export interface TieredPolicy extends KubeObject {
  spec: {
    tier?: string | undefined;
    order?: number | bigint | undefined;
    selector?: string | undefined;
    ingress?: Rule[] | undefined;
    egress?: Rule[] | undefined;
    [field: string]: unknown;
  };
}

const tierColumn = column<TieredPolicy>('TIER', ({ spec }) => spec.tier ?? '');

export const policyColumns: { readonly default: Column<TieredPolicy>[]; readonly wide: Column<TieredPolicy>[] } = {
  default: [nameColumn, tierColumn],
  wide: [
    nameColumn,
    tierColumn,
    column('ORDER', ({ spec }) => goNumber(spec.order)),
    column('SELECTOR', ({ spec }) => spec.selector ?? ''),
  ],
};

const unset = Number.POSITIVE_INFINITY;
/** Of a tier that names none. */
const orderOfTiers = 1_000_000;

/** By the order of the tier, then that of the policy, those without an order last; then by name. */
export const policyOrder: AppliedOrder<TieredPolicy> = {
  needs: [{ kind: tier }],
  compare: (a, b, related) => {
    const tiers = related.all(tier);
    const tierOf = ({ spec }: TieredPolicy): string => spec.tier || defaultTier;
    const orderOfTier = (policy: TieredPolicy): number => {
      const found = tiers.find(({ metadata }) => metadata.name === tierOf(policy));
      return found === undefined ? unset : Number(found.spec?.order ?? orderOfTiers);
    };
    const orders = (policy: TieredPolicy): readonly (number | string)[] => [
      orderOfTier(policy),
      tierOf(policy),
      Number(policy.spec.order ?? unset),
      policy.metadata.name,
      policy.metadata.namespace ?? '',
    ];
    const [left, right] = [orders(a), orders(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    if (at < 0) return 0;
    return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
  },
};

/** Names of policies in tiers. */
export const policyNaming: Naming = {
  storedNames: storedPolicyNames,
  problem: ({ metadata, spec }) => policyNameProblem((spec as TieredPolicy['spec'] | undefined)?.tier, metadata.name),
};
