// Allocations whose attribute record is missing (INV-04), and whom they could belong to. While a pod, node or service that
// may have such an address exists, neither the address nor the handle is released.
import { formatCidr, parseCidr } from '../../net/cidr.ts';
import { loadBalancerHandle } from '../../resources/names.ts';
import type { HandleRecord } from '../snapshot.ts';
import type { AddressUsers } from '../view/address-users.ts';
import type { Allocation, BlockView } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

export interface UnreadableOwners {
  /** Names of handles that an unreadable allocation may belong to, and whose owner exists. */
  readonly livingHandles: ReadonlySet<string>;
  /** True when nothing is known to use the address, and no handle with a living owner could be the one of the allocation. */
  isUnused(allocation: Pick<Allocation, 'block' | 'ip'>): boolean;
}

const tunnelHandle = /^(?:ipip|vxlan|vxlan-v6|wireguard|wireguard-v6)-tunnel-addr-(.+)$/;

/** Looks for the possible owners of every allocation without an attribute record; cheap when there are none. */
export function unreadableOwners(view: CheckView, addressUsers: AddressUsers): UnreadableOwners {
  const blocks = new Map<string, BlockView>();
  for (const block of view.liveBlocks) if (block.unreadableOrdinals.length > 0) blocks.set(block.cidr, block);
  const livingHandles = new Set<string>();
  const heldBlocks = new Set<string>();
  if (blocks.size === 0) return { livingHandles, isUnused: () => false };

  const services = new Set(
    view.snapshot.services.map(({ name, namespace, uid }) =>
      loadBalancerHandle(name, namespace, uid ?? '').toLowerCase(),
    ),
  );
  const anonymous = new Set([...blocks.values()].filter((block) => hasAnonymousUser(block, addressUsers)));
  for (const handle of view.snapshot.handles) {
    if (handle.deleted) continue;
    for (const [key, count] of Object.entries(handle.block)) {
      const block = blocks.get(key) ?? blocks.get(canonical(key));
      if (!block || count <= readableCount(view, handle, block)) continue;
      if (!anonymous.has(block) && !handleLives(view, handle, services)) continue;
      livingHandles.add(handle.name);
      heldBlocks.add(block.name);
    }
  }
  const everythingRead = (['IPAMHandle', 'Node', 'Pod', 'Service', 'WorkloadEndpoint'] as const).every((kind) =>
    view.wasRead(kind),
  );
  return {
    livingHandles,
    isUnused: ({ ip, block }) => everythingRead && !addressUsers.has(ip) && !heldBlocks.has(block.name),
  };
}

function canonical(key: string): string {
  const range = parseCidr(key);
  return range ? formatCidr(range) : '';
}

function readableCount(view: CheckView, handle: HandleRecord, block: BlockView): number {
  return view.allocationsByHandle.get(handle.name).filter((allocation) => allocation.block === block).length;
}

/** True when an unreadable allocation of the block is used by a pod whose container is not known. */
function hasAnonymousUser(block: BlockView, addressUsers: AddressUsers): boolean {
  return block.allocations.some(
    ({ attributeMissing, ip }) =>
      attributeMissing && addressUsers.of(ip).some((user) => user.kind === 'Pod' && user.pod.containerId === undefined),
  );
}

function handleLives(view: CheckView, handle: HandleRecord, services: ReadonlySet<string>): boolean {
  const id = handle.handleId || handle.name;
  if (id.includes('.vmi.')) return true;
  if (services.has(handle.name) || (handle.name.startsWith('lb-') && !view.wasRead('Service'))) return true;
  const node = tunnelHandle.exec(id)?.[1];
  if (node !== undefined) return view.nodeExists(node) || !view.wasRead('Node');
  if (!view.wasRead('Pod')) return true;
  if (view.podsByContainer.has(id.slice(id.lastIndexOf('.') + 1))) return true;
  const dot = id.indexOf('.');
  const legacy = dot < 0 ? undefined : view.podNamed({ namespace: id.slice(0, dot), name: id.slice(dot + 1) });
  return legacy !== undefined && !legacy.finished;
}
