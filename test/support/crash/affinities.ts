// Interrupted operations on affinities, each in a cluster where it writes more than once.

import { upgradeHost } from '../../../src/ipam/affinity/affinity-labels.ts';
import { ensureConsistentAffinity } from '../../../src/ipam/affinity/affinity-release.ts';
import { claimAffinity } from '../../../src/ipam/affinity/claim-by-hand.ts';
import {
  releaseAffinity,
  releaseHostAffinities,
  releasePoolAffinities,
  removeHost,
} from '../../../src/ipam/affinity/release-by-hand.ts';
import { ensureBlock } from '../../../src/ipam/assign/ensure-block.ts';
import { newBlock } from '../../../src/ipam/block/block.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { affinityTo, firstSequence } from '../clusters/ipam-state.ts';
import { a1, a2, b1, g1, smallCluster } from './clusters.ts';
import {
  claimWrites,
  first,
  fourth,
  type InterruptedOperation,
  nodeA,
  poolsNotSelecting,
  releaseEmptyWrites,
  releaseInUseWrites,
  second,
  third,
  withChanged,
  world,
} from './operation.ts';

export const interruptedAffinityOperations: readonly InterruptedOperation[] = [
  {
    what: 'ensureBlock',
    cluster: smallCluster([{ cidr: first, owner: 'node-b', held: [b1] }]),
    run: (ipam) => ensureBlock(ipam, { node: 'node-a', version: 4 }, world()),
    writes: claimWrites,
    end: [
      '10.0.0.0/30 host:node-b: b1',
      '10.0.0.8/30 host:node-a:',
      'node-a-10-0-0-8-30 confirmed',
      'node-b-10-0-0-0-30 confirmed',
    ],
  },
  {
    what: 'claimAffinity, two new blocks, an own one and one of another node',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1] },
      { cidr: fourth, owner: 'node-b', held: [b1] },
    ]),
    run: (ipam) => claimAffinity(ipam, '10.0.0.0/28', nodeA, world()),
    writes: [
      ['create affinity, refused'],
      ...claimWrites,
      ...claimWrites,
      ['create affinity', 14],
      ['update affinity', 10],
      ['delete affinity'],
    ],
    end: [
      '10.0.0.0/30 host:node-a: a1',
      '10.0.0.12/30 host:node-b: b1',
      '10.0.0.4/30 host:node-a:',
      '10.0.0.8/30 host:node-a:',
      'node-a-10-0-0-0-30 confirmed',
      'node-a-10-0-0-4-30 confirmed',
      'node-a-10-0-0-8-30 confirmed',
      'node-b-10-0-0-12-30 confirmed',
    ],
  },
  {
    what: 'claimAffinity of a half-released block',
    cluster: withChanged(smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]), 'BlockAffinity', () =>
      affinityTo('node-a', first, 'pendingDeletion'),
    ),
    run: (ipam) => claimAffinity(ipam, first, nodeA, world()),
    repairs: ['INV-33', 'INV-28'],
    writes: [['create affinity, refused', 11], ['update affinity', 2], ['update block', 2], ['update affinity']],
    end: ['10.0.0.0/30 host:node-a: a1', 'node-a-10-0-0-0-30 confirmed'],
  },
  {
    what: 'releaseAffinity of an empty block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a' }]),
    run: (ipam) => releaseAffinity(ipam, first, nodeA, { mustBeEmpty: true }),
    writes: releaseEmptyWrites,
    end: [],
  },
  {
    what: 'releaseAffinity of a block in use',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1, b1] }]),
    run: (ipam) => releaseAffinity(ipam, first, nodeA, { mustBeEmpty: false }),
    writes: releaseInUseWrites,
    end: ['10.0.0.0/30 no owner: a1 b1'],
  },
  {
    what: 'releaseHostAffinities of an empty block and one in use that is kept',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1] },
      { cidr: second, owner: 'node-a' },
    ]),
    run: (ipam) => releaseHostAffinities(ipam, nodeA, { mustBeEmpty: true }),
    writes: releaseEmptyWrites,
    end: ['10.0.0.0/30 host:node-a: a1', 'node-a-10-0-0-0-30 confirmed'],
  },
  {
    what: 'releasePoolAffinities of blocks of two nodes',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1] },
      { cidr: second, owner: 'node-b' },
    ]),
    run: (ipam) => releasePoolAffinities(ipam, '10.0.0.0/28'),
    writes: [...releaseInUseWrites, ...releaseEmptyWrites],
    end: ['10.0.0.0/30 no owner: a1'],
  },
  {
    what: 'removeHost with a block in use and an empty one',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1, g1] },
      { cidr: second, owner: 'node-a' },
      { cidr: third, owner: 'node-b', held: [b1] },
    ]),
    run: (ipam) => removeHost(ipam, nodeA),
    repairs: ['INV-53'],
    writes: [...releaseInUseWrites, ...releaseEmptyWrites],
    end: ['10.0.0.0/30 no owner: a1 g1', '10.0.0.8/30 host:node-b: b1', 'node-b-10-0-0-8-30 confirmed'],
  },
  {
    what: 'upgradeHost',
    cluster: withChanged(
      smallCluster([
        { cidr: first, owner: 'node-a', held: [a1] },
        { cidr: second, owner: 'node-a', held: [a2] },
      ]),
      'BlockAffinity',
      unlabelled,
    ),
    run: (ipam) => upgradeHost(ipam, nodeA),
    repairs: ['INV-35'],
    writes: [['update affinity'], ['update affinity']],
    end: [
      '10.0.0.0/30 host:node-a: a1',
      '10.0.0.4/30 host:node-a: a2',
      'node-a-10-0-0-0-30 confirmed',
      'node-a-10-0-0-4-30 confirmed',
    ],
  },
  {
    what: 'ensureConsistentAffinity',
    cluster: smallCluster([{ cidr: first, owner: 'node-a' }], poolsNotSelecting),
    run: (ipam) => ensureConsistentAffinity(ipam, newBlock(parseCidr(first) as Cidr, nodeA, firstSequence)),
    repairs: ['INV-24'],
    writes: releaseEmptyWrites,
    leavesToRepair: true,
    end: [],
  },
];

/** The affinity as versions of Calico without labels wrote it. */
function unlabelled(affinity: KubeObject): KubeObject {
  const { labels: _, ...metadata } = affinity.metadata;
  return { ...affinity, metadata };
}
