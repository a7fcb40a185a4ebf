// Claims that are made, released and repaired, and interrupted, each in a cluster where it writes more than once.

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
  type CutOperation,
  claimed,
  disowned,
  emptied,
  first,
  fourth,
  nodeA,
  second,
  third,
  unselecting,
  withChanged,
  world,
} from './operation.ts';

export const cutClaims: readonly CutOperation[] = [
  {
    what: 'ensureBlock',
    cluster: smallCluster([{ cidr: first, owner: 'node-b', held: [b1] }]),
    run: (ipam) => ensureBlock(ipam, { node: 'node-a', version: 4 }, world()),
    writes: claimed,
    ends: [
      '10.0.0.0/30 host:node-b: b1',
      '10.0.0.8/30 host:node-a:',
      'node-a-10-0-0-8-30 confirmed',
      'node-b-10-0-0-0-30 confirmed',
    ],
  },
  {
    what: 'claimAffinity, two new blocks beside an own one and a foreign one',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1] },
      { cidr: fourth, owner: 'node-b', held: [b1] },
    ]),
    run: (ipam) => claimAffinity(ipam, '10.0.0.0/28', nodeA, world()),
    writes: [
      ['create claim, in vain'],
      ...claimed,
      ...claimed,
      ['create claim', 14],
      ['update claim', 10],
      ['delete claim'],
    ],
    ends: [
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
    what: 'claimAffinity, taking back what was half given up',
    cluster: withChanged(smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]), 'BlockAffinity', () =>
      affinityTo('node-a', first, 'pendingDeletion'),
    ),
    run: (ipam) => claimAffinity(ipam, first, nodeA, world()),
    cures: ['INV-33', 'INV-28'],
    writes: [['create claim, in vain', 11], ['update claim', 2], ['update block', 2], ['update claim']],
    ends: ['10.0.0.0/30 host:node-a: a1', 'node-a-10-0-0-0-30 confirmed'],
  },
  {
    what: 'releaseAffinity, empty block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a' }]),
    run: (ipam) => releaseAffinity(ipam, first, nodeA, { mustBeEmpty: true }),
    writes: emptied,
    ends: [],
  },
  {
    what: 'releaseAffinity, block in use',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1, b1] }]),
    run: (ipam) => releaseAffinity(ipam, first, nodeA, { mustBeEmpty: false }),
    writes: disowned,
    ends: ['10.0.0.0/30 nobody: a1 b1'],
  },
  {
    what: 'releaseHostAffinities, an empty block and one in use that stays',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1] },
      { cidr: second, owner: 'node-a' },
    ]),
    run: (ipam) => releaseHostAffinities(ipam, nodeA, { mustBeEmpty: true }),
    writes: emptied,
    ends: ['10.0.0.0/30 host:node-a: a1', 'node-a-10-0-0-0-30 confirmed'],
  },
  {
    what: 'releasePoolAffinities, blocks of two nodes',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1] },
      { cidr: second, owner: 'node-b' },
    ]),
    run: (ipam) => releasePoolAffinities(ipam, '10.0.0.0/28'),
    writes: [...disowned, ...emptied],
    ends: ['10.0.0.0/30 nobody: a1'],
  },
  {
    what: 'removeHost, a block in use and an empty one',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1, g1] },
      { cidr: second, owner: 'node-a' },
      { cidr: third, owner: 'node-b', held: [b1] },
    ]),
    run: (ipam) => removeHost(ipam, nodeA),
    cures: ['INV-53'],
    writes: [...disowned, ...emptied],
    ends: ['10.0.0.0/30 nobody: a1 g1', '10.0.0.8/30 host:node-b: b1', 'node-b-10-0-0-8-30 confirmed'],
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
    cures: ['INV-35'],
    writes: [['update claim'], ['update claim']],
    ends: [
      '10.0.0.0/30 host:node-a: a1',
      '10.0.0.4/30 host:node-a: a2',
      'node-a-10-0-0-0-30 confirmed',
      'node-a-10-0-0-4-30 confirmed',
    ],
  },
  {
    what: 'ensureConsistentAffinity',
    cluster: smallCluster([{ cidr: first, owner: 'node-a' }], unselecting),
    run: (ipam) => ensureConsistentAffinity(ipam, newBlock(parseCidr(first) as Cidr, nodeA, firstSequence)),
    cures: ['INV-24'],
    writes: emptied,
    leavesToRepair: true,
    ends: [],
  },
];

/** As in releases without labels. */
function unlabelled(claim: KubeObject): KubeObject {
  const { labels: _, ...metadata } = claim.metadata;
  return { ...claim, metadata };
}
