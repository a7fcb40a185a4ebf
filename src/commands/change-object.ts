// Changes one stored object: reads it, changes it, checks what the change made of it, and writes it at the revision read.
import { DatastoreError } from '../datastore/datastore.ts';
import { readManifest } from '../manifest/input/read-manifest.ts';
import type { ResourceClient } from '../resource-client/resource-client.ts';
import { toV3 } from '../resources/convert/v3.ts';
import type { Kind } from '../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../resources/object.ts';
import { printJson } from '../text/json.ts';
import { counted } from '../text/wording.ts';
import { CalictlError, exitCodes } from '../world/errors.ts';

/** How often a change is made again when another client wrote the object in between. */
const attempts = 5;

/**
 * The stored object after the change. A conflict with another client makes the change again, on what that one wrote, unless
 * the change names a revision itself. Errors: those of reading, changing and writing; CalictlError with exit 2 for problems
 * that the change brought into the object.
 */
export async function changeObject(
  client: ResourceClient,
  kind: Kind,
  ref: ObjectRef,
  change: (object: KubeObject) => KubeObject,
): Promise<KubeObject> {
  for (let attempt = 1; ; attempt++) {
    const object = await client.one(kind, ref);
    const changed = change(object);
    refuseNewProblems(kind, object, changed);
    try {
      return await client.update(kind, changed);
    } catch (error) {
      const isRace = error instanceof DatastoreError && error.reason === 'conflict';
      const namesRevision = changed.metadata.resourceVersion !== object.metadata.resourceVersion;
      if (!isRace || namesRevision || attempt === attempts) throw error;
    }
  }
}

/** What is wrong in the object, as lines without positions. The object may have had problems before the change. */
function problemsOf(kind: Kind, object: KubeObject): string[] {
  const text = printJson(toV3(kind, object));
  return readManifest('', text).problems.map(({ path, message, hint }) => {
    const subject = path === '' ? '' : `${path} `;
    return `${subject}${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

/** The problems that the object did not have before a change. */
function newProblems(kind: Kind, before: KubeObject, after: KubeObject): string[] {
  const known = new Set(problemsOf(kind, before));
  return problemsOf(kind, after).filter((problem) => !known.has(problem));
}

function refuseNewProblems(kind: Kind, before: KubeObject, after: KubeObject): void {
  const fresh = newProblems(kind, before, after);
  const [only, ...more] = fresh;
  if (only === undefined) return;
  const details = { code: 'INVALID_CHANGE', exit: exitCodes.usage, hint: 'Nothing was written.' } as const;
  const subject = `${kind.kind} ${before.metadata.name} after the change`;
  if (more.length === 0) throw new CalictlError(`${subject}: ${only}`, details);
  throw new CalictlError([`${subject}: ${counted(fresh.length, 'problem')}`, ...fresh].join('\n'), details);
}
