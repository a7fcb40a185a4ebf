// The one change that a read makes to an object: declared 64-bit integers become bigints.
import { describe, expect, it } from 'vitest';
import { isNormal, normalise } from '../../src/resources/int64.ts';
import type { Kind } from '../../src/resources/kind.ts';
import { ipamBlock } from '../../src/resources/kinds/ipam-block.ts';
import { parseJson } from '../../src/text/json.ts';

const object = (kind: Kind, spec: unknown) => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: kind.kind,
  metadata: { name: 'x' },
  spec,
});

describe('normalise', () => {
  const read = (sequence: string) =>
    normalise(
      ipamBlock,
      object(
        ipamBlock,
        parseJson(`{"sequenceNumber":${sequence},"sequenceNumberForAllocation":{"0":${sequence},"1":2}}`),
      ),
    );

  it('normalise makes declared int64 fields bigints, small and large, in the object itself', () => {
    expect(read('5').spec).toEqual({ sequenceNumber: 5n, sequenceNumberForAllocation: { 0: 5n, 1: 2n } });
    expect(read('1764412800000000004').spec).toEqual({
      sequenceNumber: 1764412800000000004n,
      sequenceNumberForAllocation: { 0: 1764412800000000004n, 1: 2n },
    });
  });

  it('isNormal says whether normalise would change anything', () => {
    const parts = (numbers: object) => isNormal(ipamBlock, object(ipamBlock, numbers));
    expect(parts({ sequenceNumber: 5n, sequenceNumberForAllocation: { 0: 5n } })).toBe(true);
    expect(parts({ sequenceNumber: 5, sequenceNumberForAllocation: { 0: 5n } })).toBe(false);
    expect(parts({ sequenceNumber: 5n, sequenceNumberForAllocation: { 0: 5n, 1: 6 } })).toBe(false);
    expect(parts({ sequenceNumber: 'x', sequenceNumberForAllocation: null })).toBe(true);
  });

  it('normalise leaves values that are not integers, and absent fields', () => {
    expect(read('1.5').spec).toMatchObject({ sequenceNumber: 1.5 });
    expect(read('"x"').spec).toMatchObject({ sequenceNumber: 'x' });
    expect(normalise(ipamBlock, object(ipamBlock, {})).spec).toEqual({});
    expect(normalise(ipamBlock, object(ipamBlock, { sequenceNumberForAllocation: null })).spec).toEqual({
      sequenceNumberForAllocation: null,
    });
    expect(normalise(ipamBlock, null)).toBeNull();
  });
});
