// Small clusters in which two operations run concurrently: blocks of four addresses, two nodes, one or two blocks, in the
// states that operations and crashes leave behind. The operations are in operations.ts.
import { newBlock, parseOwner, touched } from '../../../src/ipam/block/block.ts';
import { assignedAt } from '../../../src/ipam/block/block-assign.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { affinityTo, firstSequence, handleWith, marked, node, pool } from '../clusters/ipam-state.ts';
import { handleOf, holderOf, type PodOf } from '../clusters/shop-pods.ts';

/** When the operations run. Everything else existed long before. */
export const runsAt = new Date('2026-01-02T00:00:00Z');
const madeAt = new Date('2026-01-01T00:00:00Z');

export const first = '10.0.0.0/30';
const second = '10.0.0.4/30';

/** A pod that runs with the address, or is pending without one. */
export function podObject({ pod, node: on }: PodOf, address?: string): KubeObject {
  const annotations = {
    'cni.projectcalico.org/containerID': `${pod}-container`,
    'cni.projectcalico.org/podIP': `${address}/32`,
    'cni.projectcalico.org/podIPs': `${address}/32`,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace: 'shop', ...(address === undefined ? {} : { annotations }) },
    spec: { nodeName: on },
    status:
      address === undefined ? { phase: 'Pending' } : { phase: 'Running', podIP: address, podIPs: [{ ip: address }] },
  };
}

/** The deleted pod of a leaked address. */
export const gone: PodOf = { pod: 'gone', node: 'node-a' };
export const leakedAddress = '10.0.0.1';
const alive: PodOf = { pod: 'a1', node: 'node-a' };
const other: PodOf = { pod: 'a2', node: 'node-a' };
const borrower: PodOf = { pod: 'b1', node: 'node-b' };

function block(cidr: string, owner: string | undefined, held: Readonly<Record<number, PodOf>> = {}): IPAMBlock {
  const empty = newBlock(parseCidr(cidr) as Cidr, parseOwner(owner), firstSequence);
  return Object.entries(held).reduce(
    (before, [ordinal, by]) => touched(assignedAt(before, Number(ordinal), holderOf(by, madeAt)) as IPAMBlock),
    empty,
  );
}

const handleFor = ({ pod }: PodOf, cidr = first): KubeObject => handleWith(handleOf(pod), { [cidr]: 1 });

export interface SmallCluster {
  readonly name: string;
  readonly objects: readonly KubeObject[];
  /** The pod of each address that must not be freed. */
  readonly living: ReadonlyMap<string, PodOf>;
  /** There is much to repair or release, so it has the most schedules. */
  readonly isRoomy: boolean;
  /** A node has two blocks. */
  readonly isWide: boolean;
  /** Similar to another one, and omitted from short runs. */
  readonly isExtra: boolean;
}

interface Traits {
  readonly strict?: boolean;
  readonly blocks?: 1 | 2;
  readonly living?: Readonly<Record<string, PodOf>>;
  readonly extra?: boolean;
}

function smallCluster(
  name: string,
  { strict = false, blocks = 2, living = {}, extra = false }: Traits,
  objects: readonly KubeObject[],
): SmallCluster {
  const config: KubeObject = {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMConfig',
    metadata: { name: 'default' },
    spec: { strictAffinity: strict, autoAllocateBlocks: true },
  };
  const pods = Object.entries(living).map(([address, by]) => podObject(by, address));
  const range = blocks === 1 ? first : '10.0.0.0/29';
  return {
    name,
    objects: [node('node-a'), node('node-b'), pool('p', range, 30), config, ...pods, ...objects],
    living: new Map(Object.entries(living)),
    isRoomy: pods.length > 0,
    isWide: objects.filter(({ kind }) => kind === 'IPAMBlock').length > 1,
    isExtra: extra,
  };
}

const inUse = block(first, 'host:node-a', { 0: alive, 1: gone });
const full = block(first, 'host:node-a', { 0: alive, 1: gone, 2: borrower, 3: other });
const ownerless = block(first, undefined, { 1: gone, 2: borrower });
const affinityOfA = affinityTo('node-a', first, 'confirmed');
const handles = [handleFor(alive), handleFor(gone)];
const allHandles = [...handles, handleFor(borrower), handleFor(other)];
const used = { '10.0.0.0': alive };
const usedFully = { '10.0.0.0': alive, '10.0.0.2': borrower, '10.0.0.3': other };

export const smallClusters: readonly SmallCluster[] = [
  smallCluster('no block', {}, []),
  smallCluster('no block, a pool of one', { extra: true, blocks: 1 }, []),
  smallCluster('a block in use, another free', { living: used }, [inUse, affinityOfA, ...handles]),
  smallCluster('a pool of one block, in use', { blocks: 1, living: used }, [inUse, affinityOfA, ...handles]),
  smallCluster('a pool of one block, in use, strict affinity', { blocks: 1, strict: true, living: used }, [
    inUse,
    affinityOfA,
    ...handles,
  ]),
  smallCluster('a pool of one block, full, partly borrowed', { blocks: 1, living: usedFully }, [
    full,
    affinityOfA,
    ...allHandles,
  ]),
  smallCluster('a full block, another free', { extra: true, living: usedFully }, [full, affinityOfA, ...allHandles]),
  smallCluster('a block in use and an empty one', { living: used }, [
    inUse,
    affinityOfA,
    ...handles,
    block(second, 'host:node-a'),
    affinityTo('node-a', second, 'confirmed'),
  ]),
  smallCluster('a pending affinity without a block', { blocks: 1 }, [affinityTo('node-a', first, 'pending')]),
  smallCluster('a pending affinity for a block in use', { extra: true, blocks: 1, living: used }, [
    inUse,
    affinityTo('node-a', first, 'pending'),
    ...handles,
  ]),
  smallCluster('an empty block with an affinity marked for deletion', { blocks: 1 }, [
    block(first, 'host:node-a'),
    affinityTo('node-a', first, 'pendingDeletion'),
  ]),
  smallCluster('an affinity marked for deletion without its block', { blocks: 1 }, [
    affinityTo('node-a', first, 'pendingDeletion'),
  ]),
  smallCluster('a block without an owner, in use', { blocks: 1, living: { '10.0.0.2': borrower } }, [
    ownerless,
    handleFor(gone),
    handleFor(borrower),
  ]),
  smallCluster('two affinities for one block', { extra: true, blocks: 1, living: used }, [
    inUse,
    affinityOfA,
    affinityTo('node-b', first, 'pending'),
    ...handles,
  ]),
  smallCluster('a half-deleted block, affinity and handle', { blocks: 1 }, [
    marked(block(first, 'host:node-a')),
    marked(affinityTo('node-a', first, 'pendingDeletion')),
    marked(handleFor(gone)),
  ]),
  smallCluster('handles with wrong counts', { blocks: 1, living: used }, [
    inUse,
    affinityOfA,
    handleWith(handleOf('gone'), { [first]: 3 }),
    handleWith(handleOf('stray'), { [first]: 1 }),
  ]),
];
