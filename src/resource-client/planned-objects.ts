// What a dry run would have written so far, for the checks of what it comes to later: a policy in a tier of the same manifests.
import type { Kind } from '../resources/kind.ts';
import { type KubeObject, type ObjectRef, qualifiedName } from '../resources/object.ts';

/** Objects in projectcalico.org/v3 form, by kind and name. */
export class PlannedObjects {
  readonly #byKind = new Map<Kind, Map<string, KubeObject>>();

  add(kind: Kind, object: KubeObject): void {
    const planned = this.#byKind.get(kind) ?? new Map<string, KubeObject>();
    this.#byKind.set(kind, planned.set(qualifiedName(object.metadata), object));
  }

  has(kind: Kind, ref: ObjectRef): boolean {
    return this.#byKind.get(kind)?.has(qualifiedName(ref)) === true;
  }

  /** The objects that are stored, each planned one in place of the stored one of its name, new ones last. */
  over(kind: Kind, stored: readonly KubeObject[]): readonly KubeObject[] {
    const planned = this.#byKind.get(kind);
    if (planned === undefined) return stored;
    return [...stored.filter(({ metadata }) => !planned.has(qualifiedName(metadata))), ...planned.values()];
  }
}
