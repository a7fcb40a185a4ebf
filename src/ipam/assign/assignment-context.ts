// What an assignment reads before it looks for a block: the owner, its pools and affinities, and the configuration.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { type Cidr, cidrContains, parseCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import type { BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { Labels } from '../../resources/selector.ts';
import { releaseUnselected } from '../affinity/affinity-release.ts';
import type { BlockOwner } from '../affinity/claim-block.ts';
import { maxPrefixLength } from '../block/block.ts';
import { type BlockSequence, blockSequence } from '../block/block-sequence.ts';
import { type IpamSettings, settingsOf } from '../config.ts';
import type { IpamStore } from '../ipam-store.ts';
import { type ChosenPool, choosePools, type IntendedUse } from '../pool/pool-choice.ts';
import { reservationCidrs } from '../pool/pools.ts';
import type { AllocatorWorld } from '../retries.ts';
import { assignmentOwnerOf, checkBorrowing, ownerFor } from './assignment-owner.ts';

export interface BlockRequest {
  /** The node, or for the use LoadBalancer the virtual owner `load-balancer`. */
  readonly node: string;
  readonly version: 4 | 6;
  readonly use: IntendedUse;
  /** Pools to assign from, by CIDR, whatever they select; if none, those that select the node and the namespace. */
  readonly pools?: readonly Cidr[];
  /** Labels of the namespace that the addresses are for; absent if it has none. */
  readonly namespaceLabels?: Labels | undefined;
  /** Ranges to avoid as if reserved, because two blocks contain them. */
  readonly avoid?: readonly Cidr[];
}

export interface Prepared {
  readonly owner: BlockOwner;
  readonly pools: readonly ChosenPool[];
  /** The order in which the blocks of each pool are tried; computed on first use. */
  readonly sequences: () => readonly BlockSequence[];
  /** The affinities of the owner in these pools, in name order. */
  readonly affinities: readonly BlockAffinity[];
  readonly reserved: IntervalSet;
  readonly settings: IpamSettings;
  readonly allPools: readonly IPPool[];
}

/**
 * Reads everything once, and releases the empty blocks of pools that no longer select the node.
 * Errors: CalictlError for an unknown node, or if there is no pool to assign from, before anything is written.
 */
export async function prepare(store: IpamStore, request: BlockRequest, { clock }: AllocatorWorld): Promise<Prepared> {
  const { node, version, use, pools: requested = [], namespaceLabels = {}, avoid = [] } = request;
  const wantedOwner = ownerFor(use, node);
  const [owner, allPools, reservations, own, config] = await Promise.all([
    assignmentOwnerOf(store, wantedOwner),
    store.pools(),
    store.reservations(),
    store.affinitiesOf(wantedOwner, version),
    store.config(),
  ]);
  const { labels, reservation } = owner;
  const settings = settingsOf(config);
  checkBorrowing(owner, settings);
  const kept = reservation && reservation.startOfBlock + reservation.endOfBlock;
  const maxPrefix = kept === undefined ? undefined : maxPrefixLength(version, kept);
  const question = { version, node, labels, namespaceLabels, use, requested, maxPrefix };
  const { usable, selected } = choosePools(allPools, question);
  const unselected = own.filter((affinity) => !isIn(affinity, selected));
  await releaseUnselected(store, unselected, allPools, labels);
  // Blocks that are too small for what they must reserve have no addresses to assign.
  const roomy = usable.filter(({ blockSize }) => maxPrefix === undefined || blockSize <= maxPrefix);
  let sequences: readonly BlockSequence[] | undefined;
  return {
    owner,
    pools: usable,
    sequences: () => {
      sequences ??= roomy.flatMap(({ cidr, blockSize }) => blockSequence(cidr, blockSize, node, clock.nowNs()) ?? []);
      return sequences;
    },
    affinities: own.filter((affinity) => isIn(affinity, usable)),
    reserved: IntervalSet.of([...reservationCidrs(reservations), ...avoid]),
    settings,
    allPools,
  };
}

function isIn(affinity: BlockAffinity, pools: readonly ChosenPool[]): boolean {
  const block = parseCidr(affinity.spec.cidr);
  return block !== undefined && pools.some(({ cidr }) => cidrContains(cidr, block.base));
}
