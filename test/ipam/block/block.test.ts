// Blocks as they are created and read: sizes, ordinals, reserves, emptiness, owners.
import { describe, expect, it } from 'vitest';
import {
  addressCount,
  addressOf,
  effectiveHandle,
  handleOf,
  isEmpty,
  isOwnedBy,
  isOwnerless,
  maxPrefixLength,
  newBlock,
  ordinalInBlock,
  ownerOf,
  parseOwner,
  sequenceOf,
  touched,
  withoutOwner,
  withSpec,
} from '../../../src/ipam/block/block.ts';
import { assigned } from '../../../src/ipam/block/block-assign.ts';
import { type HostReservation, windowsReservation } from '../../../src/ipam/block/windows-reserve.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import { IntervalSet } from '../../../src/net/interval-set.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';

const cidr = (text: string) => parseCidr(text) as Cidr;
const fresh = (text: string, reservation?: HostReservation) =>
  newBlock(cidr(text), { type: 'host', name: 'node-a' }, 1764412800000000000n, reservation);
const nothing = IntervalSet.of([]);

describe('ordinals', () => {
  it.each([
    ['10.0.0.64/30', 3, '10.0.0.67'],
    ['10.0.128.0/17', 256, '10.0.129.0'],
    ['10.0.128.0/17', 257, '10.0.129.1'],
    ['fd00::1:0:40/122', 63, 'fd00::1:0:7f'],
  ])('in block %s, ordinal %i is %s', (block, ordinal, address) => {
    expect(addressOf(fresh(block), ordinal)).toBe(address);
    expect(ordinalInBlock(fresh(block), address)).toBe(ordinal);
  });

  it('an address outside a block has no ordinal', () => {
    expect(ordinalInBlock(fresh('10.0.0.64/30'), '10.0.0.68')).toBeUndefined();
    expect(ordinalInBlock(fresh('10.0.0.64/30'), 'fd00::1')).toBeUndefined();
  });

  it('a network has all addresses that its prefix leaves, and all are usable', () => {
    expect(addressCount(cidr('10.0.0.0/16'))).toBe(65536);
    expect(addressCount(cidr('10.0.0.0/20'))).toBe(4096);
    expect(addressCount(cidr('10.0.0.1/32'))).toBe(1);
    expect(addressCount(cidr('fd00::/122'))).toBe(64);
    expect(fresh('10.0.0.0/30').spec.unallocated).toEqual([0, 1, 2, 3]);
  });
});

describe('a new block', () => {
  it('a new block has the name of its CIDR, its owner and the time as its sequence number', () => {
    const block = fresh('192.168.1.0/26');
    expect(block.metadata.name).toBe('192-168-1-0-26');
    expect(block.metadata.annotations).toEqual({ 'projectcalico.org/metadata': '{"creationTimestamp":null}' });
    expect(block.spec.affinity).toBe('host:node-a');
    expect(block.spec.sequenceNumber).toBe(1764412800000000000n);
    expect(block.spec.sequenceNumberForAllocation).toEqual({});
    expect(block.spec.attributes).toEqual([]);
  });

  it('a new block keeps a reserve at both ends, without sequence entries', () => {
    const reservation = { startOfBlock: 2, endOfBlock: 1, handle: 'test-handle', note: 'test' };
    const block = fresh('10.0.0.0/30', reservation);
    expect(block.spec.allocations).toEqual([0, 0, null, 0]);
    expect(block.spec.unallocated).toEqual([2]);
    expect(block.spec.attributes).toEqual([{ handle_id: 'test-handle', secondary: { note: 'test' } }]);
    expect(block.spec.sequenceNumberForAllocation).toEqual({});
    const taken = assigned(block, 1, {}, nothing);
    expect(taken.ordinals.map((ordinal) => addressOf(block, ordinal))).toEqual(['10.0.0.2']);
  });

  it('a new block of a Windows node leaves 60 of 64 addresses, from the fourth on', () => {
    const block = fresh('10.0.0.0/26', windowsReservation);
    expect(block.spec.unallocated).toHaveLength(60);
    expect(block.spec.unallocated[0]).toBe(3);
    expect(handleOf(block, 0)).toBe('windows-reserved-ipam-handle');
    expect(handleOf(block, 63)).toBe('windows-reserved-ipam-handle');
    expect(isEmpty(block)).toBe(true);
  });
});

