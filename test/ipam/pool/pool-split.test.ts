// Plans of splits: the parts and their settings, the remaining steps of an interrupted split, and reasons to refuse one.
import { describe, expect, it } from 'vitest';
import {
  isSplitNumber,
  planSplit,
  type SplitPlan,
  type SplitRequest,
  splitMark,
} from '../../../src/ipam/pool/pool-split.ts';
import type { IPPool } from '../../../src/resources/kinds/ip-pool.ts';
import { pool as poolObject } from '../../support/clusters/ipam-state.ts';

const pool = (name: string, cidr: string, spec: object = {}): IPPool => {
  const made = poolObject(name, cidr, cidr.includes(':') ? 122 : 26) as IPPool;
  return { ...made, metadata: { name, uid: `uid-${name}`, resourceVersion: '7' }, spec: { ...made.spec, ...spec } };
};
const p = pool('p', '10.0.1.0/24');

const plan = (
  number: number,
  pools: readonly IPPool[],
  { blocks = [], ...request }: Partial<SplitRequest> & { blocks?: readonly string[] } = {},
) => {
  const by = request.cidr === undefined ? { name: 'p' } : {};
  return planSplit({ pools, blocks }, { number, asCalicoctl: false, ...by, ...request });
};
const made = (...args: Parameters<typeof plan>): SplitPlan => {
  const planned = plan(...args);
  if (!('parts' in planned)) throw new Error(`no plan: ${JSON.stringify(planned)}`);
  return planned;
};
const cidrs = ({ parts }: SplitPlan): string[] => parts.map(({ pool: part }) => part.spec.cidr);
const disabled = ({ parts }: SplitPlan): unknown[] => parts.map(({ pool: part }) => part.spec.disabled);
/** The pool as a split into `into` parts leaves it when it is interrupted after its first write. */
const begun = (into: string): IPPool => ({
  ...pool('p', '10.0.1.0/24', { disabled: true }),
  metadata: { ...p.metadata, annotations: { [splitMark]: into } },
});
const partsOf = (number: number): IPPool[] => made(number, [p]).parts.map(({ pool: part }) => part);

it.each([
  ['10.0.1.0/24', 4, ['10.0.1.0/26', '10.0.1.64/26', '10.0.1.128/26', '10.0.1.192/26']],
  ['10.0.0.0/8', 2, ['10.0.0.0/9', '10.128.0.0/9']],
  ['fd00::/64', 2, ['fd00::/65', 'fd00::8000:0:0:0/65']],
  ['0.0.0.0/0', 2, ['0.0.0.0/1', '128.0.0.0/1']],
])('splitting %s into %i parts', (cidr, number, expected) => {
  const { parts } = made(number, [pool('p', cidr)]);
  expect(parts.map(({ pool: part }) => part.spec.cidr)).toEqual(expected);
  expect(parts.map(({ pool: part }) => part.metadata.name)).toEqual(expected.map((_, index) => `split-p-${index}`));
});

it('only powers of two from 2 on are valid numbers of parts', () => {
  const numbers = Array.from({ length: 70 }, (_, index) => index - 2).filter(isSplitNumber);
  expect(numbers).toEqual([2, 4, 8, 16, 32, 64]);
  expect([Number.NaN, Number.POSITIVE_INFINITY, 2.5, 2 ** 30 + 1].some(isSplitNumber)).toBe(false);
  expect(isSplitNumber(2 ** 30)).toBe(true);
});

