// The address map as data: JSON and YAML with one character per address, CSV with one row per address. Streamed.
import {
  type AddressMap,
  type AddressState,
  addressOfCell,
  addressStates,
  cellsOf,
  isVacant,
  type MapBlock,
  textOf,
} from '../../../ipam/show/address-map.ts';
import { csvLine } from '../../../output/csv.ts';
import { jsonCount, nested } from '../../../output/json-document.ts';
import { printJson } from '../../../text/json.ts';
import { printYaml } from '../../../text/yaml.ts';

interface PlacedBlock {
  readonly pool: string | undefined;
  readonly block: MapBlock;
}

function* blocksOf(map: AddressMap): Generator<PlacedBlock> {
  for (const { name, blocks } of map.pools) for (const block of blocks) yield { pool: name, block };
  for (const block of map.orphanBlocks) yield { pool: undefined, block };
}

/** One entry per address; free ones are in the `map` of their block only. */
function* addressesOf(block: MapBlock): Generator<Record<string, unknown> & { state: AddressState }> {
  const { range } = block;
  if (range === undefined) return;
  for (const { ordinal, state, node, handle, attributes } of cellsOf(block)) {
    const { namespace, pod, service, type } = attributes;
    yield {
      address: addressOfCell(range, ordinal),
      state,
      node,
      namespace: textOf(namespace),
      pod: textOf(pod),
      service: textOf(service),
      type: textOf(type),
      handle,
    };
  }
}

function known(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

function blockDocument({ pool, block }: PlacedBlock): Record<string, unknown> {
  const addresses = [...addressesOf(block)];
  return known({
    cidr: block.cidr,
    pool,
    affinity: textOf(block.affinity),
    total: block.size,
    inUse: block.held,
    borrowed: block.borrowers.reduce((sum, [, some]) => sum + some, 0),
    trouble: textOf(block.trouble),
    map: addresses.map(({ state }) => addressStates[state].glyph).join(''),
    addresses: addresses.filter(({ state }) => !isVacant(state)).map(known),
  });
}

function summary({ kind, legend, pools }: AddressMap) {
  return {
    kind,
    legend: legend.map(({ state, count: addresses }) => {
      const { glyph, about } = addressStates[state];
      return { state, glyph, about, count: addresses };
    }),
    pools: pools.map(({ name, cidr, enabled, size, held, blockCount }) => ({
      name,
      cidr,
      enabled,
      total: jsonCount(size),
      inUse: held,
      blocks: blockCount,
    })),
  };
}

/** One JSON document, `blocks` last. */
export async function* ipamMapJson(map: AddressMap): AsyncGenerator<string> {
  const head = printJson({ ...summary(map), blocks: [] }, { indent: 2 });
  yield head.slice(0, head.lastIndexOf(']'));
  let separator = '\n    ';
  for (const placed of blocksOf(map)) {
    yield separator + nested(printJson(blockDocument(placed), { indent: 2 }), 4);
    separator = ',\n    ';
  }
  yield separator.startsWith(',') ? '\n  ]\n}\n' : ']\n}\n';
}

/** The same as YAML, whose keys are sorted: `blocks` first. */
export async function* ipamMapYaml(map: AddressMap): AsyncGenerator<string> {
  let isEmpty = true;
  for (const placed of blocksOf(map)) {
    yield (isEmpty ? 'blocks:\n' : '') + printYaml([blockDocument(placed)]);
    isEmpty = false;
  }
  yield (isEmpty ? 'blocks: []\n' : '') + printYaml(summary(map));
}

/** The headings and one row per address, free ones too. */
export async function* ipamMapCsv(map: AddressMap): AsyncGenerator<string> {
  yield csvLine(['address', 'state', 'node', 'namespace', 'pod', 'service', 'type', 'handle', 'block', 'pool']);
  for (const { pool, block } of blocksOf(map)) {
    const rows = [...addressesOf(block)].map((entry) => csvLine([...Object.values(entry), block.cidr, pool]));
    yield rows.join('');
  }
}
