// `patch` as calicoctl has it: always a strategic merge patch, and its words.
import { readAsCalicoctl } from '../../manifest/calicoctl/read-manifest.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { patched } from '../../resources/change/patch.ts';
import type { KubeObject } from '../../resources/object.ts';
import { parseJson, printJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { CalictlError } from '../../world/errors.ts';
import { calicoctlText, identity } from '../calicoctl-errors.ts';
import { calicoctlNamed, handleAll, type Report, refuseEmptyName } from '../calicoctl-writes.ts';
import type { Context } from '../command.ts';
import { kindOfWord } from '../get/reader.ts';
import type { CalicoctlPatchInput } from './command.ts';

const failure = (message: string): CalictlError => new CalictlError(message, { code: 'PATCH_FAILED' });

/** What the patch holds. Errors: CalictlError for a text that is not a JSON object. */
function patchIn(text: string): Record<string, unknown> {
  let patch: unknown;
  try {
    patch = parseJson(text);
  } catch {
    patch = undefined;
  }
  if (isObject(patch)) return patch;
  throw failure('performing strategic merge patch: invalid JSON document');
}

function merged(object: KubeObject, text: string): KubeObject {
  try {
    return patched(object, patchIn(text), 'strategic');
  } catch (error) {
    if (!(error instanceof CalictlError) || error.code !== 'PATCH_INVALID') throw error;
    throw failure(`performing strategic merge patch: ${error.message}`);
  }
}

/** Why calicoctl could not decode the object into the types of its kind; undefined when it can. */
function decodingProblem(object: KubeObject): string | undefined {
  try {
    readAsCalicoctl(printJson(object));
    return undefined;
  } catch (error) {
    if (!(error instanceof CalictlError)) throw error;
    return error.message.replace('failed to execute command: ', '');
  }
}

export async function run(ctx: Context, input: CalicoctlPatchInput): Promise<Report> {
  const kind = kindOfWord(input.kind, ({ codec }) => codec !== undefined);
  const targets = calicoctlNamed(kind, [input.name]);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { asCalicoctl: true });
  refuseEmptyName([input.name]);
  const [handled] = await handleAll(ctx, targets, {
    namespace: input.namespace,
    write: async ({ object: { metadata } }) => {
      const found = await client.one(kind, metadata);
      const changed = merged(found, input.patch);
      const problem = decodingProblem(changed);
      // A stored object may have fields that calicoctl does not know: it leaves them out when it reads.
      if (problem !== undefined && decodingProblem(found) === undefined) {
        throw failure(`creating resource from patched data: ${problem}`);
      }
      try {
        return { outcome: 'patched', object: await client.update(kind, changed) };
      } catch (error) {
        if (!(error instanceof CalictlError)) throw error;
        const id = identity(kind.kind, metadata.name, metadata.namespace);
        throw failure(`updating existing resource: ${calicoctlText(error, id)}`);
      }
    },
  });
  const error = handled?.error;
  if (error !== undefined) return { stdout: '', errors: [failure(`hit error: ${error}`)] };
  return { stdout: `Successfully patched 1 '${kind.kind}' resource\n`, errors: [] };
}

export { errors, exit, text } from '../calicoctl-writes.ts';
