// What `ipam affinity list` prints.
import type { AffinityList, AffinityShown } from '../../../../ipam/affinity/affinity-list.ts';
import { jsonDocument } from '../../../../output/json-document.ts';
import type { TextView } from '../../../../output/style.ts';
import { textTable } from '../../../../output/table.ts';
import { printYaml } from '../../../../text/yaml.ts';

const headings = ['NODE', 'TYPE', 'CIDR', 'POOL', 'STATE', 'USED', 'FREE'];
const none = '<none>';

const number = (value: number | undefined): string => (value === undefined ? none : String(value));

function row({ node, type, cidr, pool, state, inUse, free, borrowed, name, problems }: AffinityShown, wide: boolean) {
  return [
    node,
    type,
    cidr,
    pool ?? none,
    state ?? none,
    number(inUse),
    number(free),
    ...(wide ? [number(borrowed), name ?? none] : []),
    problems.join('; '),
  ];
}

/** One row per affinity; `wide` adds the borrowed addresses and the name of the affinity. */
export function affinityListText({ items }: AffinityList, wide: boolean, { columns }: TextView): string {
  const all = [...headings, ...(wide ? ['BORROWED', 'NAME'] : []), 'PROBLEM'];
  return textTable(
    all,
    items.map((item) => row(item, wide)),
    columns,
  );
}

/** As one JSON document. */
export function affinityListJson(list: AffinityList): string {
  return jsonDocument(list);
}

/** As one YAML document. */
export function affinityListYaml(list: AffinityList): string {
  return printYaml(list);
}
