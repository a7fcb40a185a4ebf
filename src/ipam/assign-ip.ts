// Assigning one given address, in whatever block it lies; the block is claimed when there is none.
// Rules: docs/reference/ipam.md#assigning-addresses.

import { formatCidr } from '../net/cidr.ts';
import { formatIp, parseIp } from '../net/ip.ts';
import type { IPAMBlock } from '../resources/ipam-block.ts';
import { blockName } from '../resources/names.ts';
import { CalictlError, invalidIp, UsageError } from '../world/errors.ts';
import { type AssignedAddress, addressIn, noSuchNode, reservationOf } from './auto-assign.ts';
import { isOwnedBy, isOwnerless, type Owner, ordinalInBlock, ownerOf } from './block.ts';
import { assignedAt, type Holder } from './block-assign.ts';
import { type Claim, claim } from './claim.ts';
import { settingsOf } from './config.ts';
import { getLive } from './deletion.ts';
import type { IpamStore } from './ipam-store.ts';
import { blockCidrIn, isEnabled, poolOf } from './pools.ts';
import { maxRetries, pauseAfter, retriesExhausted, type Surroundings } from './retries.ts';
import { isUnsound, take } from './take.ts';

export interface AssignIpRequest {
  readonly address: string;
  /** Absent: the node that owns the block. */
  readonly node?: string | undefined;
  readonly handle?: string | undefined;
  /** Owner attributes beside `node`. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * Assigns exactly this address. Reservations, selectors and limits do not count: somebody asked for it.
 * Errors: CalictlError when it is outside all enabled pools, held, or in a block that the node may not use.
 */
export async function assignIp(
  store: IpamStore,
  request: AssignIpRequest,
  surroundings: Surroundings,
): Promise<{ node: string; assigned: AssignedAddress }> {
  const ip = parseIp(request.address);
  if (ip === undefined) throw invalidIp(request.address);
  const address = formatIp(ip);
  const [pools, config] = await Promise.all([store.pools(), store.config()]);
  const pool = poolOf(pools.filter(isEnabled), ip);
  if (pool === undefined) {
    throw new CalictlError('The provided IP address is not in a configured pool', {
      code: 'NO_POOL',
      hint: 'calictl get ippools -o wide shows the pools, and which are disabled',
    });
  }
  const { strictAffinity } = settingsOf(config);
  const cidr = blockCidrIn(pool, ip);
  const name = blockName(formatCidr(cidr));
  // A claim that somebody came between may have made the block already: it is confirmed by claiming again.
  let claiming = false;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    if (attempt > 0) await pauseAfter(attempt - 1, surroundings);
    const found = await getLive(store.blocks, name);
    if (!found.ok && found.why !== 'not-found') throw halfDeleted(formatCidr(cidr));
    const node = request.node ?? ownerNode(found.ok ? found.value : undefined);
    const owner: Owner = { type: 'host', name: node };
    const labels = await store.nodeLabels(node);
    if (labels === undefined) throw noSuchNode(node);
    const claimant = { owner, reservation: reservationOf(labels) };
    const block: Claim = found.ok && !claiming ? found.value : await claim(store, claimant, cidr, surroundings);
    claiming = block === 'contended';
    if (typeof block === 'string') continue;
    const holder: Holder = { handle: request.handle, secondary: { ...request.attributes, node } };
    const taken = await take(store, block, request.handle, (current) => {
      if (strictAffinity) refuseForeign(current, owner);
      return decide(current, address, holder);
    });
    if (taken !== undefined)
      return { node, assigned: addressIn(taken.block, taken.ordinals[0] as number, node, pools) };
  }
  throw retriesExhausted();
}

function ownerNode(block: IPAMBlock | undefined): string {
  const owner = block && ownerOf(block);
  if (owner?.type === 'host') return owner.name;
  throw new UsageError('no node owns the block of this address', 'name the node with --node');
}

function refuseForeign(block: IPAMBlock, owner: Owner): void {
  if (isOwnedBy(block, owner)) return;
  throw new CalictlError(
    isOwnerless(block)
      ? `Attempt to assign from block ${block.spec.cidr} with no affinity`
      : 'Block host affinity does not match',
    {
      code: 'IPAM_STRICT_AFFINITY',
      hint: `strict affinity is on, and the block ${block.spec.cidr} is not of ${owner.name}`,
    },
  );
}

function decide(block: IPAMBlock, address: string, holder: Holder): { block: IPAMBlock; ordinals: number[] } {
  if (isUnsound(block)) {
    throw new CalictlError(`the books of the block ${block.spec.cidr} are broken`, {
      code: 'IPAM_BLOCK_BROKEN',
      hint: 'see what is wrong with: calictl ipam check',
    });
  }
  const ordinal = ordinalInBlock(block, address);
  const changed = ordinal === undefined ? undefined : assignedAt(block, ordinal, holder);
  if (ordinal !== undefined && changed !== undefined) return { block: changed, ordinals: [ordinal] };
  throw new CalictlError('Address already assigned in block', {
    code: 'ALREADY_ASSIGNED',
    hint: `see to whom with: calictl ipam show --ip ${address}`,
  });
}

function halfDeleted(cidr: string): CalictlError {
  return new CalictlError(`the block ${cidr} is marked as deleted and still holds addresses`, {
    code: 'IPAM_BLOCK_BROKEN',
    hint: 'see what is wrong with: calictl ipam check',
  });
}