describe('parts of a pool', () => {
  it('a part has the settings of the pool, unknown ones too, its labels and annotations, and no identity of it', () => {
    const annotations = {
      'projectcalico.org/metadata':
        '{"creationTimestamp":"2020-01-01T00:00:00Z","generation":4,"labels":{"tier":"gold"}}',
      'kubectl.kubernetes.io/last-applied-configuration': '{"metadata":{"name":"p"}}',
      note: 'by hand',
      [splitMark]: '2',
    };
    const metadata = {
      name: 'p',
      uid: 'u',
      resourceVersion: '7',
      generation: 4,
      creationTimestamp: '2020-01-01T00:00:00Z',
      finalizers: ['f'],
      managedFields: [{ manager: 'm' }],
      ownerReferences: [],
      labels: { rack: '1' },
      annotations,
    };
    const whole: IPPool = {
      ...pool('p', '10.0.1.0/24', { natOutgoing: true, vxlanMode: 'Always', disabled: true, futureField: { a: 1n } }),
      metadata,
      status: { conditions: [] },
    };
    const [part] = made(2, [whole]).parts;
    expect(part?.pool).toEqual({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPPool',
      metadata: {
        name: 'split-p-0',
        labels: { rack: '1' },
        annotations: {
          note: 'by hand',
          'projectcalico.org/metadata':
            '{"creationTimestamp":null,"labels":{"rack":"1","tier":"gold"},"annotations":{"note":"by hand"}}',
        },
      },
      spec: {
        cidr: '10.0.1.0/25',
        blockSize: 26,
        nodeSelector: 'all()',
        natOutgoing: true,
        vxlanMode: 'Always',
        ipipMode: 'Never',
        allowedUses: ['Workload', 'Tunnel'],
        assignmentMode: 'Automatic',
        futureField: { a: 1n },
      },
    });
  });

  it('a part of a pool disabled by a person is disabled, but not for calicoctl or when the split disabled the pool', () => {
    const off = pool('p', '10.0.1.0/24', { disabled: true });
    expect(made(2, [off]).disable).toBe(false);
    expect(disabled(made(2, [off]))).toEqual([true, true]);
    expect(disabled(made(2, [off], { asCalicoctl: true }))).toEqual([undefined, undefined]);
    expect(disabled(made(2, [begun('2')]))).toEqual([undefined, undefined]);
    // calicoctl leaves no mark on the pool, but enabled parts.
    expect(disabled(made(2, [off, ...partsOf(2).slice(0, 1)]))).toEqual([undefined, undefined]);
  });

  it('a part has a valid name, or the split is refused', () => {
    const named = (name: string, number: number) => plan(number, [pool(name, '10.0.0.0/16')], { name });
    const longest = 'a'.repeat(253);
    expect(named(longest, 8)).toMatchObject({ parts: { length: 8 } });
    const { parts } = named(longest, 8) as SplitPlan;
    expect(parts[7]?.pool.metadata.name).toBe(`split-${'a'.repeat(245)}-7`);
    // calicoctl truncates to a fixed length: the eleventh name has one character too many.
    expect(named(longest, 16)).toMatchObject({
      problem: 'bad-name',
      part: { metadata: { name: `split-${'a'.repeat(245)}-10` } },
    });
    expect(named(`${'a'.repeat(243)}.b`, 2)).toMatchObject({ parts: { length: 2 } });
    expect(named(`${'a'.repeat(244)}.b`, 2)).toMatchObject({ problem: 'bad-name' });
  });
});

describe('the pool to split', () => {
  const q = pool('q', '10.9.0.0/16');
  it('the pool to split is found by name or by CIDR', () => {
    expect(made(2, [q, p]).pool).toBe(p);
    expect(made(2, [q, p], { cidr: '10.9.0.0/16' }).pool).toBe(q);
    expect(plan(2, [q], {})).toEqual({ problem: 'no-pool' });
    expect(plan(2, [q], { cidr: '10.9.0.0/17' })).toEqual({ problem: 'no-pool' });
  });

  it('the pool to split is found by any spelling of its CIDR, except for calicoctl', () => {
    const odd = pool('p6', 'fd00:0::/64');
    expect(made(2, [odd], { cidr: 'fd00::/64' }).pool).toBe(odd);
    expect(plan(2, [odd], { cidr: 'fd00::/64', asCalicoctl: true })).toEqual({ problem: 'no-pool' });
    expect(made(2, [odd], { cidr: 'fd00:0::/64', asCalicoctl: true }).pool).toBe(odd);
  });
});

