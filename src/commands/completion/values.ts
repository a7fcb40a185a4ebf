// What the values of flags and arguments can be, by the word that stands for them in the help.
import { faults } from '../../faults/faults.ts';
import { invariantIds } from '../../ipam-check/invariants.ts';
import { explainKind, type FieldExplanation } from '../../resources/explain.ts';
import { isOnCommandLine, type Kind } from '../../resources/kind.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { ipamHandle } from '../../resources/kinds/ipam-handle.ts';
import { namespace } from '../../resources/kinds/namespace.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { findKind, kinds } from '../../resources/kinds.ts';
import type { ParameterSpec } from '../parameters.ts';

export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** True when the names of files are candidates too. */
  readonly files: boolean;
}

/** Names of the objects of a kind in the datastore, as NAMESPACE/NAME when `withNamespace`; empty when it is not read. */
export type NameSource = (
  kind: Kind,
  options: { readonly namespace: string | undefined; readonly withNamespace?: boolean },
) => Promise<readonly string[]>;

/** Names of the contexts of the kubeconfig. */
export type ContextSource = () => Promise<readonly string[]>;

/** What was typed before, as far as it decides what a value can be. */
export interface Typed {
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly names: NameSource;
  readonly contexts: ContextSource;
}

export const nothing: Candidates = { candidates: [], files: false };
const files: Candidates = { candidates: [], files: true };

const words = (all: readonly string[]): Candidates => ({ candidates: all.map((word) => ({ word })), files: false });

/** Each kind by the first of its names that begins with what is typed. */
function kindCandidates(typed: string): Candidate[] {
  return kinds.filter(isOnCommandLine).flatMap(({ aliases, about }) => {
    const word = aliases.find((alias) => alias.startsWith(typed));
    return word === undefined ? [] : { word, about };
  });
}

function fieldPaths(fields: readonly FieldExplanation[], alias: string): Candidate[] {
  return fields.flatMap(({ path, about, fields: below }) => [
    { word: `${alias}.${path}`, about },
    ...fieldPaths(below, alias),
  ]);
}

function topics(current: string): Candidates {
  const [, alias = ''] = /^([^.]+)\./.exec(current) ?? [];
  const kind = findKind(alias);
  if (kind !== undefined) return { candidates: fieldPaths(explainKind(kind).fields, alias), files: false };
  const ids = [...invariantIds, ...Object.values(faults).map(({ id }) => id)];
  return {
    candidates: [...['invariants', 'faults', 'kinds', ...ids].map((word) => ({ word })), ...kindCandidates(current)],
    files: false,
  };
}

/** The next entry of a comma-separated list. */
function listed(current: string, { candidates, files: also }: Candidates): Candidates {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  return { candidates: candidates.map((one) => ({ ...one, word: before + one.word })), files: also };
}

/** Kinds; after a comma further ones, after a slash the names of the objects. */
async function kindWords(current: string, { names, namespace: of }: Typed): Promise<Candidates> {
  const [, alias = ''] = /^([^/]+)\//.exec(current) ?? [];
  const kind = findKind(alias);
  if (kind !== undefined) return words((await names(kind, { namespace: of })).map((name) => `${alias}/${name}`));
  return listed(current, { candidates: kindCandidates(current.replace(/^.*,/s, '')), files: false });
}

async function objectNames(current: string, typed: Typed): Promise<Candidates> {
  if (typed.kind?.includes('/')) return kindWords(current, typed);
  const kind = typed.kind === undefined ? undefined : findKind(typed.kind);
  return kind === undefined ? nothing : words(await typed.names(kind, { namespace: typed.namespace }));
}

/** The candidates for a value. `spec` is that of the flag or argument, `current` what is there already. */
export async function valuesOf(spec: ParameterSpec, current: string, typed: Typed): Promise<Candidates> {
  const known = spec.choices ?? spec.suggests;
  if (known !== undefined) return words(known);
  const names = async (kind: Kind, withNamespace = false): Promise<Candidates> =>
    words(await typed.names(kind, { namespace: withNamespace ? undefined : typed.namespace, withNamespace }));
  switch (spec.placeholder) {
    case 'KIND':
      return kindWords(current, typed);
    case 'NAME':
      return objectNames(current, typed);
    case 'TOPIC':
      return topics(current);
    case 'ID,…':
      return listed(current, words(invariantIds));
    case 'NODE':
      return names(calicoNode);
    case 'NODES':
      return listed(current, await names(calicoNode));
    case 'POOL':
      return names(ipPool);
    case 'HANDLE':
      return names(ipamHandle);
    case 'NAMESPACE':
      return names(namespace);
    case 'CONTEXT':
      return words(await typed.contexts());
    case 'POD':
    case 'NAMESPACE/NAME':
      return names(pod, true);
    case 'WHAT': {
      const both = await Promise.all([names(pod, true), names(calicoNode)]);
      return { candidates: both.flatMap(({ candidates }) => candidates), files: false };
    }
    case 'WHERE':
      return { candidates: [{ word: 'kubernetes' }], files: true };
    case 'FILE':
    case 'DIR':
    case 'REPORT':
    case 'FORMAT|FILE':
      return files;
    default:
      return nothing;
  }
}
