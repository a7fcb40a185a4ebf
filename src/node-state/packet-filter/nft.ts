// `nft -j list table` and `nft -j list ruleset` as data: chains and where their rules lead, including verdict maps.
import { isObject } from '../../text/plain-values.ts';
import type { Parsed } from '../parse-result.ts';
import { excerpt, jsonText, notUnderstood, understood } from '../parsing.ts';
import type { FilterRule, FilterTable } from './packet-filter.ts';

type Json = Readonly<Record<string, unknown>>;

function textAt(value: Json, key: string): string | undefined {
  const text = value[key];
  return typeof text === 'string' ? text : undefined;
}

/** All objects in a value, including itself, in their order. */
function objectsIn(whole: unknown): readonly Json[] {
  const found: Json[] = [];
  // A stack instead of recursion, which deep nesting could exhaust.
  const left: unknown[] = [whole];
  while (left.length > 0) {
    const next = left.pop();
    if (isObject(next)) found.push(next);
    if (typeof next === 'object' && next !== null) for (const value of Object.values(next).reverse()) left.push(value);
  }
  return found;
}

/** Chains that a value leads to: `{"jump": {"target": …}}` and `{"goto": …}`, at any depth. */
function chainsIn(value: unknown): readonly string[] {
  return objectsIn(value).flatMap((object) =>
    [object['jump'], object['goto']].flatMap((verdict) => (isObject(verdict) ? (textAt(verdict, 'target') ?? []) : [])),
  );
}

/** Names of maps in which a rule looks up its verdict: `{"vmap": {"data": "@name"}}`. */
function mapsIn(value: unknown): readonly string[] {
  return objectsIn(value).flatMap(({ vmap }) => {
    const data = isObject(vmap) ? textAt(vmap, 'data') : undefined;
    return data?.startsWith('@') === true ? [data.slice(1)] : [];
  });
}

/** Statements that decide about a packet. */
const actions = ['accept', 'drop', 'return', 'reject', 'masquerade', 'snat', 'dnat', 'redirect', 'queue', 'notrack'];

/** The actions of a statement; `xt` is a target of iptables, written by iptables-nft. */
function actionsOf(statement: Json): readonly string[] {
  const { xt } = statement;
  const target = isObject(xt) && xt['type'] === 'target' ? textAt(xt, 'name') : undefined;
  return target === undefined ? actions.filter((action) => action in statement) : [target.toLowerCase()];
}

function ruleOf(rule: Json, maps: ReadonlyMap<string, readonly string[]>): FilterRule {
  const { expr } = rule;
  const statements: readonly unknown[] = Array.isArray(expr) ? expr : [];
  return {
    text: jsonText(statements),
    comment: textAt(rule, 'comment'),
    chains: [...chainsIn(statements), ...mapsIn(statements).flatMap((name) => maps.get(name) ?? [])],
    action: statements.filter(isObject).flatMap(actionsOf).at(-1),
  };
}

/** Family, table and name as one key. */
function keyOf(object: Json, nameKey: string): string {
  return [textAt(object, 'family'), textAt(object, 'table'), textAt(object, nameKey)].join(' ');
}

interface Contents {
  readonly tables: readonly Json[];
  readonly chains: readonly Json[];
  readonly maps: readonly Json[];
  readonly rules: readonly Json[];
}

function tableOf(table: Json, contents: Contents): FilterTable {
  const family = textAt(table, 'family');
  const name = textAt(table, 'name') ?? '';
  const here = (object: Json): boolean => textAt(object, 'family') === family && textAt(object, 'table') === name;
  const maps = new Map(contents.maps.filter(here).map((map) => [textAt(map, 'name') ?? '', chainsIn(map['elem'])]));
  const rules = new Map<string, FilterRule[]>();
  for (const rule of contents.rules.filter(here)) {
    const chain = textAt(rule, 'chain') ?? '';
    const above = rules.get(chain);
    if (above === undefined) rules.set(chain, [ruleOf(rule, maps)]);
    else above.push(ruleOf(rule, maps));
  }
  return {
    family,
    name,
    chains: contents.chains.filter(here).flatMap((chain) => {
      const chainName = textAt(chain, 'name');
      if (chainName === undefined) return [];
      return [
        {
          name: chainName,
          policy: textAt(chain, 'policy')?.toUpperCase(),
          rules: rules.get(chainName) ?? [],
        },
      ];
    }),
  };
}

/** Reads the JSON output of nft. Rules whose chain is missing are listed in `skipped`. */
export function parseNftTable(text: string): Parsed<readonly FilterTable[]> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return notUnderstood(text.trim() === '' ? 'nothing was printed' : `not JSON: ${excerpt(text)}`);
  }
  const list: unknown = isObject(answer) ? answer['nftables'] : undefined;
  if (!Array.isArray(list)) return notUnderstood('no list "nftables" found');
  const elements = (list as readonly unknown[]).filter(isObject);
  const all = (kind: string): readonly Json[] => elements.map((element) => element[kind]).filter(isObject);
  const contents: Contents = { tables: all('table'), chains: all('chain'), maps: all('map'), rules: all('rule') };
  const chains = new Set(contents.chains.map((chain) => keyOf(chain, 'name')));
  const lost = contents.rules.filter((rule) => !chains.has(keyOf(rule, 'chain')));
  return understood(
    contents.tables.filter((table) => textAt(table, 'name') !== undefined).map((table) => tableOf(table, contents)),
    lost.map((rule) => jsonText(rule)),
  );
}
