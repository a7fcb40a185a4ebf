// Assigning and releasing in a block, and rebuilding its allocation records: examples computed by hand, and properties.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressOf,
  allocatedOrdinals,
  handleOf,
  newBlock,
  sequenceOf,
  touched,
  withSpec,
} from '../../../src/ipam/block/block.ts';
import { assigned, assignedAt, freeCount } from '../../../src/ipam/block/block-assign.ts';
import { released, releasedByHandle } from '../../../src/ipam/block/block-release.ts';
import { isLengthProvable, rebuilt, structureProblems } from '../../../src/ipam/block/block-structure.ts';
import { windowsReservation } from '../../../src/ipam/block/windows-reserve.ts';
import { borrowedFrom } from '../../../src/ipam/show/utilization.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import { IntervalSet } from '../../../src/net/interval-set.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';

fc.configureGlobal({ seed: 20260102 });

const cidr = (text: string) => parseCidr(text) as Cidr;
const set = (...texts: string[]) => IntervalSet.of(texts.map(cidr));
const nothing = set();
const start = 1764412800000000000n;
const fresh = (text: string) => newBlock(cidr(text), { type: 'host', name: 'node-a' }, start);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** One assignment as its caller writes it, with the sequence number raised by one. */
function assignInBlock(block: IPAMBlock, handle: string, want = 1): IPAMBlock {
  return touched(assigned(block, want, { handle }, nothing).block);
}

function threeOf8(): IPAMBlock {
  return assignInBlock(assignInBlock(assignInBlock(fresh('10.0.0.0/29'), 'h0'), 'h1'), 'h2');
}

const ids = (block: IPAMBlock) => structureProblems(block).map(({ id }) => id);

describe('assigning in a block', () => {
  it('assigning takes the first ordinals of the free list', () => {
    const block = assignInBlock(assignInBlock(assignInBlock(fresh('10.0.0.0/26'), 'a'), 'b'), 'c');
    expect(allocatedOrdinals(block)).toEqual([0, 1, 2]);
    expect(block.spec.unallocated).toEqual(range(3, 63));
  });

  it('assigning takes released ordinals last', () => {
    let block = assignInBlock(assignInBlock(assignInBlock(fresh('10.0.0.0/26'), 'a'), 'b'), 'c');
    block = released(block, [{ ordinal: 1 }]).block;
    block = released(block, [{ ordinal: 0 }]).block;
    expect(block.spec.unallocated).toEqual([...range(3, 63), 1, 0]);
    expect(assigned(block, 1, { handle: 'd' }, nothing).ordinals).toEqual([3]);
  });

  it('equal holders share one attribute', () => {
    const two = assignInBlock(fresh('10.0.0.0/29'), 'h', 2);
    expect(two.spec.attributes).toEqual([{ handle_id: 'h' }]);
    expect(two.spec.allocations.slice(0, 3)).toEqual([0, 0, null]);
    const one = released(two, [{ ordinal: 0 }]).block;
    expect(one.spec.attributes).toEqual([{ handle_id: 'h' }]);
    expect(one.spec.allocations[1]).toBe(0);
  });

  it('assigning stores the sequence number from before the write', () => {
    const first = assignInBlock(fresh('10.0.0.0/29'), 'h');
    expect(sequenceOf(first, 0)).toBe(start);
    const again = touched(
      assignedAt(touched(released(first, [{ ordinal: 0 }]).block), 0, { handle: 'h' }) as IPAMBlock,
    );
    expect(sequenceOf(again, 0)).toBe(start + 2n);
  });

  it('assigning leaves reserved addresses at their place in the free list', () => {
    const reserved = set('10.0.0.1/32', '10.0.0.32/30', '11.0.0.0/30', '10.0.0.17/32');
    const block = fresh('10.0.0.0/26');
    expect(freeCount(block, reserved)).toBe(58);
    const all = assigned(block, 64, {}, reserved);
    expect(all.ordinals).toHaveLength(58);
    expect(all.block.spec.unallocated).toEqual([1, 17, 32, 33, 34, 35]);
    const windows = newBlock(cidr('10.0.0.0/26'), undefined, start, windowsReservation);
    expect(assigned(windows, 64, {}, reserved).ordinals).toHaveLength(55);
  });

  it('a block completely covered by several reservations is full', () => {
    const halves = set('192.168.1.0/26', '192.168.1.64/26');
    expect(freeCount(fresh('192.168.1.0/25'), halves)).toBe(0);
    expect(freeCount(fresh('192.168.1.0/24'), halves)).toBe(128);
  });

  it('assigning an ordinal that is already assigned is refused', () => {
    expect(assignedAt(threeOf8(), 1, { handle: 'x' })).toBeUndefined();
  });

  it('assigning from an inconsistent free list gives no address twice', () => {
    const broken = withSpec(threeOf8(), { unallocated: [0, 3, 3, 4, 5, 6, 7] });
    expect(assigned(broken, 3, { handle: 'x' }, nothing).ordinals).toEqual([3, 4, 5]);
  });
});

