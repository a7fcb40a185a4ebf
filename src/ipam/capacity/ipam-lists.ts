// The IPAM objects of a cluster as plain lists: what capacity is computed from and simulations start from.
import type { BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPReservation } from '../../resources/kinds/ip-reservation.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import type { IPAMConfig } from '../../resources/kinds/ipam-config.ts';
import type { Labels } from '../../resources/selector.ts';

export interface LabelledNode {
  readonly name: string;
  readonly labels: Labels;
}

/** Raw objects in name order; they are never changed. */
export interface IpamLists {
  readonly pools: readonly IPPool[];
  readonly blocks: readonly IPAMBlock[];
  readonly affinities: readonly BlockAffinity[];
  readonly reservations: readonly IPReservation[];
  readonly config: IPAMConfig | undefined;
  readonly nodes: readonly LabelledNode[];
  /** Labels of the namespace of the pods that are counted; none when absent, as pools without a namespaceSelector need none. */
  readonly namespaceLabels?: Labels | undefined;
}

/** The labels that all nodes have with the same value; empty when there are no nodes. */
export function commonLabels(nodes: readonly LabelledNode[]): Labels {
  const [first, ...others] = nodes;
  const same = Object.entries(first?.labels ?? {}).filter(([key, value]) =>
    others.every(({ labels }) => labels[key] === value),
  );
  return Object.fromEntries(same);
}
