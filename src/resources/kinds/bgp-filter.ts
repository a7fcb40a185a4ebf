// BGPFilter: which routes the sessions of a BGPPeer import and export.

import { column, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import {
  choice,
  cidr,
  type FieldType,
  field,
  fields,
  integer,
  list,
  object,
  oneOf,
  tagged,
  text,
  type Values,
} from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { filterOperationProblems, filterRuleProblems } from '../rules/bgp.ts';
import { needed, tags, within } from '../rules/tags.ts';

const priority = integer({ min: 1, max: 2147483646 });
const asPath = list(integer({ min: 0, max: 4294967295 }));
const community = { ...text, format: 'community: aa:nn or aa:nn:mm' };

/** One entry of the list changes one thing. */
const operation = fields(() => ({
  addCommunity: field(
    object({ value: field(community, 'The community.', { required: true, omit: 'never' }) }),
    'Adds a community.',
  ),
  prependASPath: field(
    object({ prefix: field(asPath, 'AS numbers, the first in front.', { required: true, omit: 'never' }) }),
    'Puts AS numbers in front of the AS path.',
  ),
  setPriority: field(
    object({
      value: field({ ...priority, problems: within('Value', 1, 2147483646) }, 'The priority.', {
        required: true,
        omit: 'never',
      }),
    }),
    'Sets the priority (metric) of the route.',
  ),
}));

/** A rule for routes of the family whose longest prefix this is. */
function ruleFields(bits: 32 | 128) {
  const version = bits === 32 ? 'V4' : 'V6';
  const prefix = tagged(cidr, bits === 32 ? tags.netv4 : tags.netv6);
  const length = (goName: string): FieldType<number> => ({
    ...integer({ min: 0, max: bits }),
    problems: within(goName, 0, bits, `bgpFilterPrefixLength${version}`),
  });
  return fields(() => ({
    cidr: field(prefix, 'Prefix that routes are compared with; needs matchOperator.'),
    prefixLength: field(
      object({
        min: field(length('Min'), 'Shortest prefix that matches.', { omit: 'unset' }),
        max: field(length('Max'), 'Longest prefix that matches.', { omit: 'unset' }),
      }),
      'Prefix lengths of the routes that match; needs cidr.',
    ),
    source: field(choice('oneof', 'RemotePeers'), 'Where the routes come from.'),
    interface: field(
      tagged(text, { ...tags.interfacePattern, name: 'bgpFilterInterface' }),
      'Interface of the routes; `*` matches any characters.',
    ),
    matchOperator: field(
      choice('matchOperator', 'Equal', 'NotEqual', 'In', 'NotIn'),
      'How the route compares to cidr.',
    ),
    peerType: field(oneOf('eBGP', 'iBGP'), 'Sessions that the rule is for.', { since: '3.32' }),
    communities: field(
      object({ values: field(list(community), 'Communities of the route.', { required: true, omit: 'never' }) }),
      'Communities that the route must have.',
      { since: '3.32' },
    ),
    asPathPrefix: field(asPath, 'AS numbers that the AS path begins with.', { since: '3.32' }),
    priority: field(priority, 'Priority (metric) of the route.', { omit: 'unset', since: '3.32' }),
    action: field(
      needed(choice('filterAction', 'Accept', 'Reject'), 'required'),
      'What happens to routes that match.',
      { required: true, omit: 'never' },
    ),
    operations: field(
      list(object(operation, { check: filterOperationProblems })),
      'What is changed in routes that are accepted.',
      { since: '3.32' },
    ),
  }));
}

const rulesV4 = list(object(ruleFields(32), { struct: 'BGPFilterRuleV4', check: filterRuleProblems }));
const rulesV6 = list(object(ruleFields(128), { struct: 'BGPFilterRuleV6', check: filterRuleProblems }));

const spec = fields(() => ({
  exportV4: field(rulesV4, 'Rules for IPv4 routes to the peer; the first that matches decides.'),
  importV4: field(rulesV4, 'Rules for IPv4 routes from the peer; the first that matches decides.'),
  exportV6: field(rulesV6, 'Rules for IPv6 routes to the peer; the first that matches decides.'),
  importV6: field(rulesV6, 'Rules for IPv6 routes from the peer; the first that matches decides.'),
}));

export interface BGPFilter extends KubeObject {
  spec: Values<typeof spec>;
}

const columns = [
  nameColumn,
  column<BGPFilter>('NUMEXPORTV4', ({ spec }) => String(spec.exportV4?.length ?? 0)),
  column<BGPFilter>('NUMIMPORTV4', ({ spec }) => String(spec.importV4?.length ?? 0)),
  column<BGPFilter>('NUMEXPORTV6', ({ spec }) => String(spec.exportV6?.length ?? 0)),
  column<BGPFilter>('NUMIMPORTV6', ({ spec }) => String(spec.importV6?.length ?? 0)),
];

export const bgpFilter: Kind<BGPFilter> = {
  kind: 'BGPFilter',
  about: 'Which routes nodes accept from BGP peers and send to them.',
  aliases: ['bgpfilter', 'bgpfilters', 'bgpf', 'bgpfs', 'bf', 'bfs'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'bgpfilters' },
  isRecent: true,
  fields: { spec },
  codec: customResource,
  columns: { default: columns, wide: columns },
};
