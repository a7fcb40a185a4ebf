// Assigns one given address in its block; the block is claimed when it does not exist.
// Rules: docs/reference/ipam.md#a-given-address.
import { type Cidr, cidrContains, formatCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../../net/ip.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { blockName } from '../../resources/names.ts';
import { CalictlError, invalidIp, UsageError } from '../../world/errors.ts';
import { claimBlock } from '../affinity/claim-block.ts';
import { assignInBlock, isUnsound } from '../block/assign-in-block.ts';
import { isOwnedBy, isOwnerless, type Owner, ordinalInBlock, ownerOf } from '../block/block.ts';
import { assignedAt, type Holder } from '../block/block-assign.ts';
import { otherSizes } from '../block/overlaps.ts';
import { settingsOf } from '../config.ts';
import { getLive, heldTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import type { IntendedUse } from '../pool/pool-choice.ts';
import { blockCidrIn, isAllocatable, poolOf, requireBlockSize, usesOf } from '../pool/pools.ts';
import { type AllocatorWorld, untilSettled } from '../retries.ts';
import { assignmentOwnerOf, checkBorrowing, loadBalancerName, ownerFor } from './assignment-owner.ts';
import { type AssignedAddress, assignedAddress } from './auto-assign.ts';

export interface AssignIpRequest {
  readonly address: string;
  /** If absent, the node that owns the block. */
  readonly node?: string | undefined;
  /** The pool must allow it. If absent, a node gets the address, from any pool. */
  readonly use?: IntendedUse | undefined;
  readonly handle?: string | undefined;
  /** Owner attributes, in addition to `node`. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Ranges that are refused because two blocks contain them. */
  readonly avoid?: readonly Cidr[];
}

/**
 * Assigns exactly this address. Reservations, selectors and limits do not count, because it was requested explicitly. With
 * the use LoadBalancer, the block belongs to the virtual owner `load-balancer` instead of a node.
 * Errors: CalictlError when it is outside all enabled pools, already assigned, or in a block that the node may not use.
 */
export async function assignIp(
  store: IpamStore,
  request: AssignIpRequest,
  world: AllocatorWorld,
): Promise<{ node: string; assigned: AssignedAddress }> {
  const { use, handle, attributes, avoid = [] } = request;
  const ip = parseIp(request.address);
  if (ip === undefined) throw invalidIp(request.address);
  const address = formatIp(ip);
  if (avoid.some((range) => cidrContains(range, ip))) throw inTwoBlocks(address);
  const name = request.node ?? (use === 'LoadBalancer' ? loadBalancerName : undefined);
  const known = name === undefined ? undefined : assignmentOwnerOf(store, ownerFor(use ?? 'Workload', name));
  const [pools, config] = await Promise.all([store.pools(), store.config(), known]);
  const pool = poolFor(pools, ip, use);
  requireBlockSize(pool);
  const settings = settingsOf(config);
  const cidr = blockCidrIn(pool, ip);
  // A claim that met another client may have created the block already: claiming again confirms it.
  let claiming = false;
  return untilSettled(world, async () => {
    const found = await getLive(store.blocks, blockName(formatCidr(cidr)));
    if (!found.ok && found.why !== 'not-found') throw halfDeleted(formatCidr(cidr));
    if (!found.ok) refuseOverlap(cidr, await store.blocks.list());
    const owner = await (known ?? assignmentOwnerOf(store, ownerIn(found.ok ? found.value : undefined)));
    checkBorrowing(owner, settings);
    const block = found.ok && !claiming ? found.value : await claimBlock(store, owner, cidr, world, !found.ok);
    claiming = block === 'contended';
    if (typeof block === 'string') return 'contended';
    const node = owner.type === 'host' ? { node: owner.name } : {};
    const holder: Holder = { handle, secondary: { ...attributes, ...node } };
    const taken = await assignInBlock(store, block, handle, (current) => {
      if (settings.strictAffinity) refuseForeign(current, owner);
      return decide(current, address, holder);
    });
    const ordinal = taken?.ordinals[0];
    if (taken === undefined || ordinal === undefined) return 'contended';
    return { node: owner.name, assigned: assignedAddress(taken.block, ordinal, owner, pools) };
  });
}

/** The enabled pool of the address. Errors: CalictlError when there is none, or it does not allow this use. */
function poolFor(pools: readonly IPPool[], ip: IpAddress, use: IntendedUse | undefined): IPPool {
  const pool = poolOf(pools.filter(isAllocatable), ip);
  if (pool === undefined) {
    throw new CalictlError(`${formatIp(ip)} is not in any enabled pool`, {
      code: 'OUTSIDE_POOLS',
      hint: 'calictl get ippools -o wide shows the pools, and which are disabled',
    });
  }
  if (use === undefined || usesOf(pool).includes(use)) return pool;
  const uses = `allowedUses: [${usesOf(pool).join(' ')}]`;
  throw new CalictlError(
    `IP address ${formatIp(ip)} is in IP pool "${pool.metadata.name}", which is not allowed for use "${use}" (${uses})`,
    { code: 'NO_POOL', hint: 'allowedUses of a pool lists what its addresses may be used for' },
  );
}

function ownerIn(block: IPAMBlock | undefined): Owner {
  const owner = block && ownerOf(block);
  if (owner?.type === 'host') return owner;
  throw new UsageError('no node owns the block of this address', 'specify the node with --node');
}

function refuseForeign(block: IPAMBlock, owner: Owner): void {
  if (isOwnedBy(block, owner)) return;
  throw new CalictlError(
    isOwnerless(block)
      ? `Attempt to assign from block ${block.spec.cidr} with no affinity`
      : 'Block host affinity does not match',
    {
      code: 'IPAM_STRICT_AFFINITY',
      hint: `strict affinity is on, and block ${block.spec.cidr} does not belong to ${owner.name}`,
    },
  );
}

function decide(block: IPAMBlock, address: string, holder: Holder): { block: IPAMBlock; ordinals: number[] } {
  if (isUnsound(block)) {
    throw new CalictlError(`the allocation records of block ${block.spec.cidr} are inconsistent`, {
      code: 'IPAM_BLOCK_BROKEN',
      hint: 'for details, run: calictl ipam check',
    });
  }
  const ordinal = ordinalInBlock(block, address);
  const changed = ordinal === undefined ? undefined : assignedAt(block, ordinal, holder);
  if (ordinal !== undefined && changed !== undefined) return { block: changed, ordinals: [ordinal] };
  throw new CalictlError('Address already assigned in block', {
    code: 'ALREADY_ASSIGNED',
    hint: `see its holder with: calictl ipam show --ip ${address}`,
  });
}

/** Calico ignores blocks of another size, and would assign their addresses a second time. */
function refuseOverlap(cidr: Cidr, blocks: readonly IPAMBlock[]): void {
  const [other] = otherSizes(cidr, cidr.prefix, blocks);
  if (other === undefined) return;
  throw new CalictlError(`block ${formatCidr(cidr)} would overlap block ${formatCidr(other)}`, {
    code: 'IPAM_BLOCK_BROKEN',
    hint: `block ${formatCidr(other)} does not match the block size of its pool; run: calictl ipam check --only INV-20`,
  });
}

function inTwoBlocks(address: string): CalictlError {
  return new CalictlError(`${address} is covered by two overlapping blocks, so either could assign it`, {
    code: 'IPAM_BLOCK_BROKEN',
    hint: 'to see the blocks, run: calictl ipam check --only INV-18',
  });
}

function halfDeleted(cidr: string): CalictlError {
  return new CalictlError(`block ${cidr} ${heldTombstone}`, {
    code: 'IPAM_BLOCK_BROKEN',
    hint: 'for details, run: calictl ipam check',
  });
}
