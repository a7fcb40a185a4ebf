// Tier: policies are applied tier by tier.
import { column, goNumber, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { choice, field, fields, number, type Values } from '../field.ts';
import { type CalicoApi, customResourceApi, type Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { tierRules } from '../rules/policy.ts';
import { conditions } from './conditions.ts';

/** What each generation of Calico keeps; `baselineadminnetworkpolicy` is not among them. */
const undeletable: Readonly<Record<CalicoApi, readonly string[]>> = {
  'crd.projectcalico.org/v1': ['default', 'adminnetworkpolicy'],
  'projectcalico.org/v3': ['default', 'kube-admin', 'kube-baseline'],
};

const spec = fields(() => ({
  order: field(number, 'Tiers apply in ascending order.', { omit: 'unset', default: 1_000_000, fill: 'unset' }),
  defaultAction: field(
    choice('oneof', 'Deny', 'Pass'),
    'What happens to packets of an endpoint that has policies in the tier, when none of them decides.',
    { omit: 'unset', default: 'Deny', fill: 'unset' },
  ),
}));

const status = fields(() => ({ conditions }));

export interface Tier extends KubeObject {
  spec: Values<typeof spec>;
  status?: Values<typeof status>;
}

/** Ascending; tiers without an order come last. */
function compare(a: Tier, b: Tier): number {
  const [left, right] = [a, b].map(({ spec }) => Number(spec.order ?? Number.POSITIVE_INFINITY)) as [number, number];
  return left === right ? 0 : left - right;
}

const columns = [nameColumn, column<Tier>('ORDER', ({ spec }) => goNumber(spec.order))];

export const tier: Kind<Tier> = {
  kind: 'Tier',
  about: 'A group of policies that apply together; tiers apply one after the other.',
  aliases: ['tier', 'tiers'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'tiers' },
  isRecent: true,
  fields: { spec, status, omitsStatus: customResourceApi },
  rules: tierRules,
  codec: customResource,
  compare,
  refusals: [
    {
      verbs: ['delete'],
      names: (name, calicoApi) => undeletable[calicoApi].includes(name),
      when: 'asked',
      message: (_, name) => `operation Delete is not supported on ${name}: Cannot delete ${name} tier`,
      hint: 'Calico needs this tier',
    },
  ],
  columns: { default: columns, wide: columns },
};