describe('splits that are refused', () => {
  it.each([
    ['a number that is not a power of two', 3, p, 'not-power-of-two'],
    ['the number 0', 0, p, 'not-power-of-two'],
    ['the number 1', 1, p, 'not-power-of-two'],
    ['more parts than addresses', 4, pool('p', '10.0.0.0/31', { blockSize: 32 }), 'not-large-enough'],
    ['parts smaller than a block', 8, p, 'smaller-than-block'],
    [
      'parts smaller than the default block size',
      8,
      pool('p', '10.0.1.0/24', { blockSize: undefined }),
      'smaller-than-block',
    ],
    ['too many parts', 2 ** 17, pool('p', 'fd00::/64'), 'too-many'],
    ['a CIDR with host bits', 2, pool('p', '10.0.1.7/24'), 'bad-cidr'],
    ['an invalid CIDR', 2, pool('p', 'bad'), 'bad-cidr'],
    ['a pool with another split in progress', 2, begun('4'), 'split-otherwise'],
    [
      'a pool that is being deleted',
      2,
      { ...p, metadata: { ...p.metadata, deletionTimestamp: '2025-01-01T00:00:00Z' } },
      'being-deleted',
    ],
  ] as const)('a split is refused for %s', (_, number, whole, problem) => {
    expect(plan(number, [whole as IPPool])).toMatchObject({ problem });
  });

  it('a split into parts as small as one block is allowed', () => {
    expect(cidrs(made(4, [p]))).toHaveLength(4);
  });

  it('a split is refused when another pool has the name of a part and differs from it', () => {
    const [first, second] = partsOf(2) as [IPPool, IPPool];
    const other = (spec: object): IPPool => ({ ...second, spec: { ...second.spec, ...spec } });
    for (const spec of [{ cidr: '10.0.1.0/25' }, { natOutgoing: true }, { disabled: true }, { unknown: 1 }]) {
      expect(plan(2, [begun('2'), first, other(spec)])).toMatchObject({
        problem: 'other-content',
        part: { metadata: { name: 'split-p-1' } },
      });
    }
    const going = { ...second, metadata: { ...second.metadata, deletionTimestamp: '2025-01-01T00:00:00Z' } };
    expect(plan(2, [begun('2'), first, going])).toMatchObject({ problem: 'other-content' });
    // An explicit default value is not a difference.
    expect(made(2, [begun('2'), first, other({ natOutgoing: false, blockSize: undefined })]).parts[1]?.exists).toBe(
      true,
    );
  });

  it('a split is refused when another pool overlaps it, or parts of another split exist', () => {
    expect(plan(2, [p, pool('q', '10.0.1.128/26')])).toMatchObject({
      problem: 'overlap',
      part: { spec: { cidr: '10.0.1.128/25' } },
      other: { metadata: { name: 'q' } },
    });
    expect(plan(2, [p, pool('q', '10.0.0.0/8')])).toMatchObject({ problem: 'overlap' });
    expect(plan(2, [p, ...partsOf(4).slice(3)])).toMatchObject({
      problem: 'overlap',
      other: { metadata: { name: 'split-p-3' } },
    });
    expect(made(2, [p, pool('q', '10.0.2.0/24'), pool('r', 'fd00::/64')]).parts).toHaveLength(2);
  });

  it('a split is refused when a block is not entirely in one part', () => {
    expect(plan(2, [p], { blocks: ['10.0.1.0/26', '10.0.1.0/24'] })).toMatchObject({
      problem: 'block-across',
      block: '10.0.1.0/24',
    });
    expect(plan(2, [p], { blocks: ['10.0.0.0/23'] })).toMatchObject({ problem: 'block-across' });
  });
});

it('a split counts the blocks of each part, those of another size too', () => {
  const blocks = [
    '10.0.0.192/26',
    '10.0.1.0/26',
    '10.0.1.64/26',
    '10.0.1.192/26',
    '10.0.1.128/27',
    '10.0.2.0/26',
    'bad',
  ];
  expect(made(2, [p], { blocks }).parts.map((part) => part.blocks)).toEqual([2, 2]);
  expect(made(4, [p], { blocks }).parts.map((part) => part.blocks)).toEqual([1, 1, 1, 1]);
});

describe('interrupted splits', () => {
  it('an interrupted split continues where it ended', () => {
    const [first, second] = partsOf(2) as [IPPool, IPPool];
    const state = (pools: readonly IPPool[]) => {
      const { disable, parts } = made(2, pools);
      return [disable, ...parts.map(({ exists }) => exists)];
    };
    expect(state([p])).toEqual([true, false, false]);
    expect(state([begun('2')])).toEqual([false, false, false]);
    expect(state([begun('2'), second])).toEqual([false, false, true]);
    expect(state([begun('2'), first, second])).toEqual([false, true, true]);
    const going = { ...begun('2').metadata, deletionTimestamp: '2025-01-01T00:00:00Z' };
    expect(state([{ ...begun('2'), metadata: going }, first, second])).toEqual([false, true, true]);
  });

  it('a split is complete when the pool is gone and all parts exist', () => {
    const parts = partsOf(4);
    expect(plan(4, parts)).toEqual({ name: 'p', finished: parts });
    expect(plan(4, parts, { cidr: '10.0.1.0/24' })).toEqual({ name: 'p', finished: parts });
    expect(plan(4, parts.slice(1))).toEqual({ problem: 'no-pool' });
    expect(plan(4, parts.slice(0, 3))).toEqual({ problem: 'no-pool' });
    expect(plan(2, parts)).toEqual({ problem: 'no-pool' });
    expect(plan(4, parts, { name: 'q' })).toEqual({ problem: 'no-pool' });
    expect(plan(4, parts, { cidr: '10.0.0.0/23' })).toEqual({ problem: 'no-pool' });
    expect(plan(4, parts, { asCalicoctl: true })).toEqual({ problem: 'no-pool' });
  });
});
