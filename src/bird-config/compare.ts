// What would change in the behaviour of BIRD if a node had other files: sessions, filters, exports, routes, settings.
import { parseStatements, type Statement, textOf } from './parse.ts';

export type Subject = 'session' | 'filter' | 'export' | 'kernel' | 'static routes' | 'communities' | 'setting';

/** One thing that differs between two configurations of a family. */
export interface Difference {
  readonly subject: Subject;
  /** Of a session its protocol, of a function its name. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Statements that would go, and those that would come; for a change only. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The same statements in another order, where that matters. */
  readonly reordered: boolean;
}

interface Part {
  readonly subject: Subject;
  readonly name: string;
  readonly statements: readonly string[];
  /** Statements of functions are run one after another; in protocols their order means nothing. */
  readonly isOrdered: boolean;
}

/** Sessions with local workloads: Felix on the node knows them, and no object does. */
const isLocal = (name: string): boolean => name.startsWith('Local_Workload_');

/** What the functions that every node has are for; all others are filters of users. */
const functions: ReadonlyMap<string, Subject> = new Map([
  ['apply_communities', 'communities'],
  ['calico_aggr', 'export'],
  ['reject_disabled_pools', 'export'],
  ['reject_tunnel_routes', 'export'],
  ['reject_local_routes', 'export'],
  ['calico_export_to_bgp_peers', 'export'],
  ['calico_kernel_programming', 'kernel'],
]);

function partOf({ head, body }: Statement): Part | undefined {
  if (body === undefined) {
    return head.startsWith('include')
      ? undefined
      : { subject: 'setting', name: '', statements: [`${head};`], isOrdered: false };
  }
  const statements = body.map(textOf);
  const [, protocol, name = ''] = /^protocol (\w+) ?(\S*)/.exec(head) ?? [];
  if (protocol === 'bgp') {
    return isLocal(name) ? undefined : { subject: 'session', name, statements, isOrdered: false };
  }
  if (protocol === 'static') return { subject: 'static routes', name: '', statements, isOrdered: false };
  const [, called] = /^(?:function|filter) '?([^'(\s]+)/.exec(head) ?? [];
  if (called !== undefined) {
    return { subject: functions.get(called) ?? 'filter', name: called, statements, isOrdered: true };
  }
  return { subject: 'setting', name: head, statements, isOrdered: false };
}

/** Settings without a block are one part together. */
function partsOf(text: string): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const part of parseStatements(text).flatMap((statement) => partOf(statement) ?? [])) {
    const key = `${part.subject} ${part.name}`;
    const first = parts.get(key);
    parts.set(key, first === undefined ? part : { ...first, statements: [...first.statements, ...part.statements] });
  }
  return parts;
}

/** Those of `from` that `other` does not have, each as often as it is missing. */
function without(from: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return from.filter((statement) => {
    const at = left.indexOf(statement);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const subjects: readonly Subject[] = [
  'session',
  'filter',
  'export',
  'communities',
  'kernel',
  'static routes',
  'setting',
];

/**
 * What would change if a node with the files `before` of one family had those of `after`: the three texts of a family
 * joined. Comments, spaces, and the order of statements where it means nothing make no difference.
 */
export function behaviourDifferences(before: string, after: string): Difference[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  return keys
    .flatMap((key): Difference[] => {
      const [was, is] = [old.get(key), now.get(key)];
      const part = (was ?? is) as Part;
      const difference = { subject: part.subject, name: part.name, removed: [], added: [], reordered: false };
      if (was === undefined) return [{ ...difference, change: 'added' }];
      if (is === undefined) return [{ ...difference, change: 'removed' }];
      const removed = without(was.statements, is.statements);
      const added = without(is.statements, was.statements);
      const reordered =
        part.isOrdered && removed.length + added.length === 0 && was.statements.join('\n') !== is.statements.join('\n');
      return removed.length + added.length === 0 && !reordered
        ? []
        : [{ ...difference, change: 'changed', removed, added, reordered }];
    })
    .sort((a, b) => subjects.indexOf(a.subject) - subjects.indexOf(b.subject) || (a.name < b.name ? -1 : 1));
}
