// What `ipam show` prints: calicoctl's grids and lines with more facts, and the same facts as JSON, YAML and CSV.
import { addressStates } from '../../../ipam/show/address-map.ts';
import type { PoolUsage, Utilization } from '../../../ipam/show/utilization.ts';
import type { AddressList, AddressShown, Holder, IpamShown } from '../../../ipam/show/views.ts';
import { csvLine } from '../../../output/csv.ts';
import { grid } from '../../../output/grid.ts';
import { jsonCount, jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { goFiveDigits, goWhole } from '../../../text/go-number.ts';
import { printYaml } from '../../../text/yaml.ts';

function shareCell(part: number, total: number): string {
  return `${goFiveDigits(part)} (${goWhole((100 * part) / total)}%)`;
}

function usageRow(grouping: string, cidr: string, total: number, inUse: number): string[] {
  return [grouping, cidr, goFiveDigits(total), shareCell(inUse, total), shareCell(total - inUse, total)];
}

/** Pools, each with its blocks below it, then the blocks outside of every pool. */
export function usageGrid({ pools, orphanBlocks }: Utilization, withBlocks: boolean): string {
  const rows: string[][] = [];
  const blockRows = (blocks: PoolUsage['blocks']): void => {
    if (withBlocks) for (const block of blocks) rows.push(usageRow('Block', block.cidr, block.total, block.inUse));
  };
  for (const pool of pools) {
    rows.push(usageRow('IP Pool', pool.cidr, Number(pool.total), pool.inUse));
    blockRows(pool.blocks);
  }
  blockRows(orphanBlocks);
  return grid(['GROUPING', 'CIDR', 'IPS TOTAL', 'IPS IN USE', 'IPS FREE'], rows);
}

/** `pod shop/cart-0 on node worker-1`, `handle manual-1`. */
function holderText({ kind, namespace, name, node }: Holder): string {
  const noun = kind === 'IPAMHandle' ? 'handle' : kind.toLowerCase();
  return `${noun} ${namespace === undefined ? '' : `${namespace}/`}${name}${node === undefined ? '' : ` on node ${node}`}`;
}

/** States that `Held by` does not say already. */
const saidAsState: ReadonlySet<AddressShown['state']> = new Set([
  ...(['free', 'reserved', 'lost', 'broken', 'cooling', 'unowned', 'windows'] as const),
]);

/** What calicoctl's lines do not say: block, owner, pool, state, holder, reservation. */
function placeLines(item: AddressShown): string[] {
  const { handle, block, borrowed, owner, otherBlocks, pool, poolCidr, state, heldBy, since, reservedBy } = item;
  const lines: string[] = [];
  if (handle !== undefined) lines.push(`Handle: ${handle}`);
  if (block !== undefined) lines.push(`Block: ${block}${borrowed ? ' (borrowed)' : ''}`);
  else if (state !== undefined) lines.push('Block: none');
  if (owner !== undefined) lines.push(`Owner of the block: ${owner.replace(/^host:/, 'node ')}`);
  else if (block !== undefined && state !== undefined) lines.push('Owner of the block: none');
  if (otherBlocks !== undefined) lines.push(`Also in: ${otherBlocks.join(', ')} (blocks overlap)`);
  if (poolCidr !== undefined) {
    lines.push(`Pool: ${pool} (${poolCidr}${item.poolEnabled === false ? ', disabled' : ''})`);
  } else if (state !== undefined) lines.push('Pool: none, the address is outside of every pool');
  if (state !== undefined && state !== 'outside' && saidAsState.has(state)) {
    lines.push(`State: ${addressStates[state].about}`);
  }
  if (heldBy !== undefined) lines.push(`Held by: ${holderText(heldBy)}`);
  if (since !== undefined) lines.push(`Held since: ${since}`);
  if (reservedBy !== undefined) lines.push(`Reserved by: IPReservation ${reservedBy.join(', ')}`);
  return lines;
}

/** Sorted, one per line. */
const attributeLines = (attributes: Readonly<Record<string, string>>): string[] =>
  Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `  ${key}: ${value}`);

