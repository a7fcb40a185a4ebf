// What `ipam assign` prints.
import type { AssignedAddress } from '../../../ipam/assign/auto-assign.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';

export interface IpamAssigned {
  readonly node: string;
  readonly handle: string | undefined;
  readonly requested: number;
  readonly addresses: readonly AssignedAddress[];
}

export function ipamAssignText({ addresses }: IpamAssigned): string {
  return addresses
    .map(({ address, block, pool, borrowed }) => {
      const place = pool === undefined ? '' : `, pool ${printable(pool)}`;
      return `Assigned ${address} (block ${block}${place}${borrowed ? ', borrowed' : ''})\n`;
    })
    .join('');
}

export function ipamAssignJson({ node, handle, requested, addresses }: IpamAssigned): string {
  const document = {
    kind: 'IPAMAssignment',
    node,
    ...(handle === undefined ? {} : { handle }),
    requested,
    addresses: addresses.map(({ address, block, pool, borrowed }) => ({
      address,
      block,
      ...(pool === undefined ? {} : { pool }),
      borrowed,
    })),
  };
  return jsonDocument(document);
}
