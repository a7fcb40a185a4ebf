// Ranges that more than one block contains.
import { expect, it } from 'vitest';
import { sharedRanges } from '../../../src/ipam/block/overlaps.ts';
import { formatCidr } from '../../../src/net/cidr.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { blockWith } from '../../support/clusters/ipam-state.ts';

const shared = (...cidrs: string[]) => sharedRanges(cidrs.map((cidr) => blockWith(cidr, 'host:a'))).map(formatCidr);

it('overlapping blocks share the smaller of two ranges, and every range within a larger one', () => {
  expect(shared('10.0.0.0/29', '10.0.0.4/30', '10.0.0.8/29')).toEqual(['10.0.0.4/30']);
  expect(shared('10.0.0.4/31', '10.0.0.0/28', '10.0.0.4/30')).toEqual(['10.0.0.4/31', '10.0.0.4/30']);
  expect(shared('fd00::4/126', 'fd00::/122')).toEqual(['fd00::4/126']);
});

it('neighbours and blocks of different families share no range', () => {
  expect(shared('10.0.0.0/30', '10.0.0.4/31', 'fd00::/122', '0.0.0.0/32')).toEqual([]);
});

it('unreadable blocks share no range', () => {
  const whole = blockWith('10.0.0.0/30', 'host:a');
  const broken = [
    { ...whole, spec: undefined },
    { ...whole, spec: { cidr: 7 } },
    { ...whole, spec: { cidr: 'x' } },
  ];
  expect(sharedRanges([whole, ...(broken as unknown as IPAMBlock[])])).toEqual([]);
});
