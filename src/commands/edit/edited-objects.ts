// From the text that was saved to the objects to write, each with the revision that was read, or to what is wrong in it.
import { readManifest } from '../../manifest/input/read-manifest.ts';
import { Manifest } from '../../manifest/manifest.ts';
import { ManifestError } from '../../manifest/object-position.ts';
import { normalise } from '../../resources/int64.ts';
import type { Kind } from '../../resources/kind.ts';
import { type KubeObject, type ObjectMeta, qualifiedName } from '../../resources/object.ts';
import { deepCopy, sameValue } from '../../text/plain-values.ts';
import { bodyOf, type EditProblem } from './edit-text.ts';

/** An object that is edited, as it was read. */
export interface Original {
  readonly kind: Kind;
  readonly object: KubeObject;
}

export interface Edited {
  /** The objects that were changed. */
  readonly changed: readonly Original[];
  readonly problems: readonly EditProblem[];
}

const idOf = ({ kind, object }: Original): string => `${kind.kind} ${qualifiedName(object.metadata)}`;

/** The objects and the problems of a text; an object with a problem of its fields is read as it is written. */
function read(body: string): {
  readonly objects: Map<string, Original & EditProblem>;
  readonly problems: EditProblem[];
} {
  const { objects: decoded, problems: found } = readManifest('', body);
  const problems = found.map(({ line, object, path, message, hint }): EditProblem => {
    const subject = [object === undefined ? '' : `${object}: `, path === '' ? '' : `${path} `].join('');
    return { line, text: `${subject}${message}${hint === undefined ? '' : ` (${hint})`}` };
  });
  const objects = new Map<string, Original & EditProblem>();
  try {
    for (const { kind, written, position } of new Manifest(body, false).objects) {
      const original = { kind, object: normalise(kind, deepCopy(written)), line: position.line };
      const id = idOf(original);
      if (objects.has(id)) problems.push({ line: position.line, text: `${id} is there twice` });
      objects.set(id, { ...original, text: id });
    }
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    if (problems.length === 0) problems.push({ line: error.line, text: error.message });
  }
  for (const { kind, object, line } of decoded) {
    const original = { kind, object, line };
    objects.set(idOf(original), { ...original, text: idOf(original) });
  }
  return { objects, problems };
}

/** Metadata that the server sets: to leave it out changes nothing. */
const serverFields = new Set(['resourceVersion', 'uid', 'creationTimestamp', 'managedFields', 'generation']);

/** Fields of the metadata that were changed or removed, and that no write takes over. */
function fixedFields(before: ObjectMeta, after: ObjectMeta): string[] {
  const removed = Object.keys(before).filter((field) => !(field in after || serverFields.has(field)));
  return [...Object.keys(after), ...removed].filter((field) => {
    if (field === 'labels' || field === 'annotations') return false;
    return !sameValue(after[field] ?? null, before[field] ?? null);
  });
}

/** The originals with the values that the text has for them, at their own revision; those left out of it stay as they are. */
export function editedObjects(body: string, originals: readonly Original[]): Edited {
  const before = read(bodyOf(originals.map(({ object }) => object)));
  const after = read(body);
  // An object may have had problems before: a field of a later version of Calico.
  const known = new Set(before.problems.map(({ text }) => text));
  const problems = after.problems.filter(({ text }) => !known.has(text));
  const byId = new Map(originals.map((original) => [idOf(original), original]));
  const changed: Original[] = [];
  for (const [id, { kind, object, line }] of after.objects) {
    const original = byId.get(id);
    const place = line === undefined ? {} : { line };
    if (original === undefined) {
      problems.push({ ...place, text: `${id} is not one of the edited objects: kind, name and namespace must stay` });
      continue;
    }
    for (const field of fixedFields(original.object.metadata, object.metadata)) {
      problems.push({ ...place, text: `${id}: metadata.${field} cannot be changed; only labels and annotations can` });
    }
    if (sameValue(object, before.objects.get(id)?.object)) continue;
    const { resourceVersion } = original.object.metadata;
    changed.push({ kind, object: { ...object, metadata: { ...object.metadata, resourceVersion } as ObjectMeta } });
  }
  return { changed, problems };
}
