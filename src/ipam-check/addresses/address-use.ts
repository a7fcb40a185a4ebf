// Judges addresses in use: whether they are allocated, in a pool, and used by one user only (INV-54, 55, 56).
import { formatIp, type IpAddress } from '../../net/ip.ts';
import type { Judgement } from '../finding.ts';
import type { InvariantId } from '../invariants.ts';
import { blockObject, judge, poolObject } from '../judgement.ts';
import { type AddressUser, type AddressUsers, dependenciesOf, describeUser, objectOf } from '../view/address-users.ts';
import type { CheckView } from '../view/check-view.ts';
import { isMachine } from './allocation-fault.ts';

/** Users whose addresses Calico assigns: not those of another load balancer. */
const isCalicos = (user: AddressUser): boolean => user.kind !== 'Service' || user.managed;

/** Users whose address should be allocated. */
const wantsAllocation = (user: AddressUser): boolean => isCalicos(user) && !(user.kind === 'Pod' && user.pod.noIpam);

/**
 * INV-54 to INV-56, and INV-44 and INV-63 for services and tunnels whose address is not allocated. `alreadyShared` has the
 * addresses with several users that another finding reports.
 */
export function useJudgements(
  view: CheckView,
  addressUsers: AddressUsers,
  alreadyShared: ReadonlySet<string>,
): Judgement[] {
  const judgements: Judgement[] = [];
  for (const [ip, users] of addressUsers.entries()) {
    if (users.length > 1 && !alreadyShared.has(formatIp(ip))) {
      const shared = judgeShared(view, ip, users.filter(isCalicos));
      if (shared) judgements.push(shared);
    }
    if (view.isAllocated(ip)) continue;
    const unallocated = judgeUnallocated(view, ip, users.filter(wantsAllocation));
    if (unallocated) judgements.push(unallocated);
  }
  return judgements;
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
    evidence: users.map((user) => `${describeUser(user)} has the address`),
    fingerprint: users.map(identity).join(' '),
  });
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
