// Interrupted assignments, each in a cluster where it writes more than once.
import { assignAddresses } from '../../../src/ipam/assign/assign-addresses.ts';
import { assignIp } from '../../../src/ipam/assign/assign-ip.ts';
import { type Assignment, autoAssign } from '../../../src/ipam/assign/auto-assign.ts';
import { pool } from '../clusters/ipam-state.ts';
import { holderOf } from '../clusters/shop-pods.ts';
import { a1, a2, b1, interruptedAt, onePool, smallCluster } from './clusters.ts';
import {
  assignWrites,
  claimWrites,
  first,
  type InterruptedOperation,
  poolsNotSelecting,
  releaseEmptyWrites,
  second,
  third,
  world,
} from './operation.ts';

const assign =
  (count: number): InterruptedOperation['run'] =>
  (ipam, by) =>
    autoAssign(
      ipam,
      { node: by.node, version: 4, count, use: 'Workload', holder: holderOf(by, interruptedAt) },
      world(),
    );
const assigned = (result: unknown): string[] => (result as Assignment).addresses.map(({ address }) => address);

const assignGiven =
  (address: string): InterruptedOperation['run'] =>
  (ipam, by) => {
    const { handle, secondary = {} } = holderOf(by, interruptedAt);
    return assignIp(ipam, { address, node: by.node, handle, attributes: secondary }, world());
  };
const given = (result: unknown): string[] => [(result as Awaited<ReturnType<typeof assignIp>>).assigned.address];

export const interruptedAssignments: readonly InterruptedOperation[] = [
  {
    what: 'autoAssign from the first block of the node',
    cluster: smallCluster([{ cidr: second, owner: 'node-b', held: [b1] }]),
    run: assign(1),
    assignedBy: assigned,
    writes: [...claimWrites, ...assignWrites],
    end: [
      '10.0.0.4/30 host:node-b: b1',
      '10.0.0.8/30 host:node-a: new',
      'node-a-10-0-0-8-30 confirmed',
      'node-b-10-0-0-4-30 confirmed',
    ],
  },
  {
    what: 'autoAssign from an own block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]),
    run: assign(1),
    assignedBy: assigned,
    writes: assignWrites,
    end: ['10.0.0.0/30 host:node-a: a1 new', 'node-a-10-0-0-0-30 confirmed'],
  },
  {
    what: 'autoAssign from two blocks in one call',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1, a1, a2] }]),
    run: assign(2),
    assignedBy: assigned,
    writes: [
      ...assignWrites,
      ['create affinity', 1, 5],
      ['create block', 2, 5],
      ['update affinity', 5],
      ['create handle, refused', 5],
      ['update handle', 4, 5],
      ['update block', 5],
    ],
    end: [
      '10.0.0.0/30 host:node-a: a1 a1 a2 new',
      '10.0.0.8/30 host:node-a: new',
      'node-a-10-0-0-0-30 confirmed',
      'node-a-10-0-0-8-30 confirmed',
    ],
  },
  {
    what: 'autoAssign of a borrowed address',
    cluster: smallCluster([{ cidr: first, owner: 'node-b', held: [b1] }], [pool('p', first, 30)]),
    run: assign(1),
    assignedBy: assigned,
    writes: assignWrites,
    end: ['10.0.0.0/30 host:node-b: b1 new', 'node-b-10-0-0-0-30 confirmed'],
  },
  {
    what: 'assignAddresses of both families',
    cluster: smallCluster([], [...onePool, pool('p6', 'fd00::/124', 126)]),
    run: (ipam, by) => {
      const request = {
        node: by.node,
        use: 'Workload',
        holder: holderOf(by, interruptedAt),
        ipv4: { count: 1 },
        ipv6: { count: 1 },
      };
      return assignAddresses(ipam, request as Parameters<typeof assignAddresses>[1], world());
    },
    assignedBy: (result) => (result as Awaited<ReturnType<typeof assignAddresses>>).assignments.flatMap(assigned),
    writes: [
      ...claimWrites,
      ...assignWrites,
      ['create affinity', 1, 5],
      ['create block', 2, 5],
      ['update affinity', 5],
      ['create handle, refused', 5],
      ['update handle', 4, 5],
      ['update block', 5],
    ],
    end: [
      '10.0.0.8/30 host:node-a: new',
      'fd00::8/126 host:node-a: new',
      'node-a-10-0-0-8-30 confirmed',
      'node-a-fd00--8-126 confirmed',
    ],
  },
  {
    what: 'assignIp in a new block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]),
    run: assignGiven('10.0.0.9'),
    assignedBy: given,
    writes: [...claimWrites, ...assignWrites],
    end: [
      '10.0.0.0/30 host:node-a: a1',
      '10.0.0.8/30 host:node-a: new',
      'node-a-10-0-0-0-30 confirmed',
      'node-a-10-0-0-8-30 confirmed',
    ],
    mayRefuse: /already assigned/,
    leavesToRepair: true,
  },
  {
    what: 'assignIp in an existing block',
    cluster: smallCluster([{ cidr: first, owner: 'node-a', held: [a1] }]),
    run: assignGiven('10.0.0.2'),
    assignedBy: given,
    writes: assignWrites,
    end: ['10.0.0.0/30 host:node-a: a1 new', 'node-a-10-0-0-0-30 confirmed'],
    mayRefuse: /already assigned/,
  },
  {
    what: 'autoAssign after releasing a block whose pool no longer selects the node',
    cluster: smallCluster(
      [
        { cidr: first, owner: 'node-a' },
        { cidr: third, owner: 'node-a', held: [a1] },
      ],
      poolsNotSelecting,
    ),
    run: assign(1),
    assignedBy: assigned,
    repairs: ['INV-24'],
    writes: [...releaseEmptyWrites, ...assignWrites],
    leavesToRepair: true,
    end: ['10.0.0.8/30 host:node-a: a1 new', 'node-a-10-0-0-8-30 confirmed'],
  },
];
