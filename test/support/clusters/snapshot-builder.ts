// Small snapshots for the rules of the check: a healthy cluster, and methods to break one thing in it.

import { newBlock } from '../../../src/ipam/block/block.ts';
import { windowsReservation } from '../../../src/ipam/block/windows-reserve.ts';
import type { OptionalKind } from '../../../src/ipam-check/invariant.ts';
import type {
  HandleRecord,
  IpamSnapshot,
  NodeRecord,
  PodRecord,
  ServiceRecord,
  UnreadKind,
  WorkloadRecord,
} from '../../../src/ipam-check/snapshot.ts';
import { addressAt, parseCidr } from '../../../src/net/cidr.ts';
import { formatIp } from '../../../src/net/ip.ts';
import type { BlockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import type { ClusterInformation } from '../../../src/resources/kinds/cluster-information.ts';
import type { IPPool } from '../../../src/resources/kinds/ip-pool.ts';
import type { BlockAttribute, IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { affinityLabels, affinityName, blockName, handleName } from '../../../src/resources/names.ts';

/** When the healthy cluster was created, and when it is judged: a day later. */
const madeAt = new Date('2026-01-01T00:00:00Z');
export const judgedAt = new Date('2026-01-02T00:00:00Z');

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function cidrOf(text: string) {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`not a CIDR: ${text}`);
  return cidr;
}

/** A creation time this long before the snapshot is judged. */
export function before(ms: number): string {
  return new Date(judgedAt.getTime() - ms).toISOString();
}

/** The entry of a kind that may not be read. */
export function unread(kind: OptionalKind): UnreadKind[] {
  return [{ kind, reason: 'forbidden' }];
}

export const container = (digit: string): string => digit.repeat(64);
export const podHandle = (digit: string): string => `k8s-pod-network.${container(digit)}`;

export class SnapshotBuilder {
  readonly pools: IPPool[] = [];
  readonly blocks: IPAMBlock[] = [];
  readonly affinities: BlockAffinity[] = [];
  readonly handles: Mutable<HandleRecord & { block: Record<string, number> }>[] = [];
  readonly nodes: Mutable<NodeRecord>[] = [];
  readonly pods: Mutable<PodRecord>[] = [];
  readonly workloads: WorkloadRecord[] = [];
  readonly services: ServiceRecord[] = [];
  #revision = 1000;

  #meta(name: string) {
    this.#revision += 1;
    return {
      name,
      uid: `00000000-0000-4000-a000-${String(this.#revision).padStart(12, '0')}`,
      resourceVersion: String(this.#revision),
      creationTimestamp: madeAt.toISOString(),
    };
  }

  pool(name: string, cidr: string, blockSize: number): IPPool {
    const pool: IPPool = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPPool',
      metadata: this.#meta(name),
      spec: {
        cidr,
        blockSize,
        vxlanMode: 'Always',
        ipipMode: 'Never',
        nodeSelector: 'all()',
        allowedUses: ['Workload', 'Tunnel'],
      },
    };
    this.pools.push(pool);
    return pool;
  }

  node(name: string): Mutable<NodeRecord> {
    const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
    const node = { name, tunnels: {}, labels, ready: true, addresses: [], podCIDRs: [] };
    this.nodes.push(node);
    return node;
  }

  /** A block without an affinity; `owner` as `host:<node>`. */
  bareBlock(cidr: string, owner?: string, windows = false): IPAMBlock {
    const [type, name] = owner?.split(':') ?? [];
    const made = newBlock(
      cidrOf(cidr),
      name === undefined ? undefined : { type: type === 'virtual' ? 'virtual' : 'host', name },
      BigInt(madeAt.getTime()) * 1_000_000n,
      windows ? windowsReservation : undefined,
    );
    const block = { ...made, metadata: { ...made.metadata, ...this.#meta(made.metadata.name) } };
    this.blocks.push(block);
    return block;
  }

  affinity(node: string, cidr: string, state = 'confirmed', type = 'host'): BlockAffinity {
    const affinity: BlockAffinity = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'BlockAffinity',
      metadata: { ...this.#meta(affinityName(node, cidr)), labels: affinityLabels(node, type, cidr) },
      spec: { state, node, type, cidr, deleted: 'false' },
    };
    this.affinities.push(affinity);
    return affinity;
  }

  /** A block and the confirmed affinity of the node. */
  block(cidr: string, node: string, windows = false): IPAMBlock {
    this.affinity(node, cidr);
    return this.bareBlock(cidr, `host:${node}`, windows);
  }

  handle(handleId: string, block: Record<string, number>): Mutable<HandleRecord & { block: Record<string, number> }> {
    const { name, uid, resourceVersion } = this.#meta(handleName(handleId));
    const handle = { name, uid, resourceVersion, handleId, block, deleted: false, writtenAtMs: madeAt.getTime() };
    this.handles.push(handle);
    return handle;
  }

  /** Allocates the next free address of the block and counts it in the handle; returns the address. */
  allocate(block: IPAMBlock, attribute: BlockAttribute): string {
    const { spec } = block;
    const ordinal = spec.unallocated.shift();
    if (ordinal === undefined) throw new Error(`${spec.cidr} is full`);
    spec.allocations[ordinal] = spec.attributes.push(attribute) - 1;
    spec.sequenceNumberForAllocation = {
      ...spec.sequenceNumberForAllocation,
      [String(ordinal)]: spec.sequenceNumber ?? 0n,
    };
    spec.sequenceNumber = (spec.sequenceNumber ?? 0n) + 1n;
    if (attribute.handle_id) {
      const known = this.handles.find((handle) => handle.handleId === attribute.handle_id);
      const handle = known ?? this.handle(attribute.handle_id, {});
      handle.block[spec.cidr] = (handle.block[spec.cidr] ?? 0) + 1;
    }
    return formatIp(addressAt(cidrOf(spec.cidr), ordinal));
  }

  /** A running pod with an address of the block; `digit` makes its container id. */
  pod(name: string, node: string, block: IPAMBlock, digit: string): Mutable<PodRecord> {
    const timestamp = '2026-01-01 00:00:00 +0000 UTC';
    const address = this.allocate(block, {
      handle_id: podHandle(digit),
      secondary: { namespace: 'shop', pod: name, node, timestamp },
    });
    const { uid, resourceVersion } = this.#meta(name);
    const pod: Mutable<PodRecord> = {
      namespace: 'shop',
      name,
      uid,
      resourceVersion,
      node,
      hostNetwork: false,
      phase: 'Running',
      reason: undefined,
      addresses: [address],
      finished: false,
      deleting: false,
      containerId: container(digit),
      noIpam: false,
      moreAddresses: false,
      otherAddresses: [],
      wired: true,
      pools: [],
    };
    this.pods.push(pod);
    return pod;
  }

  /** The VXLAN address of a node, from the block. */
  tunnel(node: Mutable<NodeRecord>, block: IPAMBlock): string {
    const address = this.allocate(block, {
      handle_id: `vxlan-tunnel-addr-${node.name}`,
      secondary: { node: node.name, type: 'vxlanTunnelAddress' },
    });
    node.tunnels = { ...node.tunnels, vxlanTunnelAddress: address };
    return address;
  }

  removeHandle(name: string): void {
    const index = this.handles.findIndex((handle) => handle.name === name);
    if (index < 0) throw new Error(`no handle ${name}`);
    this.handles.splice(index, 1);
  }

  removeAffinity(name: string): void {
    const index = this.affinities.findIndex((affinity) => affinity.metadata.name === name);
    if (index < 0) throw new Error(`no affinity ${name}`);
    this.affinities.splice(index, 1);
  }

  removeNode(name: string): void {
    const index = this.nodes.findIndex((node) => node.name === name);
    if (index < 0) throw new Error(`no node ${name}`);
    this.nodes.splice(index, 1);
  }

  blockOf(cidr: string): IPAMBlock {
    const block = this.blocks.find(({ metadata }) => metadata.name === blockName(cidr));
    if (!block) throw new Error(`no block ${cidr}`);
    return block;
  }

  affinityOf(node: string, cidr: string): BlockAffinity {
    const name = affinityName(node, cidr);
    const affinity = this.affinities.find(({ metadata }) => metadata.name === name);
    if (!affinity) throw new Error(`no affinity ${name}`);
    return affinity;
  }

  handleOf(handleId: string): Mutable<HandleRecord & { block: Record<string, number> }> {
    const handle = this.handles.find((one) => one.handleId === handleId);
    if (!handle) throw new Error(`no handle ${handleId}`);
    return handle;
  }

  snapshot(changes: Partial<IpamSnapshot> = {}): IpamSnapshot {
    const clusterInformation: ClusterInformation = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'ClusterInformation',
      metadata: { name: 'default' },
      spec: { clusterGUID: 'c0ffee', calicoVersion: 'v3.31.4', datastoreReady: true },
    };
    const byName = <T>(items: readonly T[], name: (item: T) => string) =>
      [...items].sort((a, b) => (name(a) < name(b) ? -1 : 1));
    return {
      now: judgedAt,
      locked: false,
      calicoApi: 'crd.projectcalico.org/v1',
      graceMs: 15 * 60_000,
      clusterInformation,
      pools: byName(this.pools, ({ metadata }) => metadata.name),
      blocks: byName(this.blocks, ({ metadata }) => metadata.name),
      affinities: byName(this.affinities, ({ metadata }) => metadata.name),
      handles: byName(this.handles, ({ name }) => name),
      config: undefined,
      reservations: [],
      nodes: byName(this.nodes, ({ name }) => name),
      pods: byName(this.pods, ({ namespace, name }) => `${namespace}/${name}`),
      workloads: this.workloads,
      services: this.services,
      kubeControllers: undefined,
      unread: [],
      ...changes,
    };
  }
}

/**
 * Two nodes in pool 10.60.0.0/24 with blocks of eight: node-a has 10.60.0.0/29 with its tunnel (.0), pods a-1 (.1) and
 * a-2 (.2); node-b has 10.60.0.8/29 with its tunnel (.8) and pod b-1 (.9). It has no fault.
 */
export function healthy(): SnapshotBuilder {
  const cluster = new SnapshotBuilder();
  cluster.pool('pool-1', '10.60.0.0/24', 29);
  const [nodeA, nodeB] = [cluster.node('node-a'), cluster.node('node-b')];
  const blockA = cluster.block('10.60.0.0/29', 'node-a');
  const blockB = cluster.block('10.60.0.8/29', 'node-b');
  cluster.tunnel(nodeA, blockA);
  cluster.tunnel(nodeB, blockB);
  cluster.pod('a-1', 'node-a', blockA, '1');
  cluster.pod('a-2', 'node-a', blockA, '2');
  cluster.pod('b-1', 'node-b', blockB, '3');
  return cluster;
}
