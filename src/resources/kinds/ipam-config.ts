// IPAMConfig `default`: strict affinity, automatic blocks, block limit. The values of a missing object are in ipam/config.ts.
import * as z from 'zod/mini';
import { column, nameColumn, yesNo } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, integer, objectSchema } from '../schema.ts';

const spec = z.looseObject({
  strictAffinity: flag,
  autoAllocateBlocks: flag,
  /** 0 or absent: no limit. */
  maxBlocksPerHost: integer,
});

export interface IPAMConfig extends KubeObject {
  spec: z.infer<typeof spec>;
}

const columns = [
  nameColumn,
  column<IPAMConfig>('STRICTAFFINITY', ({ spec }) => yesNo(spec.strictAffinity)),
  column<IPAMConfig>('AUTOALLOCATEBLOCKS', ({ spec }) => yesNo(spec.autoAllocateBlocks)),
  column<IPAMConfig>('MAXBLOCKSPERHOST', ({ spec }) => String(spec.maxBlocksPerHost ?? 0)),
];

export const ipamConfig: Kind<IPAMConfig> = {
  kind: 'IPAMConfig',
  aliases: ['ipamconfig', 'ipamconfigs'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'ipamconfigs' },
  v3: false,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  columns: { default: columns, wide: columns },
  fieldOrder: { spec: ['strictAffinity*', 'autoAllocateBlocks*', 'maxBlocksPerHost'] },
};
