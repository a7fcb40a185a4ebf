// One stored affinity as the check sees it: parsed, with defaults for what is missing or cannot be read.
import type { AffinityState } from '../../ipam/affinity/affinities.ts';
import { type Cidr, formatCidr, parseCidr } from '../../net/cidr.ts';
import { type BlockAffinity, isDeletedAffinity } from '../../resources/kinds/block-affinity.ts';
import { lastWriteMs } from '../times.ts';

export interface AffinityView {
  readonly affinity: BlockAffinity;
  readonly name: string;
  readonly resourceVersion: string | undefined;
  /** As stored. */
  readonly cidrText: string;
  /** Canonical text, or undefined when spec.cidr cannot be read. */
  readonly cidr: string | undefined;
  readonly range: Cidr | undefined;
  readonly node: string;
  readonly type: 'host' | 'virtual';
  /** `<type>:<node>`, as a block names its owner. */
  readonly owner: string;
  readonly state: AffinityState;
  readonly tombstone: boolean;
  readonly writtenAtMs: number | undefined;
}

/** Parses an affinity; never throws: what is missing or broken becomes empty, or Calico's default. */
export function affinityView(affinity: BlockAffinity): AffinityView {
  const spec: Partial<Record<string, unknown>> = affinity.spec ?? {};
  const text = (key: string) => (typeof spec[key] === 'string' ? (spec[key] as string) : '');
  const range = parseCidr(text('cidr'));
  const type = text('type') === 'virtual' ? 'virtual' : 'host';
  const state = text('state');
  return {
    affinity,
    name: affinity.metadata.name,
    resourceVersion: affinity.metadata.resourceVersion,
    cidrText: text('cidr'),
    cidr: range && formatCidr(range),
    range,
    node: text('node'),
    type,
    owner: `${type}:${text('node')}`,
    state: state === 'pending' || state === 'pendingDeletion' ? state : 'confirmed',
    tombstone: affinity.spec !== undefined && isDeletedAffinity(affinity),
    writtenAtMs: lastWriteMs(affinity.metadata),
  };
}

/** Those that can be read and are not tombstones, by canonical CIDR text. */
export function affinitiesByCidr(affinities: readonly AffinityView[]): Map<string, AffinityView[]> {
  const map = new Map<string, AffinityView[]>();
  for (const affinity of affinities) {
    if (affinity.tombstone || affinity.cidr === undefined) continue;
    const list = map.get(affinity.cidr);
    if (list) list.push(affinity);
    else map.set(affinity.cidr, [affinity]);
  }
  return map;
}
