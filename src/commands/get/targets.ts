// What the words of `get` name: kinds, or objects by kind and name.
import { isOnCommandLine, type Kind } from '../../resources/kind.ts';
import { kinds } from '../../resources/kinds.ts';
import { UsageError } from '../../world/errors.ts';
import { kindOfWord } from './reader.ts';

/** One kind, and the objects of it that are named; without a name, all of them. */
export interface Target {
  readonly kind: Kind;
  readonly name?: string;
  /** Where a manifest names the object: its namespace. */
  readonly namespace?: string | undefined;
}

export interface Targets {
  readonly targets: readonly Target[];
  /** True for `all`: kinds that hold nothing, and those that the cluster does not have, are left out. */
  readonly isAll: boolean;
}

/** True for a kind of which users create objects: not what Calico, its IPAM or Kubernetes makes. */
function isCreatedByUsers({ codec, refusals = [] }: Kind): boolean {
  return codec !== undefined && !refusals.some(({ verbs, names }) => verbs.includes('create') && names === undefined);
}

/** The kinds of `get all`. */
function kindsOfAll(): Kind[] {
  return kinds.filter((kind) => isOnCommandLine(kind) && isCreatedByUsers(kind));
}

function slashed(word: string): Target {
  const [, kind = '', name = ''] = /^([^/]*)\/(.*)$/s.exec(word) ?? [];
  if (kind === '' || name === '' || name.includes('/')) {
    throw new UsageError(`${word} does not name an object`, 'write it as KIND/NAME, like ippool/default-pool');
  }
  return { kind: kindOfWord(kind), name };
}

/**
 * `KIND`, `KIND NAME …`, `KIND,KIND`, `KIND/NAME KIND/NAME` or `all`.
 * Errors: UsageError for an unknown kind, an empty name, and forms that are mixed.
 */
export function targetsOf(kind: string, names: readonly string[]): Targets {
  if (kind.includes('/')) {
    const words = [kind, ...names];
    const other = words.find((word) => !word.includes('/'));
    if (other === undefined) return { targets: words.map(slashed), isAll: false };
    throw new UsageError(`${other} is not of the form KIND/NAME, unlike ${kind}`, 'write all of them as KIND/NAME');
  }
  const stray = names.find((name) => name.includes('/'));
  if (stray !== undefined) {
    throw new UsageError(
      `${stray} names a kind, but ${kind} already did`,
      `leave out ${kind}, or the part up to the slash`,
    );
  }
  if (kind === 'all') {
    if (names.length === 0) return { targets: kindsOfAll().map((of) => ({ kind: of })), isAll: true };
    throw new UsageError('all takes no names', 'write KIND NAME or KIND/NAME');
  }
  const found = kind.split(',').map((word) => kindOfWord(word));
  const distinct = [...new Set(found)];
  if (names.length === 0) return { targets: distinct.map((of) => ({ kind: of })), isAll: false };
  return { targets: distinct.flatMap((of) => names.map((name) => ({ kind: of, name }))), isAll: false };
}
