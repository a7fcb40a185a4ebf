// Judges addresses in use: whether they are allocated, in a pool, and used by one user only (INV-54, 55, 56).
import { formatIp, type IpAddress } from '../../net/ip.ts';
import { qualifiedName } from '../../resources/object.ts';
import { listed } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { blockObject, byHand, judge, poolObject } from '../judgement.ts';
import {
  type AddressUser,
  type AddressUsers,
  dependenciesOf,
  describeUser,
  isPodUser,
  objectOf,
} from '../view/address-users.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';
import { isMachine } from './allocation-fault.ts';
import { namedOwnerOf } from './holders.ts';
import { type ForeignAddress, otherNetworkJudgements } from './other-networks.ts';

/** Users whose addresses Calico assigns: not those of another load balancer. */
const isCalicos = (user: AddressUser): boolean => user.kind !== 'Service' || user.managed;

/** The pods among the users that have the address from another IPAM. */
function foreignUsers(
  view: CheckView,
  ip: IpAddress,
  users: readonly AddressUser[],
): ReadonlyMap<AddressUser, ForeignAddress> {
  const foreign = new Map<AddressUser, ForeignAddress>();
  for (const user of users) {
    if (user.kind !== 'Pod') continue;
    const ipam = view.otherNetworks.ofPod(user.pod, ip);
    if (ipam !== undefined) foreign.set(user, { ipam, pod: user.pod, address: formatIp(ip) });
  }
  return foreign;
}

/** Users whose address should be allocated, unless they have it from another IPAM. */
function wantsAllocation(view: CheckView, user: AddressUser, ip: IpAddress): boolean {
  switch (user.kind) {
    case 'Host':
      return false;
    case 'Pod':
      return !user.pod.noIpam;
    case 'Node':
      return !view.otherNetworks.isTunnelOfPodCidr(user.node, ip);
    default:
      return isCalicos(user);
  }
}

/**
 * INV-54 to INV-56 and INV-69, and INV-44 and INV-63 for services and tunnels whose address is not allocated. `alreadyShared` has the
 * addresses with several users that another finding reports.
 */
export function useJudgements(
  view: CheckView,
  addressUsers: AddressUsers,
  alreadyShared: ReadonlySet<string>,
): Judgement[] {
  const judgements: Judgement[] = [];
  const foreign: ForeignAddress[] = [];
  for (const [ip, users] of addressUsers.entries()) {
    if (users.length > 1 && !alreadyShared.has(formatIp(ip))) {
      const shared = judgeShared(view, ip, rivalsOf(view, ip, users));
      if (shared) judgements.push(shared);
    }
    if (view.isAllocated(ip)) continue;
    const others = foreignUsers(view, ip, users);
    foreign.push(...others.values());
    const wanting = users.filter((user) => !others.has(user) && wantsAllocation(view, user, ip));
    const unallocated = judgeUnallocated(view, ip, wanting);
    if (unallocated) judgements.push(unallocated);
  }
  judgements.push(...otherNetworkJudgements(foreign));
  return judgements;
}

/**
 * Those of the users that must not have the same address. Bridges of container runtimes count from the same base on every
 * node, and load balancers are reached at addresses of nodes.
 */
function rivalsOf(view: CheckView, ip: IpAddress, users: readonly AddressUser[]): readonly AddressUser[] {
  const others = foreignUsers(view, ip, users);
  const rivals = users.filter((user) => isCalicos(user) && !others.has(user));
  const hasPod = rivals.some(({ kind }) => kind === 'Pod' || kind === 'WorkloadEndpoint');
  return hasPod ? rivals : rivals.filter(({ kind }) => kind !== 'Host');
}

function judgeShared(view: CheckView, ip: IpAddress, users: readonly AddressUser[]): Judgement | undefined {
  const [first, ...rest] = users;
  if (first === undefined || rest.length === 0) return undefined;
  const allocations = view.allocationsAt(ip);
  // A virtual machine that is being migrated has its address in both of its pods.
  if (allocations.some(isMachine)) return undefined;
  const [allocation] = allocations;
  return judge({
    id: 'INV-56',
    object: objectOf(first),
    related: rest.map(objectOf),
    dependencies: [...dependenciesOf(users), ...(allocation ? [blockObject(allocation.block.name)] : [])],
    cidr: allocation?.block.cidr,
    address: formatIp(ip),
    handle: allocation?.handle,
    node: nodeOf(first),
    owner: objectOf(first),
    evidence: [...users.map((user) => `${describeUser(user)} has the address`), ...allocatedTo(allocation)],
    fingerprint: users.map(identity).join(' '),
    repair: byHand(advice(users, allocation)),
  });
}

