// IPAMConfig `default`: strict affinity, automatic blocks, block limit. The values of a missing object are in ipam/config.ts.
import { column, nameColumn, yesNo } from '../cells.ts';
import { field, fields, flag, integer, oneOf, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { ipamOnly } from '../refusals.ts';

const spec = fields(() => ({
  strictAffinity: field(flag, 'Whether nodes take addresses only from their own blocks, and borrow none.', {
    omit: 'never',
    default: false,
  }),
  autoAllocateBlocks: field(flag, 'Whether nodes claim new blocks when theirs are full.', {
    omit: 'never',
    default: true,
  }),
  maxBlocksPerHost: field(
    integer({ min: 0, max: 2147483647 }),
    'Maximum number of blocks that a node may own; 0 for the default of 20.',
    {
      default: 0,
    },
  ),
  kubeVirtVMAddressPersistence: field(
    oneOf('Enabled', 'Disabled'),
    'Whether a KubeVirt VM keeps its addresses when its pod is replaced; from Calico 3.32.',
    { omit: 'unset', default: 'Enabled' },
  ),
}));

export interface IPAMConfig extends KubeObject {
  spec: Values<typeof spec>;
}

const columns = [
  nameColumn,
  column<IPAMConfig>('STRICTAFFINITY', ({ spec }) => yesNo(spec.strictAffinity)),
  column<IPAMConfig>('AUTOALLOCATEBLOCKS', ({ spec }) => yesNo(spec.autoAllocateBlocks)),
  column<IPAMConfig>('MAXBLOCKSPERHOST', ({ spec }) => String(spec.maxBlocksPerHost ?? 0)),
];

export const ipamConfig: Kind<IPAMConfig> = {
  kind: 'IPAMConfig',
  about: 'Settings of IPAM for the whole cluster; one object, `default`.',
  aliases: ['ipamconfig', 'ipamconfigs', 'ipamconfiguration', 'ipamconfigurations'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipamconfigs' },
  native: { kind: 'IPAMConfiguration', plural: 'ipamconfigurations' },
  fields: { spec },
  refusals: ipamOnly,
  columns: { default: columns, wide: columns },
};
