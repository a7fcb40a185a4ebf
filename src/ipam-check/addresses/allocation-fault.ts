// What is wrong with one allocated address, and the finding for it: the most specific invariant first, and a release only
// when nothing at all could be using the address.
import type { Dependency, FoundObject, Judgement, RepairAction } from '../finding.ts';
import type { Severity } from '../invariant.ts';
import type { InvariantId } from '../invariants.ts';
import { blockObject, byHand, judge } from '../judgement.ts';
import { type AddressUser, type AddressUsers, dependenciesOf, describeUser, objectOf } from '../view/address-users.ts';
import type { Allocation } from '../view/block-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** From the most specific to the least: a finding has the first id that its fault breaks. */
const order: readonly InvariantId[] = [
  'INV-61',
  'INV-60',
  'INV-58',
  'INV-62',
  'INV-63',
  'INV-44',
  'INV-59',
  'INV-57',
  'INV-54',
  'INV-50',
  'INV-53',
  'INV-51',
  'INV-11',
];

/**
 * What `--fix` does: it releases the address, or leaves that to a person, with this advice. `force`: a release by hand is
 * refused without --force.
 */
export type Release = 'automatic' | { readonly byHand: string; readonly force?: boolean };

export interface AllocationFault {
  readonly allocation: Allocation;
  /** Every invariant that is broken, in any order. */
  readonly broken: readonly InvariantId[];
  readonly evidence: readonly string[];
  readonly owner?: FoundObject | undefined;
  /** Users of the address that it is not allocated to. */
  readonly others?: readonly AddressUser[];
  readonly severity?: Severity;
  /** Looks like an operation in progress, whatever its age. */
  readonly candidate?: boolean;
  /** Absent when the allocation is to stay and something else is wrong with it. */
  readonly release?: Release | undefined;
  /** What a person does instead of a release. */
  readonly advice?: string;
}

/** Without duplicates, the most specific first; ids outside the order come last. */
function bySpecificity(broken: readonly InvariantId[]): InvariantId[] {
  const place = (id: InvariantId) => (order.includes(id) ? order.indexOf(id) : order.length);
  return [...new Set(broken)].sort((a, b) => place(a) - place(b));
}

/** The finding for a fault of an allocation. An address that something else uses is an error, whatever else is wrong. */
export function judgeAllocation(view: CheckView, fault: AllocationFault): Judgement {
  const { allocation, owner, others = [] } = fault;
  const { block, address, handle, sequence } = allocation;
  const [id = 'INV-53', ...also] = bySpecificity(fault.broken);
  const action: RepairAction = {
    primitive: 'R1',
    block: block.name,
    address,
    ordinal: allocation.ordinal,
    handle,
    sequenceNumber: sequence,
  };
  const command = `calictl ipam release --ip ${address}`;
  const dependencies: Dependency[] = dependenciesOf(others);
  if (owner?.kind === 'Pod' || owner?.kind === 'Node' || owner?.kind === 'Service') {
    dependencies.push({ ...owner, kind: owner.kind });
  }
  const rivals = others.some((user) => user.kind !== 'Service' || user.managed);
  const severity = rivals ? 'error' : fault.severity;
  const release = releaseOf(view, fault);
  return judge({
    id,
    also,
    ...(severity && { severity }),
    candidate: fault.candidate === true || view.isYoungAllocation(allocation),
    object: blockObject(block.name),
    related: others.map(objectOf),
    dependencies,
    cidr: block.cidr,
    address,
    handle,
    node: allocation.node,
    owner,
    ageSeconds: view.ageSeconds(allocation.allocatedAtMs),
    evidence: [...fault.evidence, ...others.map((user) => `${describeUser(user)} has the address`)],
    fingerprint: `${handle ?? ''} ${sequence}`,
    ...(release === undefined && fault.advice !== undefined && { repair: byHand(fault.advice) }),
    ...(release === 'automatic' && {
      action,
      repair: {
        primitive: 'R1',
        automatic: true,
        summary: `release ${address} guarded by ${handle === undefined ? '' : 'handle and '}sequence ${sequence}`,
        command,
      },
    }),
    ...(typeof release === 'object' && {
      repair: {
        primitive: 'R1',
        automatic: false,
        summary: release.byHand,
        command: release.force === true ? `${command} --force` : command,
      },
    }),
  });
}

function releaseOf(view: CheckView, { allocation, others = [], release }: AllocationFault): Release | undefined {
  if (release !== 'automatic') return release;
  if (others.length > 0) return undefined;
  if (view.allocationsAt(allocation.ip).length > 1) {
    return { byHand: 'overlapping blocks both allocate the address: resolve INV-18 first' };
  }
  return release;
}

/** The container ID in the handle of a pod; undefined for handles of another format. */
export function containerOf(allocation: Allocation): string | undefined {
  const { handleId, attributes } = allocation;
  if (handleId === undefined || isMachine(allocation)) return undefined;
  if (handleId === `${attributes['namespace']}.${attributes['pod']}`) return undefined;
  return handleId.slice(handleId.lastIndexOf('.') + 1);
}

/** What tells the addresses of virtual machines from others. */
type MachineMarks = Pick<Allocation, 'handleId' | 'attributes' | 'alternateAttributes'>;

/** True when handle or attributes name a KubeVirt virtual machine. */
export function namesMachine({ handleId, attributes }: Omit<MachineMarks, 'alternateAttributes'>): boolean {
  return handleId?.includes('.vmi.') === true || 'vmi-name' in attributes || 'vm-uid' in attributes;
}

/** True for the address of a virtual machine, which keeps it while it is stopped or migrated. */
export function isMachine(allocation: MachineMarks): boolean {
  const { alternateAttributes } = allocation;
  return namesMachine(allocation) || (alternateAttributes !== undefined && Object.keys(alternateAttributes).length > 0);
}

/**
 * The virtual machine that an allocation belongs to; undefined for other allocations. Its handle has the form
 * NETWORK.vmi.NAMESPACE.NAME, or NETWORK.vmi._HASH for long names, of which only the attributes tell the name.
 */
export function machineOf(allocation: MachineMarks): FoundObject | undefined {
  if (!isMachine(allocation)) return undefined;
  const { handleId = '', attributes } = allocation;
  const { namespace, 'vmi-name': recorded } = attributes;
  if (namespace && recorded) return { kind: 'VirtualMachine', namespace, name: recorded };
  const found = /\.vmi\.([^._][^.]*)\.(.+)$/.exec(handleId);
  if (found?.[1] && found[2]) return { kind: 'VirtualMachine', namespace: found[1], name: found[2] };
  return { kind: 'VirtualMachine', name: `with the handle ${handleId}` };
}

/** The other allocations with the same handle and family, in blocks that Calico sees. */
export function siblingsOf(view: CheckView, allocation: Allocation): Allocation[] {
  const { handleName, ip } = allocation;
  const all = handleName === undefined ? [] : view.allocationsByHandle.get(handleName);
  return all.filter(
    (other) =>
      other !== allocation &&
      other.ip.version === ip.version &&
      other.handleId === allocation.handleId &&
      other.block.status === 'live',
  );
}

/** True when the address was allocated for the current container of a pod or endpoint that exists. */
export function hasLiveContainer(view: CheckView, addressUsers: AddressUsers, allocation: Allocation): boolean {
  const container = containerOf(allocation);
  return container !== undefined && (view.podsByContainer.has(container) || addressUsers.hasWorkloadOf(container));
}
