// The objects of one kind and namespace that wait awaits, and what each change of them means. Pure: events in, states out.
import type { WatchBatch } from '../../datastore/datastore.ts';
import type { Kind } from '../../resources/kind.ts';
import { type KubeObject, type ObjectRef, qualifiedName } from '../../resources/object.ts';
import { CalictlError } from '../../world/errors.ts';
import type { WaitCondition } from './condition.ts';

/** One object that the command awaits. */
export interface Awaited {
  readonly kind: Kind;
  readonly ref: ObjectRef;
  state: 'pending' | 'met' | 'failed';
  error?: CalictlError;
  /** The one that was seen first: another object of its name is another object. */
  uid?: string | undefined;
}

export const nameOf = ({ kind, ref }: Awaited): string => `${kind.kind} ${qualifiedName(ref)}`;

/** Takes note of the object as it is now, or of its absence. */
export function observe(awaited: Awaited, object: KubeObject | undefined, condition: WaitCondition): void {
  if (awaited.state !== 'pending') return;
  const isOther = awaited.uid !== undefined && object !== undefined && object.metadata.uid !== awaited.uid;
  awaited.uid ??= object?.metadata.uid;
  if (condition.type === 'state') {
    if (object === undefined) fail(awaited);
    else if (condition.holds(object)) awaited.state = 'met';
  } else if (condition.type === 'delete') {
    if (object === undefined || isOther) awaited.state = 'met';
  } else if (object !== undefined) awaited.state = 'met';
}

function fail(awaited: Awaited): void {
  const [code, what] = awaited.uid === undefined ? ['NOT_FOUND', 'does not exist'] : ['GONE', 'was deleted'];
  awaited.state = 'failed';
  awaited.error = new CalictlError(`${nameOf(awaited)} ${what}`, { code });
}

/** What a watch reports, for the objects of one kind and namespace. */
export class Observed {
  readonly #byName: ReadonlyMap<string, Awaited>;
  readonly #condition: WaitCondition;
  /** The objects that there were when the watch began; undefined once all of them were reported. */
  #initial: Set<Awaited> | undefined = new Set();

  constructor(all: readonly Awaited[], condition: WaitCondition) {
    this.#byName = new Map(all.map((awaited) => [qualifiedName(awaited.ref), awaited]));
    this.#condition = condition;
  }

  selects(object: KubeObject): boolean {
    return this.#byName.has(qualifiedName(object.metadata));
  }

  get isPending(): boolean {
    return [...this.#byName.values()].some(({ state }) => state === 'pending');
  }

  take({ events, isWhole }: WatchBatch): void {
    for (const { type, object } of events) {
      const awaited = this.#byName.get(qualifiedName(object.metadata));
      if (awaited === undefined) continue;
      this.#initial?.add(awaited);
      observe(awaited, type === 'deleted' ? undefined : object, this.#condition);
    }
    if (!isWhole || this.#initial === undefined) return;
    for (const awaited of this.#byName.values()) {
      if (!this.#initial.has(awaited)) observe(awaited, undefined, this.#condition);
    }
    this.#initial = undefined;
  }
}