describe('releasing in a block', () => {
  it('releasing by handle compacts the attributes and keeps the sequence entry', () => {
    const { block, released: freed } = releasedByHandle(threeOf8(), 'h1');
    expect(freed).toEqual([1]);
    expect(block.spec.allocations).toEqual([0, null, 1, null, null, null, null, null]);
    expect(block.spec.attributes).toEqual([{ handle_id: 'h0' }, { handle_id: 'h2' }]);
    expect(block.spec.unallocated).toEqual([3, 4, 5, 6, 7, 1]);
    expect(Object.keys(block.spec.sequenceNumberForAllocation ?? {})).toEqual(['0', '1', '2']);
  });

  it('releasing by address also removes the sequence entry', () => {
    const { block, byHandle } = released(threeOf8(), [{ ordinal: 1 }]);
    expect(block.spec.allocations).toEqual([0, null, 1, null, null, null, null, null]);
    expect(Object.keys(block.spec.sequenceNumberForAllocation ?? {})).toEqual(['0', '2']);
    expect([...byHandle]).toEqual([['h1', 1]]);
  });

  it('releasing counts the addresses that each handle lost', () => {
    const block = assignInBlock(assignInBlock(fresh('10.0.0.0/29'), 'pod', 3), 'other');
    const { byHandle, block: left } = released(block, [{ ordinal: 2 }, { ordinal: 0 }, { ordinal: 3 }]);
    expect([...byHandle]).toEqual([
      ['pod', 2],
      ['other', 1],
    ]);
    expect(left.spec.unallocated).toEqual([4, 5, 6, 7, 0, 2, 3]);
  });

  it('a release is guarded by handle, by sequence number or by neither', () => {
    const block = threeOf8();
    const wrongHandle = released(block, [{ ordinal: 0, handle: 'h1' }]);
    expect(wrongHandle.mismatches).toEqual([{ ordinal: 0, guard: 'handle', given: 'h1', stored: 'h0' }]);
    expect(wrongHandle.block).toBe(block);
    const wrongSequence = released(block, [{ ordinal: 0, handle: 'h0', sequenceNumber: start + 1n }]);
    expect(wrongSequence.mismatches[0]?.guard).toBe('sequence number');
    expect(released(block, [{ ordinal: 0, handle: 'h0', sequenceNumber: start }]).released).toEqual([0]);
    expect(released(block, [{ ordinal: 0 }]).released).toEqual([0]);
    // An empty handle means an allocation without a handle.
    expect(released(block, [{ ordinal: 0, handle: '' }]).released).toEqual([]);
  });

  it('a free address is reported as unallocated, and with a wrong sequence number only on request', () => {
    const block = threeOf8();
    expect(released(block, [{ ordinal: 5, handle: 'x' }]).unallocated).toEqual([5]);
    expect(released(block, [{ ordinal: 5, sequenceNumber: 9n }]).mismatches).toHaveLength(1);
    expect(released(block, [{ ordinal: 5, sequenceNumber: 9n }], { freeFirst: true }).unallocated).toEqual([5]);
  });

  it('the last of two release requests for one address is used', () => {
    const { released: freed } = released(threeOf8(), [
      { ordinal: 0, handle: 'wrong' },
      { ordinal: 0, handle: 'h0' },
    ]);
    expect(freed).toEqual([0]);
  });

  it('releasing by handle compares malformed handles up to their carriage return', () => {
    const block = assignInBlock(fresh('10.0.0.0/29'), 'k8s-pod-network.abc\r\neth0');
    expect(releasedByHandle(block, 'k8s-pod-network.abc').released).toEqual([0]);
  });

  it('releasing adds no ordinal to the free list twice', () => {
    const broken = withSpec(threeOf8(), { unallocated: [0, 3, 4, 5, 6, 7] });
    expect(released(broken, [{ ordinal: 0 }]).block.spec.unallocated).toEqual([0, 3, 4, 5, 6, 7]);
  });

  it('releasing keeps unknown fields', () => {
    const block = threeOf8();
    block.spec.attributes[0] = { handle_id: 'h0', futureOwner: { lease: 9007199254740993n } };
    const odd: IPAMBlock = { ...block, spec: { ...block.spec, futureField: [1, { deep: 2n }] } };
    const left = released(odd, [{ ordinal: 1 }]).block;
    expect(left.spec['futureField']).toEqual([1, { deep: 2n }]);
    expect(left.spec.attributes[0]).toEqual({ handle_id: 'h0', futureOwner: { lease: 9007199254740993n } });
  });
});

