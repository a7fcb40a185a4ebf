// IPPool: a range that Calico assigns addresses from.
import { isObject } from '../../text/plain-values.ts';
import { column, nameColumn, yesNo } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import {
  choice,
  cidr,
  field,
  fields,
  flag,
  integer,
  list,
  object,
  oneOf,
  selector,
  tagged,
  type Values,
} from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { ipPoolRules } from '../rules/ip-pool.ts';
import { tags } from '../rules/tags.ts';
import { conditions } from './conditions.ts';

const encapsulation = ['Always', 'CrossSubnet', 'Never'];

/** What calicoctl accepts in a manifest, besides the words of Calico 2. */
const legacyMode = tagged(oneOf('always', 'cross-subnet', 'Always', 'CrossSubnet', 'Never'), {
  name: 'ipIpMode',
  accepts: (value) => encapsulation.includes(String(value)),
  message: 'is a setting of Calico 2: set spec.ipipMode',
  refusesEmpty: 'ipIpMode',
});

const mustBeFalse = {
  name: 'mustBeFalse',
  accepts: (value: unknown) => value === false,
  message: 'is a setting of Calico 2: set natOutgoing',
};

const spec = fields(() => ({
  cidr: field(tagged(cidr, tags.net), 'Range of addresses of the pool; it cannot be changed.', {
    required: true,
    omit: 'never',
  }),
  vxlanMode: field(choice('vxlanMode', ...encapsulation), 'When traffic to the pool is encapsulated in VXLAN.', {
    default: 'Never',
    fill: 'empty',
  }),
  ipipMode: field(
    choice('ipIpMode', ...encapsulation),
    'When traffic to the pool is encapsulated in IP-in-IP; IPv4 only.',
    {
      default: 'Never',
      fill: 'empty',
    },
  ),
  natOutgoing: field(flag, 'Whether traffic from the pool to destinations outside of all pools is masqueraded.', {
    default: false,
  }),
  disabled: field(flag, 'Whether the pool is disabled: no new addresses are assigned, and those in use stay.', {
    default: false,
  }),
  disableBGPExport: field(flag, 'Whether routes of the pool are kept out of BGP.', { default: false }),
  blockSize: field(
    integer({ min: 20, max: 128 }),
    'Prefix length of the blocks that the pool is cut into (IPv4: 20 to 32, IPv6: 116 to 128); it cannot be changed.',
    {
      default: { about: '26 for IPv4, 122 for IPv6', of: (given) => (String(given['cidr']).includes(':') ? 122 : 26) },
      fill: 'empty',
    },
  ),
  nodeSelector: field(tagged(selector, tags.selector), 'Nodes that may use the pool.', {
    default: 'all()',
    fill: 'empty',
  }),
  namespaceSelector: field(
    tagged(selector, tags.selector),
    'Namespaces whose pods may use the pool; all namespaces when it is empty.',
  ),
  ipip: field(
    object(
      {
        enabled: field(flag, 'Whether IP-in-IP is on.'),
        mode: field(legacyMode, 'When traffic is encapsulated.'),
      },
      { struct: 'IPIPConfiguration' },
    ),
    'The form of ipipMode in Calico 2; read only, do not set.',
    { until: '3.31' },
  ),
  'nat-outgoing': field(tagged(flag, mustBeFalse), 'The form of natOutgoing in Calico 2; read only, do not set.', {
    until: '3.31',
  }),
  allowedUses: field(
    list({ ...oneOf('Workload', 'Tunnel', 'LoadBalancer'), go: 'v3.IPPoolAllowedUse' }),
    'What addresses of the pool are used for.',
    {
      default: ['Workload', 'Tunnel'],
      fill: 'empty',
    },
  ),
  assignmentMode: field(
    { ...choice('assignmentMode', 'Automatic', 'Manual'), go: 'v3.AssignmentMode' },
    'Whether the pool is chosen automatically, or used only where a pod or service asks for it.',
    { omit: 'unset', default: 'Automatic', fill: 'unset' },
  ),
}));

const status = fields(() => ({ conditions }));

export type IPPoolSpec = Values<typeof spec>;

export interface IPPool extends KubeObject {
  spec: IPPoolSpec;
  status?: Values<typeof status>;
}

/** The IPIP mode of a pool in the form of Calico 2, where it was a switch and a mode. */
function legacyIpipMode({ enabled, mode }: NonNullable<IPPoolSpec['ipip']>): string {
  if (!enabled) return 'Never';
  return mode === 'cross-subnet' ? 'CrossSubnet' : 'Always';
}

/** A copy without the fields of Calico 2, which say the same as current ones. */
function upgraded(pool: IPPool): IPPool {
  // A pool without a spec is malformed, and shown as it is.
  if (!isObject(pool.spec)) return pool;
  const { ipip, 'nat-outgoing': legacyNat, ...given } = pool.spec;
  return {
    ...pool,
    spec: {
      ...given,
      ...(ipip ? { ipipMode: legacyIpipMode(ipip) } : {}),
      ...(legacyNat ? { natOutgoing: true } : {}),
    },
  };
}

const cidrColumn = column<IPPool>('CIDR', ({ spec }) => spec.cidr);
const selectorColumn = column<IPPool>('SELECTOR', ({ spec }) => spec.nodeSelector ?? '');

export const ipPool: Kind<IPPool> = {
  kind: 'IPPool',
  about: 'A range of addresses that Calico assigns to pods, tunnels and load balancers.',
  aliases: ['ippool', 'ippools', 'ipp', 'ipps', 'pool', 'pools'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ippools' },
  fields: { spec, status, omitsStatus: true },
  codec: customResource,
  rules: ipPoolRules,
  upgraded,
  goNames: { 'spec.nat-outgoing': 'NATOutgoingV1' },
  columns: {
    default: [nameColumn, cidrColumn, selectorColumn],
    wide: [
      nameColumn,
      cidrColumn,
      column('NAT', ({ spec }) => yesNo(spec.natOutgoing)),
      column('IPIPMODE', ({ spec }) => spec.ipipMode || 'Never'),
      column('VXLANMODE', ({ spec }) => spec.vxlanMode || 'Never'),
      column('DISABLED', ({ spec }) => yesNo(spec.disabled)),
      column('DISABLEBGPEXPORT', ({ spec }) => yesNo(spec.disableBGPExport)),
      selectorColumn,
      column('ASSIGNMENTMODE', ({ spec }) => spec.assignmentMode ?? '<nil>'),
    ],
  },
};