it.each([
  [4, 4, 29],
  [6, 4, 125],
  [4, 65, 25],
] as const)('IPv%i blocks with %i reserved addresses are /%i at the smallest', (version, reserved, prefix) => {
  expect(maxPrefixLength(version, reserved)).toBe(prefix);
});

it('a reserve of no addresses is an error', () => {
  expect(() => maxPrefixLength(4, 0)).toThrow('HostReservedAttr has wrong parameters');
});

describe('empty blocks', () => {
  it('a block with an allocation without a handle is not empty', () => {
    expect(isEmpty(assigned(fresh('10.0.0.0/29'), 1, {}, nothing).block)).toBe(false);
  });

  it('a block with an allocation without its attribute is not empty', () => {
    const block = fresh('10.0.0.0/30');
    expect(isEmpty(withSpec(block, { allocations: [7, null, null, null] }))).toBe(false);
  });

  it('a block is empty when its only handle is that of the Windows reserve, in any case', () => {
    const block = assigned(fresh('10.0.0.0/29'), 1, { handle: 'Windows-Reserved-IPAM-Handle' }, nothing).block;
    expect(isEmpty(block)).toBe(true);
  });
});

describe('owners of blocks', () => {
  it.each([
    ['host:node-a', { type: 'host', name: 'node-a' }],
    ['virtual:load-balancer', { type: 'virtual', name: 'load-balancer' }],
    ['host:', undefined],
    ['node-a', undefined],
    ['pod:x', undefined],
    [null, undefined],
  ])('parseOwner reads the affinity %s', (affinity, owner) => {
    expect(parseOwner(affinity)).toEqual(owner);
  });

  it('only a block without an affinity is without an owner', () => {
    const block = fresh('10.0.0.0/30');
    expect(isOwnedBy(block, { type: 'host', name: 'node-a' })).toBe(true);
    expect(isOwnedBy(block, { type: 'host', name: 'Node-A' })).toBe(false);
    const odd = withSpec(block, { affinity: 'nonsense' });
    expect(ownerOf(odd)).toBeUndefined();
    expect(isOwnerless(odd)).toBe(false);
    expect(isOwnerless(withoutOwner(block))).toBe(true);
    expect(isOwnerless(withSpec(block, { affinity: null }))).toBe(true);
  });

  it('removing the owner removes the claim time and nothing else', () => {
    const block = withSpec(fresh('10.0.0.0/30'), { affinityClaimTime: '2025-01-01T00:00:00Z' });
    const unknown: IPAMBlock = { ...block, spec: { ...block.spec, futureField: 9007199254740993n } };
    const { affinity: _affinity, affinityClaimTime: _time, ...rest } = unknown.spec;
    expect(withoutOwner(unknown)).toEqual({ ...unknown, spec: rest });
  });
});

it('a write raises the sequence number by one, beyond the precision of a double', () => {
  expect(touched(fresh('10.0.0.0/30')).spec.sequenceNumber).toBe(1764412800000000001n);
});

it('a malformed handle ends at its carriage return, and a missing sequence entry is 0', () => {
  const block = assigned(fresh('10.0.0.0/30'), 1, { handle: 'k8s-pod-network.abc\r\neth0' }, nothing).block;
  expect(handleOf(block, 0)).toBe('k8s-pod-network.abc\r\neth0');
  expect(effectiveHandle(block, 0)).toBe('k8s-pod-network.abc');
  expect(sequenceOf(block, 0)).toBe(1764412800000000000n);
  expect(sequenceOf(block, 1)).toBe(0n);
});