/** `pod shop/cart-0`, `ipipTunnelAddress of node worker-1`. */
function ownerText({ attributes }: Allocation): string {
  const owner = namedOwnerOf(attributes);
  if (owner === undefined) return 'no recorded owner';
  return owner.kind === 'Node'
    ? `${attributes.type} of node ${owner.name}`
    : `${owner.kind.toLowerCase()} ${qualifiedName(owner)}`;
}

/** Whose address it is by the records of IPAM. */
function allocatedTo(allocation: Allocation | undefined): string[] {
  if (allocation === undefined) return ['it is not allocated'];
  return [`it is allocated to ${ownerText(allocation)} (block ${allocation.block.cidr})`];
}

/** What gives each user an address of its own again. */
function advice(users: readonly AddressUser[], allocation: Allocation | undefined): string {
  const hasOwner = allocation !== undefined && namedOwnerOf(allocation.attributes) !== undefined;
  const pods = users.filter(({ kind }) => kind === 'Pod' || kind === 'WorkloadEndpoint');
  const hasHost = users.some(({ kind }) => kind === 'Host');
  const wrong = hasHost ? pods : pods.filter((user) => !hasOwner || !isAllocationOf(allocation, user));
  const named = listed(wrong.map((user) => qualifiedName(objectOf(user))));
  if (wrong.length === 0) return 'find out which of them should have the address, and give the others another one';
  const keep = hasHost ? '; keep addresses of nodes out of the pools, with an IPReservation or another pool' : '';
  return `restart ${named}${wrong.length === 1 ? '' : ' one after the other'}, which then gets another address${keep}`;
}

/** True when the attributes name the pod of the user. */
function isAllocationOf(allocation: Allocation | undefined, user: AddressUser): boolean {
  const { namespace = '', pod = '' } = allocation?.attributes ?? {};
  return isPodUser(user, { namespace, name: pod });
}

function judgeUnallocated(view: CheckView, ip: IpAddress, users: readonly AddressUser[]): Judgement | undefined {
  const [first, ...rest] = users;
  if (first === undefined || view.isUnjudged(ip)) return undefined;
  const enabled = view.enabledPoolOf(ip);
  const pool = enabled ?? view.poolOf(ip);
  const block = view.blockOf(ip);
  const [id = 'INV-55', ...also] = brokenBy(first, pool !== undefined, enabled !== undefined);
  return judge({
    id,
    also,
    // A pod that is being deleted may have released its address already.
    candidate: users.every((user) => user.kind === 'Pod' && user.pod.deleting),
    object: objectOf(first),
    related: [...rest.map(objectOf), ...(block ? [blockObject(block.name)] : [])],
    dependencies: [
      ...dependenciesOf(users),
      ...(block ? [blockObject(block.name)] : []),
      ...(pool ? [poolObject(pool.name)] : []),
    ],
    cidr: block?.cidr,
    address: formatIp(ip),
    node: nodeOf(first),
    owner: objectOf(first),
    evidence: [
      ...users.map((user) => `${describeUser(user)} has the address`),
      pool ? `it is in ${enabled ? '' : 'disabled '}pool ${pool.name}` : 'no pool contains it',
      block ? `block ${block.cidr} does not record it as allocated` : 'no block contains it',
    ],
    fingerprint: users.map(identity).join(' '),
  });
}

/** What the use breaks, the most specific invariant first. */
function brokenBy(user: AddressUser, inPool: boolean, inEnabledPool: boolean): InvariantId[] {
  const general: InvariantId = inEnabledPool ? 'INV-54' : 'INV-55';
  if (user.kind === 'Node' && inPool) return ['INV-63', general];
  if (user.kind === 'Service' && inPool) return ['INV-44', general];
  return [general];
}

function nodeOf(user: AddressUser): string | undefined {
  switch (user.kind) {
    case 'Pod':
      return user.pod.node;
    case 'WorkloadEndpoint':
      return user.workload.node;
    case 'Node':
    case 'Host':
      return user.node.name;
    case 'Service':
      return undefined;
  }
}

/** A text that distinguishes an object from a later one of the same name. */
function identity(user: AddressUser): string {
  const { kind, namespace, name } = objectOf(user);
  const uid = user.kind === 'Pod' ? user.pod.uid : user.kind === 'Service' ? user.service.uid : undefined;
  return `${kind}/${namespace ?? ''}/${name}/${uid ?? ''}`;
}
