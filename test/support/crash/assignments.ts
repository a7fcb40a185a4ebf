// Assignments that are interrupted, each in a cluster where it writes more than once.
import { assignAddresses } from '../../../src/ipam/assign/assign-addresses.ts';
import { assignIp } from '../../../src/ipam/assign/assign-ip.ts';
import { type Assignment, autoAssign } from '../../../src/ipam/assign/auto-assign.ts';
import { pool } from '../clusters/ipam-state.ts';
import { holderOf } from '../clusters/shop-pods.ts';
import { a1, a2, b1, cutAt, onePool, smallCluster } from './clusters.ts';
import { type CutOperation, claimed, emptied, first, second, taken, third, unselecting, world } from './operation.ts';

const assign =
  (count: number): CutOperation['run'] =>
  (ipam, by) =>
    autoAssign(ipam, { node: by.node, version: 4, count, use: 'Workload', holder: holderOf(by, cutAt) }, world());
const assigned = (result: unknown): string[] => (result as Assignment).addresses.map(({ address }) => address);

const assignGiven =
  (address: string): CutOperation['run'] =>
  (ipam, by) => {
    const { handle, secondary = {} } = holderOf(by, cutAt);
    return assignIp(ipam, { address, node: by.node, handle, attributes: secondary }, world());
  };
const given = (result: unknown): string[] => [(result as Awaited<ReturnType<typeof assignIp>>).assigned.address];

export const cutAssignments: readonly CutOperation[] = [
  {
    what: 'autoAssign, first block of the node',
    cluster: smallCluster([{ cidr: second, owner: 'node-b', held: [b1] }]),
    run: assign(1),
    handsOut: assigned,
    writes: [...claimed, ...taken],
    ends: [
      '10.0.0.4/30 host:node-b: b1',
      '10.0.0.8/30 host:node-a: new',
      'node-a-10-0-0-8-30 confirmed',
      'node-b-10-0-0-4-30 confirmed',
    ],
  },
  {
    what: 'autoAssign, own block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]),
    run: assign(1),
    handsOut: assigned,
    writes: taken,
    ends: ['10.0.0.0/30 host:node-a: a1 new', 'node-a-10-0-0-0-30 confirmed'],
  },
  {
    what: 'autoAssign, two blocks in one call',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1, a1, a2] }]),
    run: assign(2),
    handsOut: assigned,
    writes: [
      ...taken,
      ['create claim', 1, 5],
      ['create block', 2, 5],
      ['update claim', 5],
      ['create handle, in vain', 5],
      ['update handle', 4, 5],
      ['update block', 5],
    ],
    ends: [
      '10.0.0.0/30 host:node-a: a1 a1 a2 new',
      '10.0.0.8/30 host:node-a: new',
      'node-a-10-0-0-0-30 confirmed',
      'node-a-10-0-0-8-30 confirmed',
    ],
  },
  {
    what: 'autoAssign, borrowing',
    cluster: smallCluster([{ cidr: first, owner: 'node-b', held: [b1] }], [pool('p', first, 30)]),
    run: assign(1),
    handsOut: assigned,
    writes: taken,
    ends: ['10.0.0.0/30 host:node-b: b1 new', 'node-b-10-0-0-0-30 confirmed'],
  },
  {
    what: 'assignAddresses, both families',
    cluster: smallCluster([], [...onePool, pool('p6', 'fd00::/124', 126)]),
    run: (ipam, by) => {
      const request = {
        node: by.node,
        use: 'Workload',
        holder: holderOf(by, cutAt),
        ipv4: { count: 1 },
        ipv6: { count: 1 },
      };
      return assignAddresses(ipam, request as Parameters<typeof assignAddresses>[1], world());
    },
    handsOut: (result) => (result as Awaited<ReturnType<typeof assignAddresses>>).assignments.flatMap(assigned),
    writes: [
      ...claimed,
      ...taken,
      ['create claim', 1, 5],
      ['create block', 2, 5],
      ['update claim', 5],
      ['create handle, in vain', 5],
      ['update handle', 4, 5],
      ['update block', 5],
    ],
    ends: [
      '10.0.0.8/30 host:node-a: new',
      'fd00::8/126 host:node-a: new',
      'node-a-10-0-0-8-30 confirmed',
      'node-a-fd00--8-126 confirmed',
    ],
  },
  {
    what: 'assignIp, new block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]),
    run: assignGiven('10.0.0.9'),
    handsOut: given,
    writes: [...claimed, ...taken],
    ends: [
      '10.0.0.0/30 host:node-a: a1',
      '10.0.0.8/30 host:node-a: new',
      'node-a-10-0-0-0-30 confirmed',
      'node-a-10-0-0-8-30 confirmed',
    ],
    mayRefuse: /already assigned/,
    leavesToRepair: true,
  },
  {
    what: 'assignIp, block that exists',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]),
    run: assignGiven('10.0.0.2'),
    handsOut: given,
    writes: taken,
    ends: ['10.0.0.0/30 host:node-a: a1 new', 'node-a-10-0-0-0-30 confirmed'],
    mayRefuse: /already assigned/,
  },
  {
    what: 'autoAssign, after giving up a block whose pool no longer selects the node',
    cluster: smallCluster(
      [
        { cidr: first, owner: 'node-a' },
        { cidr: third, owner: 'node-a', held: [a1] },
      ],
      unselecting,
    ),
    run: assign(1),
    handsOut: assigned,
    cures: ['INV-24'],
    writes: [...emptied, ...taken],
    leavesToRepair: true,
    ends: ['10.0.0.8/30 host:node-a: a1 new', 'node-a-10-0-0-8-30 confirmed'],
  },
];