describe('inconsistent allocation records', () => {
  const good = threeOf8();
  const cases: readonly (readonly [string, Partial<IPAMBlock['spec']>, readonly { id: string; at: number[] }[]])[] = [
    ['nothing', {}, []],
    [
      'a missing attribute',
      { allocations: [0, 9, 2, null, null, null, null, null] },
      [
        { id: 'INV-04', at: [1] },
        { id: 'INV-09', at: [1] },
      ],
    ],
    ['ordinals out of range', { unallocated: [3, 4, 99, 5, 6, -1, 7] }, [{ id: 'INV-05', at: [-1, 99] }]],
    ['an ordinal twice in the free list', { unallocated: [3, 4, 5, 3, 6, 7] }, [{ id: 'INV-06', at: [3] }]],
    ['an allocated ordinal in the free list', { unallocated: [3, 4, 0, 5, 6, 7] }, [{ id: 'INV-07', at: [0] }]],
    ['lost ordinals', { unallocated: [6, 4, 3] }, [{ id: 'INV-08', at: [5, 7] }]],
    ['an unused attribute', { attributes: [...good.spec.attributes, { handle_id: 'x' }] }, [{ id: 'INV-09', at: [3] }]],
    [
      'equal attributes',
      { attributes: [{ handle_id: 'h0' }, { handle_id: 'h0' }, { handle_id: 'h2' }] },
      [{ id: 'INV-10', at: [1] }],
    ],
    ['too few allocations', { allocations: [0, 1, 2, null, null, null] }, [{ id: 'INV-03', at: [6, 8] }]],
    ['too many allocations', { allocations: [...good.spec.allocations, null] }, [{ id: 'INV-03', at: [9, 8] }]],
  ];

  it.each(cases)('rebuilding a block corrects %s', (_what, change, problems) => {
    const broken = withSpec(good, change);
    expect(structureProblems(broken)).toEqual(problems);
    const right = rebuilt(broken);
    expect(structureProblems(right)).toEqual([]);
    expect(allocatedOrdinals(right)).toEqual([0, 1, 2]);
  });

  it('rebuilding keeps the order of the free list and appends lost ordinals', () => {
    expect(rebuilt(withSpec(good, { unallocated: [6, 99, 4, 0, 3, 4] })).spec.unallocated).toEqual([6, 4, 3, 5, 7]);
  });

  it('rebuilding removes the sequence entries of free ordinals and keeps the others', () => {
    const left = releasedByHandle(good, 'h1').block;
    expect(rebuilt(left).spec.sequenceNumberForAllocation).toEqual({ '0': start, '2': start + 2n });
  });

  it('rebuilding frees an allocation without its attribute only when it is known to be unused', () => {
    const broken = withSpec(good, { allocations: [0, 9, 2, null, null, null, null, null] });
    expect(allocatedOrdinals(rebuilt(broken))).toEqual([0, 1, 2]);
    expect(handleOf(rebuilt(broken), 1)).toBeUndefined();
    const freed = rebuilt(broken, new Set([0, 1]));
    expect(allocatedOrdinals(freed)).toEqual([0, 2]);
    expect(freed.spec.unallocated.at(-1)).toBe(1);
    expect(structureProblems(freed)).toEqual([]);
  });

  it('rebuilding does not invent allocations that the block cannot prove', () => {
    const short = withSpec(good, { allocations: [0, 1, 2, null, null, null], unallocated: [3, 4, 5, 6] });
    expect(isLengthProvable(short)).toBe(false);
    expect(ids(rebuilt(short))).toContain('INV-03');
    const long = withSpec(good, { allocations: [...good.spec.allocations, 1] });
    expect(isLengthProvable(long)).toBe(false);
    expect(rebuilt(long).spec.allocations).toHaveLength(9);
  });
});

/** One random operation on a block. */
const step = fc.oneof(
  fc.record({ want: fc.integer({ min: 1, max: 5 }), handle: fc.constantFrom('a', 'b', 'c\r\neth0', '') }),
  fc.record({ free: fc.array(fc.nat(15), { minLength: 1, maxLength: 4 }) }),
  fc.record({ handle: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ at: fc.nat(15), handle: fc.constantFrom('a', 'd') }),
);

function apply(block: IPAMBlock, action: typeof step extends fc.Arbitrary<infer A> ? A : never): IPAMBlock {
  if ('want' in action)
    return assigned(block, action.want, action.handle ? { handle: action.handle } : {}, nothing).block;
  if ('free' in action)
    return released(
      block,
      action.free.map((ordinal) => ({ ordinal })),
    ).block;
  if ('at' in action) return assignedAt(block, action.at, { handle: action.handle }) ?? block;
  return releasedByHandle(block, action.handle).block;
}

