// IPPool: a range that Calico hands addresses out of.
import * as z from 'zod/mini';
import { column, nameColumn, yesNo } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, integer, objectSchema, text, texts } from '../schema.ts';

const spec = z.looseObject({
  cidr: z.string(),
  /** Always, CrossSubnet or Never. */
  vxlanMode: text,
  ipipMode: text,
  natOutgoing: flag,
  disabled: flag,
  disableBGPExport: flag,
  /** Prefix length of the blocks that the pool is cut into. */
  blockSize: integer,
  nodeSelector: text,
  namespaceSelector: text,
  ipip: z.optional(z.looseObject({ enabled: flag, mode: text })),
  'nat-outgoing': flag,
  /** Workload, Tunnel, LoadBalancer. */
  allowedUses: texts,
  /** Automatic or Manual. */
  assignmentMode: text,
});

export type IPPoolSpec = z.infer<typeof spec>;

export interface IPPool extends KubeObject {
  spec: IPPoolSpec;
}

/** The IPIP mode of a pool in the form of Calico 2, where it was a switch and a mode. */
function legacyIpipMode({ enabled, mode }: NonNullable<IPPoolSpec['ipip']>): string {
  if (!enabled) return 'Never';
  return mode === 'cross-subnet' ? 'CrossSubnet' : 'Always';
}

/** A copy with the defaults that every reader of a pool applies, docs/reference/ipam.md. */
function withDefaults(pool: IPPool): IPPool {
  const { ipip, 'nat-outgoing': legacyNat, ...given } = pool.spec;
  return {
    ...pool,
    spec: {
      ...given,
      vxlanMode: given.vxlanMode || 'Never',
      ipipMode: ipip ? legacyIpipMode(ipip) : given.ipipMode || 'Never',
      ...(legacyNat ? { natOutgoing: true } : {}),
      blockSize: given.blockSize || (given.cidr.includes(':') ? 122 : 26),
      nodeSelector: given.nodeSelector || 'all()',
      allowedUses: given.allowedUses?.length ? given.allowedUses : ['Workload', 'Tunnel'],
      assignmentMode: given.assignmentMode ?? 'Automatic',
    },
  };
}

const cidr = column<IPPool>('CIDR', ({ spec }) => spec.cidr);
const selector = column<IPPool>('SELECTOR', ({ spec }) => spec.nodeSelector ?? '');

export const ipPool: Kind<IPPool> = {
  kind: 'IPPool',
  aliases: ['ippool', 'ippools', 'ipp', 'ipps', 'pool', 'pools'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ippools' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  withDefaults,
  columns: {
    default: [nameColumn, cidr, selector],
    wide: [
      nameColumn,
      cidr,
      column('NAT', ({ spec }) => yesNo(spec.natOutgoing)),
      column('IPIPMODE', ({ spec }) => spec.ipipMode || 'Never'),
      column('VXLANMODE', ({ spec }) => spec.vxlanMode || 'Never'),
      column('DISABLED', ({ spec }) => yesNo(spec.disabled)),
      column('DISABLEBGPEXPORT', ({ spec }) => yesNo(spec.disableBGPExport)),
      selector,
      column('ASSIGNMENTMODE', ({ spec }) => spec.assignmentMode ?? '<nil>'),
    ],
  },
  fieldOrder: {
    spec: [
      'cidr*',
      'vxlanMode',
      'ipipMode',
      'natOutgoing',
      'disabled',
      'disableBGPExport',
      'blockSize',
      'nodeSelector',
      'namespaceSelector',
      'ipip',
      'nat-outgoing',
      'allowedUses',
      'assignmentMode?',
    ],
    'spec.ipip': ['enabled', 'mode'],
  },
};
