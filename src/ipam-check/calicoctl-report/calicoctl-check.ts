// What `calicoctl ipam check` finds, as data: its classes of problems and its counts, by its rules on the same objects.
// Its false results are corrected: IPv6 tunnel addresses and those of stopped virtual machines are in use, a missing
// KubeControllersConfiguration is not an error, and an ingress with only a host name is not an address. Tombstones count, as
// they do in calicoctl.

import { attributesOf } from '../../ipam/block/block.ts';
import { addressAt, formatCidr, parseCidr } from '../../net/cidr.ts';
import { IntervalSet } from '../../net/interval-set.ts';
import { compareIp, formatIp, type IpAddress, parseIp } from '../../net/ip.ts';
import type { CalicoApi } from '../../resources/kind.ts';
import type { BlockAttribute, IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { windowsHandle, workloadEndpointName } from '../../resources/names.ts';
import { qualifiedName } from '../../resources/object.ts';
import { machineOf } from '../addresses/allocation-fault.ts';
import type { FoundObject } from '../finding.ts';
import type { IpamSnapshot, PodRecord } from '../snapshot.ts';
import { managedServices, tunnelTypes } from '../view/address-users.ts';

/** One allocated ordinal as calicoctl records it. */
export interface CalicoctlAllocation {
  readonly address: string;
  /** As stored, not sanitised. */
  readonly handle: string | undefined;
  /** Undefined when the attribute record is missing. */
  readonly attributes: Readonly<Record<string, string>> | undefined;
  /** Attributes of the second owner during the live migration of a virtual machine. */
  readonly alternateAttributes: Readonly<Record<string, string>> | undefined;
  readonly sequenceNumber: bigint;
  /** The attribute `node`, else the host that owns the block, else empty. */
  readonly node: string;
  /** True when that node is not the host that owns the block. */
  readonly borrowed: boolean;
}

export interface CalicoctlBlock {
  readonly cidr: string;
  readonly affinity: string | undefined;
  readonly allocations: readonly CalicoctlAllocation[];
}

export interface OwnedAddress {
  readonly address: string;
  /** As printed: `Node(n1)`, `Workload(shop/n1-k8s-web--0-eth0)`, the bare name of a service. */
  readonly owner: string;
}

/** An address in use that is reported. */
export interface SuspectAddress {
  readonly address: string;
  readonly owners: readonly string[];
  /** `outside`: not allocated and in no enabled pool; `unallocated`: not allocated, in an enabled pool. */
  readonly fault: 'outside' | 'unallocated' | undefined;
}

export interface LeakedHandle {
  readonly id: string;
  /** As stored. */
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

export interface CalicoctlCheck {
  /** From ClusterInformation; empty strings when there is none. */
  readonly cluster: {
    readonly guid: string;
    readonly type: string;
    readonly resourceVersion: string;
    readonly locked: boolean;
    readonly calicoApi: CalicoApi;
  };
  readonly blocks: readonly CalicoctlBlock[];
  /** By address, in block order; more than one only where blocks overlap. */
  readonly allocations: ReadonlyMap<string, readonly CalicoctlAllocation[]>;
  /** CIDRs of the enabled pools. */
  readonly pools: readonly string[];
  readonly tunnels: readonly OwnedAddress[];
  /** Undefined when the load balancer controller is not configured. */
  readonly services: readonly OwnedAddress[] | undefined;
  readonly workloads: readonly OwnedAddress[];
  /** Owners of every address in use. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
  /** Nodes with allocations, the largest number first. */
  readonly nodes: readonly { readonly name: string; readonly allocations: number }[];
  /** Allocated and not in use, in order of addresses. */
  readonly leaked: readonly string[];
  /** In order of addresses: several owners, or not allocated. */
  readonly suspects: readonly SuspectAddress[];
  readonly leakedHandles: readonly LeakedHandle[];
  /** The number of handle objects that blocks mention. */
  readonly handlesInUse: number;
  /** Handles that blocks mention and that have no object, in order. */
  readonly missingHandles: readonly string[];
  /** Leaked addresses, unallocated addresses in use, leaked handles; not: several owners, missing handles. */
  readonly problems: number;
}

const reservedForWindows = 'Reserved for Windows';

export interface CalicoctlCheckParts {
  readonly snapshot: IpamSnapshot;
  /** Owners that calicoctl does not know, by address; they count for addresses without any other. */
  readonly holders?: ReadonlyMap<string, readonly string[]>;
}

/** Checks a snapshot by the rules of calicoctl. */
export function calicoctlCheck({ snapshot, holders }: CalicoctlCheckParts): CalicoctlCheck {
  const { clusterInformation, locked } = snapshot;
  const blocks = snapshot.blocks.map(readBlock);
  const allocations = byAddress(blocks);
  const pools = enabledPools(snapshot);
  const tunnels = tunnelAddresses(snapshot);
  const services = serviceAddresses(snapshot);
  const workloads = workloadAddresses(snapshot);
  const reserved = blocks
    .flatMap((block) => block.allocations)
    .filter(({ handle }) => handle === windowsHandle)
    .map(({ address }) => ({ address, owner: reservedForWindows }));
  const owners = ownersOf([...reserved, ...tunnels, ...(services ?? []), ...workloads]);
  for (const [address, list] of allocations) {
    const machines = list.map(machineOwner).filter((owner) => owner !== undefined);
    const more = holders?.get(address) ?? machines;
    if (!owners.has(address) && more.length > 0) owners.set(address, [...more]);
  }
  const leaked = sorted([...allocations.keys()].filter((address) => !owners.has(address)));
  const suspects = suspectAddresses(owners, allocations, pools);
  const handles = compareHandles(snapshot, blocks);
  const unallocated = suspects.filter(({ fault }) => fault !== undefined).length;
  return {
    cluster: {
      guid: clusterInformation?.spec.clusterGUID ?? '',
      type: clusterInformation?.spec.clusterType ?? '',
      resourceVersion: clusterInformation?.metadata.resourceVersion ?? '',
      locked,
      calicoApi: snapshot.calicoApi,
    },
    blocks,
    allocations,
    pools,
    tunnels,
    services,
    workloads,
    owners,
    nodes: rankNodes(blocks),
    leaked,
    suspects,
    ...handles,
    problems: leaked.length + unallocated + handles.leakedHandles.length,
  };
}

function readBlock(block: IPAMBlock): CalicoctlBlock {
  const { spec } = block;
  const range = parseCidr(typeof spec.cidr === 'string' ? spec.cidr : '');
  const affinity = spec.affinity || undefined;
  const host = affinity?.startsWith('host:') ? affinity.slice('host:'.length) : '';
  if (range === undefined || !Array.isArray(spec.allocations)) return { cidr: spec.cidr, affinity, allocations: [] };
  const attributes: readonly (BlockAttribute | null)[] = attributesOf(block);
  const allocations: CalicoctlAllocation[] = [];
  spec.allocations.forEach((index, ordinal) => {
    if (index === null || index === undefined) return;
    const attribute = attributes[index];
    const secondary = attribute === undefined ? undefined : (attribute?.secondary ?? {});
    const node = secondary?.['node'] ?? host;
    allocations.push({
      address: formatIp(addressAt(range, ordinal)),
      handle: attribute?.handle_id ?? undefined,
      attributes: secondary,
      alternateAttributes: attribute?.alternateOwnerAttrs ?? undefined,
      sequenceNumber: spec.sequenceNumberForAllocation?.[ordinal] ?? 0n,
      node,
      borrowed: node !== host,
    });
  });
  return { cidr: formatCidr(range), affinity, allocations };
}

/** An owner as calicoctl prints it. */
export function ownerText({ kind, ...named }: FoundObject): string {
  return `${kind}(${qualifiedName(named)})`;
}

/** The virtual machine that the allocation belongs to, running or stopped. */
function machineOwner({ handle, attributes = {}, alternateAttributes }: CalicoctlAllocation): string | undefined {
  const machine = machineOf({ handleId: handle, attributes, alternateAttributes });
  return machine && ownerText(machine);
}

function byAddress(blocks: readonly CalicoctlBlock[]): Map<string, CalicoctlAllocation[]> {
  const map = new Map<string, CalicoctlAllocation[]>();
  for (const { allocations } of blocks) {
    for (const allocation of allocations) {
      const list = map.get(allocation.address);
      if (list) list.push(allocation);
      else map.set(allocation.address, [allocation]);
    }
  }
  return map;
}

function enabledPools({ pools }: IpamSnapshot): string[] {
  return pools
    .filter(({ spec }) => spec.disabled !== true)
    .map(({ spec }) => parseCidr(spec.cidr))
    .filter((cidr) => cidr !== undefined)
    .map(formatCidr);
}

function tunnelAddresses({ nodes }: IpamSnapshot): OwnedAddress[] {
  const found: OwnedAddress[] = [];
  for (const { name, tunnels } of nodes) {
    for (const type of tunnelTypes) {
      const address = tunnels[type];
      if (address !== undefined) found.push({ address, owner: `Node(${name})` });
    }
  }
  return found;
}

function serviceAddresses({ services, kubeControllers }: IpamSnapshot): OwnedAddress[] | undefined {
  if (!kubeControllers?.spec?.controllers?.loadBalancer) return undefined;
  return services
    .filter(managedServices(kubeControllers))
    .flatMap(({ name, ingress }) => ingress.map((address) => ({ address, owner: name })));
}

/** Addresses of pods, by the rule of Calico's Kubernetes datastore, and of stored endpoints. */
function workloadAddresses({ pods, workloads }: IpamSnapshot): OwnedAddress[] {
  const found: OwnedAddress[] = [];
  const derived = new Set<string>();
  const add = (name: string, addresses: readonly string[]) => {
    for (const address of addresses) found.push({ address, owner: `Workload(${name})` });
  };
  for (const pod of pods) {
    if (pod.node === undefined || !hasEndpoint(pod)) continue;
    const name = `${pod.namespace}/${workloadEndpointName(pod.node, pod.name)}`;
    derived.add(name);
    add(name, pod.addresses);
  }
  for (const { namespace, name, addresses } of workloads) {
    if (!derived.has(`${namespace}/${name}`)) add(`${namespace}/${name}`, addresses);
  }
  return found;
}

function hasEndpoint({ finished, hostNetwork }: PodRecord): boolean {
  return !finished && !hostNetwork;
}

function ownersOf(owned: readonly OwnedAddress[]): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const { address, owner } of owned) {
    const owners = map.get(address);
    if (owners) owners.push(owner);
    else map.set(address, [owner]);
  }
  return map;
}

