// Small clusters for interrupted operations: blocks of four addresses, two nodes, running pods with addresses and deleted
// pods. The operations are in assignments.ts, affinities.ts, releases.ts and repairs.ts.
import { newBlock, parseOwner, touched } from '../../../src/ipam/block/block.ts';
import { assignedAt } from '../../../src/ipam/block/block-assign.ts';
import { addressAt, type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import { formatIp } from '../../../src/net/ip.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { affinityTo, firstSequence, handleWith, node, pool } from '../clusters/ipam-state.ts';
import { handleOf, holderOf, type PodOf as ShopPod } from '../clusters/shop-pods.ts';

/** When the operations run and are interrupted. Everything else existed long before. */
export const interruptedAt = new Date('2026-01-02T00:00:00Z');
const madeAt = new Date('2026-01-01T00:00:00Z');

/** The pod that requests an address. */
export interface PodOf extends ShopPod {
  /** The pod is deleted, so its addresses must be released. */
  readonly gone?: true;
}

export const a1: PodOf = { pod: 'a1', node: 'node-a' };
export const a2: PodOf = { pod: 'a2', node: 'node-a' };
export const b1: PodOf = { pod: 'b1', node: 'node-b' };
export const g1: PodOf = { pod: 'g1', node: 'node-a', gone: true };
export const g2: PodOf = { pod: 'g2', node: 'node-a', gone: true };

/** A pod that runs with these addresses. */
function podObject({ pod, node: on }: PodOf, addresses: readonly string[]): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pod,
      namespace: 'shop',
      annotations: { 'cni.projectcalico.org/containerID': `${pod}-container` },
    },
    spec: { nodeName: on },
    status: { phase: 'Running', podIP: addresses[0], podIPs: addresses.map((ip) => ({ ip })) },
  };
}

/** A block: its owner, and the holders of its first addresses. */
export interface BlockPlan {
  readonly cidr: string;
  readonly owner?: 'node-a' | 'node-b';
  readonly held?: readonly PodOf[];
}

export interface SmallCluster {
  readonly objects: readonly KubeObject[];
  /** The pod of each address that must stay allocated to it. */
  readonly living: ReadonlyMap<string, PodOf>;
}

function blockOf({ cidr, owner, held = [] }: BlockPlan): IPAMBlock {
  const empty = newBlock(parseCidr(cidr) as Cidr, parseOwner(owner && `host:${owner}`), firstSequence);
  return held.reduce((block, by, ordinal) => {
    // Addresses of deleted pods were assigned just now.
    const holder = holderOf(by, by.gone ? interruptedAt : madeAt);
    return touched(assignedAt(block, ordinal, holder) as IPAMBlock);
  }, empty);
}

/** Four blocks of one pool that selects both nodes. */
export const onePool: readonly KubeObject[] = [pool('p', '10.0.0.0/28', 30)];

/** Consistent: affinities of the owners, handles with correct counts, running pods. */
export function smallCluster(plans: readonly BlockPlan[], pools = onePool): SmallCluster {
  const living = new Map<string, PodOf>();
  const counts = new Map<string, Record<string, number>>();
  const affinities: KubeObject[] = [];
  for (const { cidr, owner, held = [] } of plans) {
    if (owner) affinities.push(affinityTo(owner, cidr, 'confirmed'));
    held.forEach((by, ordinal) => {
      const ofHandle = counts.get(handleOf(by.pod)) ?? {};
      counts.set(handleOf(by.pod), { ...ofHandle, [cidr]: (ofHandle[cidr] ?? 0) + 1 });
      if (!by.gone) living.set(formatIp(addressAt(parseCidr(cidr) as Cidr, ordinal)), by);
    });
  }
  const objects = [
    node('node-a'),
    node('node-b', { zone: 'y' }),
    ...pools,
    ...plans.map(blockOf),
    ...affinities,
    ...[...counts].map(([handle, block]) => handleWith(handle, block)),
    ...podsOf(living),
  ];
  return { objects: objects.map((object) => createdAt(object, madeAt)), living };
}

/** The pods that have these addresses. */
export function podsOf(living: ReadonlyMap<string, PodOf>): KubeObject[] {
  const addresses = new Map<PodOf, string[]>();
  for (const [address, by] of living) addresses.set(by, [...(addresses.get(by) ?? []), address]);
  return [...addresses].map(([by, texts]) => podObject(by, texts));
}

function createdAt(object: KubeObject, at: Date): KubeObject {
  return { ...object, metadata: { ...object.metadata, creationTimestamp: at.toISOString() } };
}
