// Small clusters in which two operations run concurrently: blocks of four addresses, two nodes, one or two blocks, in the
// states that operations and crashes leave. The operations are in operations.ts.
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

/** A pod that runs with the address, or that has none yet. */
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
  /** The address of each existing pod: it must not be freed. */
  readonly living: ReadonlyMap<string, PodOf>;
  /** There is much to repair or release: this has the most schedules. */
  readonly isRoomy: boolean;
  /** A node has two blocks. */
  readonly isWide: boolean;
  /** Similar to another one: left out of short runs. */
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
const claimOfA = affinityTo('node-a', first, 'confirmed');
const handles = [handleFor(alive), handleFor(gone)];
const allHandles = [...handles, handleFor(borrower), handleFor(other)];
const used = { '10.0.0.0': alive };
const usedFully = { '10.0.0.0': alive, '10.0.0.2': borrower, '10.0.0.3': other };

export const smallClusters: readonly SmallCluster[] = [
  smallCluster('nothing yet', {}, []),
  smallCluster('nothing yet, one block', { extra: true, blocks: 1 }, []),
  smallCluster('a block in use, another to be had', { living: used }, [inUse, claimOfA, ...handles]),
  smallCluster('one block, in use', { blocks: 1, living: used }, [inUse, claimOfA, ...handles]),
  smallCluster('one block, in use, strict affinity', { blocks: 1, strict: true, living: used }, [
    inUse,
    claimOfA,
    ...handles,
  ]),
  smallCluster('one block, full, partly borrowed', { blocks: 1, living: usedFully }, [full, claimOfA, ...allHandles]),
  smallCluster('a full block, another to be had', { extra: true, living: usedFully }, [full, claimOfA, ...allHandles]),
  smallCluster('a block in use, an empty one beside', { living: used }, [
    inUse,
    claimOfA,
    ...handles,
    block(second, 'host:node-a'),
    affinityTo('node-a', second, 'confirmed'),
  ]),
  smallCluster('a claim without a block', { blocks: 1 }, [affinityTo('node-a', first, 'pending')]),
  smallCluster('an unconfirmed claim on a block in use', { extra: true, blocks: 1, living: used }, [
    inUse,
    affinityTo('node-a', first, 'pending'),
    ...handles,
  ]),
  smallCluster('an empty block half given up', { blocks: 1 }, [
    block(first, 'host:node-a'),
    affinityTo('node-a', first, 'pendingDeletion'),
  ]),
  smallCluster('a claim given up without its block', { blocks: 1 }, [affinityTo('node-a', first, 'pendingDeletion')]),
  smallCluster('nobody’s block, borrowed from', { blocks: 1, living: { '10.0.0.2': borrower } }, [
    ownerless,
    handleFor(gone),
    handleFor(borrower),
  ]),
  smallCluster('two claims on one block', { extra: true, blocks: 1, living: used }, [
    inUse,
    claimOfA,
    affinityTo('node-b', first, 'pending'),
    ...handles,
  ]),
  smallCluster('half deleted: a block, its claim, a handle', { blocks: 1 }, [
    marked(block(first, 'host:node-a')),
    marked(affinityTo('node-a', first, 'pendingDeletion')),
    marked(handleFor(gone)),
  ]),
  smallCluster('handles counted wrong', { blocks: 1, living: used }, [
    inUse,
    claimOfA,
    handleWith(handleOf('gone'), { [first]: 3 }),
    handleWith(handleOf('stray'), { [first]: 1 }),
  ]),
];