const steps = fc.array(step, { maxLength: 30 });
const blockAfter = (actions: readonly (typeof step extends fc.Arbitrary<infer A> ? A : never)[]) =>
  actions.reduce((block, action) => touched(apply(block, action)), fresh('10.0.0.0/28'));

it('any sequence of operations leaves a block consistent, with sequence entries below its sequence number', () => {
  fc.assert(
    fc.property(steps, (actions) => {
      const block = blockAfter(actions);
      expect(ids(block)).toEqual([]);
      for (const ordinal of allocatedOrdinals(block)) {
        expect(sequenceOf(block, ordinal)).toBeGreaterThanOrEqual(start);
        expect(sequenceOf(block, ordinal)).toBeLessThan(block.spec.sequenceNumber ?? 0n);
      }
      expect(rebuilt(block).spec.unallocated).toEqual(block.spec.unallocated);
      expect(rebuilt(block).spec.allocations).toEqual(block.spec.allocations);
    }),
    { numRuns: 300 },
  );
});

it('any release frees the released addresses and keeps the holder of every other', () => {
  fc.assert(
    fc.property(steps, fc.array(fc.nat(15), { minLength: 1, maxLength: 6 }), (actions, going) => {
      const before = blockAfter(actions);
      const after = released(
        before,
        going.map((ordinal) => ({ ordinal })),
      ).block;
      for (const ordinal of range(0, 15)) {
        const gone = going.includes(ordinal);
        expect(handleOf(after, ordinal)).toBe(gone ? undefined : handleOf(before, ordinal));
        expect(after.spec.allocations[ordinal] === null).toBe(gone || before.spec.allocations[ordinal] === null);
      }
    }),
    { numRuns: 200 },
  );
});

it('rebuilding any damaged block leaves it consistent and every allocation with its holder', () => {
  const damage = fc.record({
    unallocated: fc.array(fc.integer({ min: -3, max: 20 }), { maxLength: 24 }),
    extra: fc.array(fc.constantFrom({}, { handle_id: 'a' }, { handle_id: 'z' }), { maxLength: 3 }),
    broken: fc.array(fc.record({ ordinal: fc.nat(15), index: fc.integer({ min: 50, max: 60 }) }), { maxLength: 3 }),
    stale: fc.array(fc.nat(30), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(steps, damage, (actions, { unallocated, extra, broken, stale }) => {
      const good = blockAfter(actions);
      const allocations = [...good.spec.allocations];
      for (const { ordinal, index } of broken) if (allocations[ordinal] !== null) allocations[ordinal] = index;
      const damaged = withSpec(good, {
        allocations,
        unallocated,
        attributes: [...good.spec.attributes, ...extra],
        sequenceNumberForAllocation: {
          ...Object.fromEntries(stale.map((ordinal) => [String(ordinal), 1n])),
          ...good.spec.sequenceNumberForAllocation,
        },
      });
      const right = rebuilt(damaged);
      expect(structureProblems(right)).toEqual([]);
      expect(allocatedOrdinals(right)).toEqual(allocatedOrdinals(damaged));
      for (const ordinal of allocatedOrdinals(damaged)) {
        expect(handleOf(right, ordinal)).toBe(handleOf(damaged, ordinal));
        expect(sequenceOf(right, ordinal)).toBe(sequenceOf(damaged, ordinal));
      }
      const keys = Object.keys(right.spec.sequenceNumberForAllocation ?? {}).map(Number);
      expect(keys.every((ordinal) => right.spec.allocations[ordinal] !== null)).toBe(true);
      expect(rebuilt(right).spec).toEqual(right.spec);
    }),
    { numRuns: 300 },
  );
});

it('borrowed addresses are recognized by the node in their attributes', () => {
  // Allocations [1,0,2,3,-,-,-,2] with attributes of myhost, otherhost and anotherhost; the fourth is missing.
  const block = withSpec(fresh('10.0.1.0/29'), {
    affinity: 'host:myhost',
    allocations: [1, 0, 2, 3, null, null, null, 2],
    attributes: ['myhost', 'otherhost', 'anotherhost'].map((node) => ({ secondary: { node } })),
    unallocated: [4, 5, 6],
  });
  expect(borrowedFrom(block).borrowed.map(({ ordinal, node }) => [addressOf(block, ordinal), node])).toEqual([
    ['10.0.1.0', 'otherhost'],
    ['10.0.1.2', 'anotherhost'],
    ['10.0.1.7', 'anotherhost'],
  ]);
});