function suspectAddresses(
  owners: ReadonlyMap<string, readonly string[]>,
  allocations: ReadonlyMap<string, unknown>,
  pools: readonly string[],
): SuspectAddress[] {
  const inPools = IntervalSet.of(pools.map((pool) => parseCidr(pool)).filter((cidr) => cidr !== undefined));
  const addresses = [...owners.keys()].filter((address) => {
    return !allocations.has(address) || (owners.get(address)?.length ?? 0) > 1;
  });
  return sorted(addresses).map((address) => {
    const ip = parseIp(address);
    const inside = ip !== undefined && inPools.contains(ip);
    const fault = allocations.has(address) ? undefined : inside ? 'unallocated' : 'outside';
    return { address, owners: owners.get(address) ?? [], fault };
  });
}

function compareHandles(
  { handles }: IpamSnapshot,
  blocks: readonly CalicoctlBlock[],
): Pick<CalicoctlCheck, 'leakedHandles' | 'handlesInUse' | 'missingHandles'> {
  const mentioned = new Set<string>();
  for (const { allocations } of blocks) {
    for (const { handle } of allocations) if (handle !== undefined && handle !== windowsHandle) mentioned.add(handle);
  }
  const leakedHandles: LeakedHandle[] = [];
  const missing = new Set(mentioned);
  for (const { handleId, uid, resourceVersion } of handles) {
    missing.delete(handleId);
    if (!mentioned.has(handleId)) leakedHandles.push({ id: handleId, uid, resourceVersion });
  }
  return {
    leakedHandles: leakedHandles.sort((a, b) => byText(a.id, b.id)),
    handlesInUse: handles.length - leakedHandles.length,
    missingHandles: [...missing].sort(byText),
  };
}

function rankNodes(blocks: readonly CalicoctlBlock[]): { name: string; allocations: number }[] {
  const counts = new Map<string, number>();
  for (const { allocations } of blocks) {
    for (const { node } of allocations) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, allocations]) => ({ name, allocations }))
    .sort((a, b) => b.allocations - a.allocations || byText(a.name, b.name));
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** In numerical order, IPv4 first. */
function sorted(addresses: readonly string[]): string[] {
  const parsed = addresses
    .map((address) => ({ address, ip: parseIp(address) }))
    .filter((entry): entry is { address: string; ip: IpAddress } => entry.ip !== undefined);
  return parsed.sort((a, b) => compareIp(a.ip, b.ip)).map(({ address }) => address);
}
