// Fields that a datastore did not keep: an API server drops what the schema of the kind does not have, without an error.

import { type FieldPath, fieldPathText } from '../resources/field-path.ts';
import type { Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { isObject } from '../text/plain-values.ts';
import { listed } from '../text/wording.ts';
import { nameOf } from './client-error.ts';

/** The paths of what was sent and is not there now; a field within a dropped one is not named. */
function dropped(sent: unknown, kept: unknown, at: FieldPath): FieldPath[] {
  if (Array.isArray(sent)) {
    const same = Array.isArray(kept) && kept.length === sent.length ? kept : undefined;
    return same === undefined ? [] : sent.flatMap((one, index) => dropped(one, same[index], [...at, index]));
  }
  if (!isObject(sent)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    const path = [...at, name];
    return isObject(kept) && Object.hasOwn(kept, name) ? dropped(value, kept[name], path) : [path];
  });
}

/** What the datastore did not keep of the spec of an object, as a sentence; undefined when it kept everything. */
export function droppedText(kind: Kind, ref: ObjectRef, sent: KubeObject, kept: KubeObject): string | undefined {
  const paths = dropped(sent.spec, kept.spec, ['spec']).map(fieldPathText);
  if (paths.length === 0) return undefined;
  return `${nameOf(kind, ref)}: the datastore dropped ${listed(paths, 6)}, which its version of Calico does not have`;
}
