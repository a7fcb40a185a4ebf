// `iptables-save` and its variants (`-nft-save`, `-legacy-save`, `ip6tables-save`) as data.
import type { Parsed } from '../parse-result.ts';
import { linesOf, notUnderstood, understood } from '../parsing.ts';
import type { FilterChain, FilterRule, FilterTable } from './packet-filter.ts';

interface DraftTable {
  readonly name: string;
  /** Chains in the order of their declaration. */
  readonly chains: Map<string, { readonly policy: string | undefined; readonly rules: string[] }>;
}

/** `-j TARGET` and `-g CHAIN`, outside quoted comments. */
const target = /(?:^|\s)(?:-j|-g|--jump|--goto) (\S+)/;
const comment = /(?:^|\s)--comment (?:"((?:[^"\\]|\\.)*)"|(\S+))/;

function ruleOf(text: string, table: DraftTable): FilterRule {
  const [, quoted, bare] = comment.exec(text) ?? [];
  const name = target.exec(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'))?.[1];
  const isChain = name !== undefined && table.chains.has(name);
  return {
    text,
    comment: quoted?.replace(/\\(.)/g, '$1') ?? bare,
    chains: isChain ? [name] : [],
    action: isChain ? undefined : name?.toLowerCase(),
  };
}

function tableOf(table: DraftTable): FilterTable {
  const chains = [...table.chains].map(
    ([name, { policy, rules }]): FilterChain => ({ name, policy, rules: rules.map((text) => ruleOf(text, table)) }),
  );
  return { family: undefined, name: table.name, chains };
}

/**
 * Reads the output of `iptables-save`: `*table`, `:CHAIN POLICY [packets:bytes]`, `-A CHAIN rule`, `COMMIT`. Output in
 * which a table has no `COMMIT` is truncated and not usable. Empty output, or only comments, means that there are no
 * tables.
 */
export function parseIptablesSave(text: string): Parsed<readonly FilterTable[]> {
  const tables: DraftTable[] = [];
  const skipped: string[] = [];
  let current: DraftTable | undefined;
  for (const line of linesOf(text)) {
    const [, tableName] = /^\*(\S+)$/.exec(line) ?? [];
    const [, declared, policy] = /^:(\S+) (\S+)(?: \[\d+:\d+\])?$/.exec(line) ?? [];
    const [, chain, rule] = /^(?:\[\d+:\d+\] )?-A (\S+)(?: (.*))?$/.exec(line) ?? [];
    const rules = chain === undefined ? undefined : current?.chains.get(chain)?.rules;
    if (line === '' || line.startsWith('#')) continue;
    if (tableName !== undefined && current === undefined) current = { name: tableName, chains: new Map() };
    else if (declared !== undefined && current !== undefined) {
      current.chains.set(declared, { policy: policy === '-' ? undefined : policy, rules: [] });
    } else if (rules !== undefined) rules.push(rule ?? '');
    else if (line === 'COMMIT' && current !== undefined) {
      tables.push(current);
      current = undefined;
    } else skipped.push(line);
  }
  if (current !== undefined) return notUnderstood(`truncated in table ${current.name}`);
  if (tables.length === 0 && skipped.length > 0) return notUnderstood(`no table found: ${skipped[0]}`);
  return understood(tables.map(tableOf), skipped);
}
