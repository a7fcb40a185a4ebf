// `patch` as calicoctl has it: always a strategic merge patch, and its words.
import type { CalicoctlRelease } from '../../manifest/calicoctl/decode.ts';
import { readAsCalicoctl } from '../../manifest/calicoctl/read-manifest.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { patched, UnknownDirectiveError } from '../../resources/change/patch.ts';
import type { KubeObject } from '../../resources/object.ts';
import { parseJson, printJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { CalictlError } from '../../world/errors.ts';
import { calicoctlText, identity } from '../calicoctl-errors.ts';
import { releaseOf } from '../calicoctl-release.ts';
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
    const said = error instanceof UnknownDirectiveError ? error.calicoctl : error.message;
    throw failure(`performing strategic merge patch: ${said}`);
  }
}

/** The object as calicoctl decodes it into the types of its kind, or the error that it has. */
function decodedAs(object: KubeObject, release: CalicoctlRelease): KubeObject | CalictlError {
  try {
    return readAsCalicoctl(printJson(object), release)[0]?.object ?? object;
  } catch (error) {
    if (!(error instanceof CalictlError)) throw error;
    return error;
  }
}

/** An error that calicoctl prints as it is. */
class WholeError extends CalictlError {}

/** The patched object, decoded. A stored object may have fields that calicoctl does not know: then it stays as it is. */
function checked(changed: KubeObject, found: KubeObject, release: CalicoctlRelease): KubeObject {
  const decoded = decodedAs(changed, release);
  if (!(decoded instanceof CalictlError)) return decoded;
  if (decodedAs(found, release) instanceof CalictlError) return changed;
  const prefix = 'failed to execute command: ';
  if (!decoded.message.startsWith(prefix)) throw new WholeError(decoded.message, { code: 'PATCH_FAILED' });
  throw failure(`creating resource from patched data: ${decoded.message.slice(prefix.length)}`);
}

export async function run(ctx: Context, input: CalicoctlPatchInput): Promise<Report> {
  const kind = kindOfWord(input.kind, ({ codec }) => codec !== undefined);
  const targets = calicoctlNamed(kind, [input.name]);
  const release = await releaseOf(ctx);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { asCalicoctl: true });
  refuseEmptyName([input.name]);
  const [handled] = await handleAll(ctx, targets, {
    namespace: input.namespace,
    write: async ({ object: { metadata } }) => {
      const found = await client.one(kind, metadata);
      const changed = checked(merged(found, input.patch), found, release);
      try {
        return { outcome: 'patched', object: await client.updateWhole(kind, changed) };
      } catch (error) {
        if (!(error instanceof CalictlError)) throw error;
        const id = identity(kind.kind, metadata.name, metadata.namespace);
        throw failure(`updating existing resource: ${calicoctlText(error, id)}`);
      }
    },
  });
  const error = handled?.error;
  if (handled?.cause instanceof WholeError) return { stdout: '', errors: [handled.cause] };
  if (error !== undefined) return { stdout: '', errors: [failure(`hit error: ${error}`)] };
  return { stdout: `Successfully patched 1 '${kind.kind}' resource\n`, errors: [] };
}

export { errors, exit, text } from '../calicoctl-writes.ts';