/** Who has an address, as calicoctl v3.32 prints it, which clusters with projectcalico.org/v3 need. */
export function ownerLines(list: AddressList): string {
  const lines = list.items.flatMap((item) => {
    if (!item.allocated) return [`${item.address} is not assigned`];
    const active = attributeLines(item.attributes ?? {});
    const alternate = attributeLines(item.alternateAttributes ?? {});
    return [
      `IP ${item.address} is in use`,
      `Handle ID: ${item.handle ?? '<none>'}`,
      ...(active.length === 0 ? ['No Active Owner attributes defined'] : ['Active Owner Attributes:', ...active]),
      ...(alternate.length === 0 ? [] : ['Alternate Owner Attributes:', ...alternate]),
    ];
  });
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** Who has each address; `withPlace` adds what calicoctl does not say. */
export function addressLines(list: AddressList, { withPlace }: { withPlace: boolean }): string {
  const lines: string[] = [];
  for (const item of list.items) {
    lines.push(item.allocated ? `IP ${item.address} is in use` : `${item.address} is not assigned`);
    if (withPlace) lines.push(...placeLines(item));
    if (!item.allocated) continue;
    const attributes = attributeLines(item.attributes ?? {});
    lines.push(attributes.length === 0 ? 'No attributes defined' : 'Attributes:', ...attributes);
  }
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** The table or lines for the question. */
export function ipamShowText(shown: IpamShown): string {
  switch (shown.kind) {
    case 'IPAMUsage':
      return usageGrid(shown.usage, shown.withBlocks);
    case 'IPAMAddressList':
      return addressLines(shown, { withPlace: true });
    case 'IPAMBorrowedList': {
      const header = ['IP', 'BORROWING-NODE', 'BLOCK', 'BLOCK OWNER', 'TYPE', 'ALLOCATED-TO'];
      const rows = shown.items.map((item) => [
        item.address,
        item.node,
        item.block,
        item.owner,
        item.type,
        item.allocatedTo,
      ]);
      const note = `Note: found ${shown.withoutNode} IP allocations without an explicit node association. Unable to determine if they are borrowed.`;
      return grid(header, rows) + (shown.withoutNode > 0 ? `\n${note}\n` : '');
    }
    case 'IPAMConfiguration': {
      const persistence = shown.kubeVirtVMAddressPersistence;
      return grid(
        ['PROPERTY', 'VALUE'],
        [
          ['StrictAffinity', String(shown.strictAffinity)],
          ['AutoAllocateBlocks', String(shown.autoAllocateBlocks)],
          ['MaxBlocksPerHost', String(shown.maxBlocksPerHost)],
          ...(persistence === undefined ? [] : [['KubeVirtVMAddressPersistence', persistence]]),
        ],
      );
    }
  }
}

/** The shown facts as plain data, for JSON and YAML. */
function ipamShowDocument(shown: IpamShown): unknown {
  if (shown.kind !== 'IPAMUsage') return shown;
  const pools = shown.usage.pools.map(({ total, free, reserved, ...pool }) => {
    const { name, cidr, inUse, blocks } = pool;
    return { name, cidr, total: jsonCount(total), inUse, free: jsonCount(free), reserved: jsonCount(reserved), blocks };
  });
  return { kind: shown.kind, pools, orphanBlocks: shown.usage.orphanBlocks };
}

/** The shown facts as one JSON document. */
export const ipamShowJson = (shown: IpamShown): string => jsonDocument(ipamShowDocument(shown));
/** The same as YAML. */
export const ipamShowYaml = (shown: IpamShown): string => printYaml(ipamShowDocument(shown));

/** The shown facts as CSV, a heading first; the first column says which rows are pools and which are blocks. */
export function ipamShowCsv(shown: IpamShown): string {
  switch (shown.kind) {
    case 'IPAMUsage': {
      const head = csvLine(['grouping', 'pool', 'cidr', 'affinity', 'total', 'inUse', 'free', 'borrowed', 'reserved']);
      const block = (pool: string) => (usage: PoolUsage['blocks'][number]) =>
        csvLine(['block', pool, usage.cidr, usage.affinity, usage.total, usage.inUse, usage.free, usage.borrowed, '']);
      const pools = shown.usage.pools.map(
        (pool) =>
          csvLine(['pool', pool.name, pool.cidr, '', pool.total, pool.inUse, pool.free, '', pool.reserved]) +
          pool.blocks.map(block(pool.name)).join(''),
      );
      return head + pools.join('') + shown.usage.orphanBlocks.map(block('')).join('');
    }
    case 'IPAMAddressList':
      return (
        csvLine(['address', 'allocated', 'block', 'pool', 'handle', 'node', 'borrowed', 'namespace', 'pod', 'type']) +
        shown.items
          .map((item) => {
            const { namespace, pod, type } = item.attributes ?? {};
            const { address, allocated, block, pool, handle, node, borrowed } = item;
            return csvLine([address, allocated, block, pool, handle, node, borrowed, namespace, pod, type]);
          })
          .join('')
      );
    case 'IPAMBorrowedList':
      return (
        csvLine(['address', 'node', 'block', 'owner', 'type', 'allocatedTo']) +
        shown.items
          .map((item) => csvLine([item.address, item.node, item.block, item.owner, item.type, item.allocatedTo]))
          .join('')
      );
    case 'IPAMConfiguration':
      return (
        csvLine(['strictAffinity', 'autoAllocateBlocks', 'maxBlocksPerHost', 'kubeVirtVMAddressPersistence']) +
        csvLine([
          shown.strictAffinity,
          shown.autoAllocateBlocks,
          shown.maxBlocksPerHost,
          shown.kubeVirtVMAddressPersistence ?? '',
        ])
      );
  }
}
