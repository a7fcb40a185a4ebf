// Pools and blocks drawn as text, one character per address, for the tests of the address map.
import { type AddressMap, addressMap, type MapFilter } from '../../../src/ipam/show/address-map.ts';
import type { IPPool } from '../../../src/resources/kinds/ip-pool.ts';
import type { IPReservation } from '../../../src/resources/kinds/ip-reservation.ts';
import type { BlockAttribute, IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { blockName } from '../../../src/resources/names.ts';

const crd = 'crd.projectcalico.org/v1';

export const pool = (name: string, cidr: string, more: object = {}): IPPool => ({
  apiVersion: crd,
  kind: 'IPPool',
  metadata: { name },
  spec: { cidr, ...more },
});

const reservation = (...reservedCIDRs: string[]): IPReservation => ({
  apiVersion: crd,
  kind: 'IPReservation',
  metadata: { name: 'kept' },
  spec: { reservedCIDRs },
});

export const podOn = (node: string, pod: string, namespace = 'shop'): BlockAttribute => ({
  handle_id: `k8s-pod-network.${pod}`,
  secondary: { namespace, pod, node },
});

/**
 * A block of `cidr`: each character of `drawn` is an ordinal. `.` is free, `x` neither allocated nor free, `!` allocated with
 * attribute 99, `%` both allocated and free; any other character is allocated with the attribute of that name.
 */
export function block(
  cidr: string,
  affinity: string | undefined,
  drawn: string,
  named: Readonly<Record<string, BlockAttribute>> = {},
): IPAMBlock {
  const attributes: BlockAttribute[] = [];
  const unallocated: number[] = [];
  const allocations = [...drawn].map((character, ordinal) => {
    if (character === '.' || character === '%') unallocated.push(ordinal);
    if (character === '.' || character === 'x') return null;
    if (character === '!') return 99;
    return attributes.push(named[character] ?? { secondary: {} }) - 1;
  });
  return {
    apiVersion: crd,
    kind: 'IPAMBlock',
    metadata: { name: blockName(cidr) },
    spec: {
      cidr,
      ...(affinity === undefined ? {} : { affinity }),
      allocations,
      unallocated,
      attributes,
      sequenceNumber: 7n,
      strictAffinity: false,
      deleted: false,
    },
  };
}

const tunnel = { handle_id: 'vxlan-tunnel-addr-node-a', secondary: { node: 'node-a', type: 'vxlanTunnelAddress' } };
const service = { handle_id: 'lb-x', secondary: { service: 'web', namespace: 'shop', type: 'LoadBalancer' } };
const windows = { handle_id: 'windows-reserved-ipam-handle', secondary: { note: 'windows host rsvd' } };

/** The blocks have at least one address in each state; `main` is the first pool, and one block is outside all pools. */
export const pools: readonly IPPool[] = [
  pool('main', '10.60.0.0/24', { blockSize: 28 }),
  pool('old', '10.70.0.0/24', { disabled: true }),
  pool('services', '192.0.2.0/28', { blockSize: 29 }),
];
export const reservations: readonly IPReservation[] = [reservation('10.60.0.12/31')];
export const blocks: readonly IPAMBlock[] = [
  block('10.60.0.16/28', 'host:node-b', 'www........x!%.w', { w: windows }),
  block('10.60.0.0/28', 'host:node-a', 't#b?~...........', {
    t: tunnel,
    '#': podOn('node-a', 'cart-0'),
    b: podOn('node-b', 'cart-1'),
    '~': { handle_id: null, releasedAt: '2025-06-01T00:00:00Z', secondary: {} },
  }),
  block('192.0.2.0/29', 'virtual:load-balancer', 'L.......', { L: service }),
  block('10.99.0.0/30', undefined, '#...', { '#': podOn('node-b', 'far-0') }),
];

export const mapOf = (filter?: MapFilter): AddressMap => addressMap(pools, blocks, reservations, filter);

/** A stream of text as a single string. */
export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
