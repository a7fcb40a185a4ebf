// What diff compares: each object as it is, and as apply would store it, without what the server manages.
import type { KubeObject, ObjectMeta } from '../../resources/object.ts';
import { withoutSteering } from '../../text/steering.ts';
import { printYaml } from '../../text/yaml.ts';
import type { Target, Written } from '../object-writes.ts';

const managed = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'];

/** The object without the metadata that no manifest can change. */
export function unmanaged(object: KubeObject): KubeObject {
  const kept = Object.entries(object.metadata).filter(([field]) => !managed.includes(field));
  return { ...object, metadata: Object.fromEntries(kept) as ObjectMeta };
}

/** An object that apply would create or change. */
export interface Difference {
  readonly target: Target;
  /** Absent for one that would be created. */
  readonly live: KubeObject | undefined;
  readonly applied: KubeObject;
}

/** What a dry run of apply did with each object. */
export interface DiffResult {
  readonly written: readonly Written[];
  /** What the program of KUBECTL_EXTERNAL_DIFF printed. */
  readonly external: string | undefined;
}

/** The objects that apply would write. */
export function differencesOf(written: readonly Written[]): readonly Difference[] {
  return written.flatMap(({ target, done }) => {
    if (done?.object === undefined || done.outcome === 'unchanged') return [];
    const live = done.previous && unmanaged(done.previous);
    return { target, live, applied: unmanaged(done.object) };
  });
}

/** An object as text, one line for each of its values. */
export const textOf = (object: KubeObject): string => withoutSteering(printYaml(object));

/** `networkpolicy/shop/allow`. */
export function pathOf({ kind, object: { metadata } }: Target): string {
  return [
    kind.kind.toLowerCase(),
    ...(metadata.namespace === undefined ? [] : [metadata.namespace]),
    metadata.name,
  ].join('/');
}
