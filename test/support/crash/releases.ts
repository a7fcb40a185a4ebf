// Interrupted releases, each in a cluster where it writes more than once.
import { releaseByHandle, releaseIps } from '../../../src/ipam/release/release.ts';
import { handleOf } from '../clusters/shop-pods.ts';
import { a1, b1, g1, g2, smallCluster } from './clusters.ts';
import {
  deleteHandleWrites,
  first,
  type InterruptedOperation,
  poolsNotSelecting,
  releaseEmptyWrites,
  second,
  third,
} from './operation.ts';

export const interruptedReleases: readonly InterruptedOperation[] = [
  {
    what: 'releaseIps of one address',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1, g1] }]),
    run: (ipam) => releaseIps(ipam, [{ address: '10.0.0.1', handle: handleOf(g1.pod) }]),
    repairs: ['INV-53'],
    writes: [['update block', 7], ...deleteHandleWrites],
    end: ['10.0.0.0/30 host:node-a: a1', 'node-a-10-0-0-0-30 confirmed'],
  },
  {
    what: 'releaseIps of several handles and blocks',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [g1, a1, g2] },
      { cidr: second, owner: 'node-b', held: [g2, g2] },
    ]),
    run: (ipam) =>
      releaseIps(ipam, [
        { address: '10.0.0.0', handle: handleOf(g1.pod) },
        { address: '10.0.0.2', handle: handleOf(g2.pod) },
        { address: '10.0.0.4', handle: handleOf(g2.pod) },
        { address: '10.0.0.5', handle: handleOf(g2.pod) },
      ]),
    repairs: ['INV-53'],
    writes: [
      ['update block', 7],
      ['update handle', 7, 9],
      ['delete handle', 7],
      ['update handle'],
      ['update block', 7],
      ['update handle, refused', 7],
      ...deleteHandleWrites,
    ],
    end: [
      '10.0.0.0/30 host:node-a: a1',
      '10.0.0.4/30 host:node-b:',
      'node-a-10-0-0-0-30 confirmed',
      'node-b-10-0-0-4-30 confirmed',
    ],
  },
  {
    what: 'releaseIps of all addresses of a block without an owner',
    cluster: smallCluster([{ cidr: first, held: [g1, g1] }]),
    run: (ipam) =>
      releaseIps(
        ipam,
        ['10.0.0.0', '10.0.0.1'].map((address) => ({ address, handle: handleOf(g1.pod) })),
      ),
    repairs: ['INV-53'],
    writes: [['update block', 7, 8], ['delete block', 7], ...deleteHandleWrites],
    end: [],
  },
  {
    what: 'releaseIps of the last address of a node that its pool no longer selects',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [g1] }], poolsNotSelecting),
    run: (ipam) => releaseIps(ipam, [{ address: '10.0.0.0', handle: handleOf(g1.pod) }]),
    repairs: ['INV-53', 'INV-24'],
    writes: [['update block', 7], ...deleteHandleWrites, ...releaseEmptyWrites],
    leavesToRepair: true,
    end: [],
  },
  {
    what: 'releaseByHandle in several blocks',
    cluster: smallCluster([
      { cidr: first, owner: 'node-a', held: [a1, g1] },
      { cidr: second, held: [g1, g1] },
      { cidr: third, owner: 'node-b', held: [b1, g1] },
    ]),
    run: (ipam) => releaseByHandle(ipam, handleOf(g1.pod)),
    repairs: ['INV-53'],
    writes: [
      ['update block', 7],
      ['update handle'],
      ['update block', 7, 8],
      ['delete block', 7],
      ['update handle'],
      ['update block', 7],
      ...deleteHandleWrites,
    ],
    end: [
      '10.0.0.0/30 host:node-a: a1',
      '10.0.0.8/30 host:node-b: b1',
      'node-a-10-0-0-0-30 confirmed',
      'node-b-10-0-0-8-30 confirmed',
    ],
  },
];
