// The objects that -f gives a command of calicoctl, with its errors.
import { namedInputs } from '../files/input-files.ts';
import type { CalicoctlRelease } from '../manifest/calicoctl/decode.ts';
import { type GoManifestObject, readAsCalicoctl } from '../manifest/calicoctl/read-manifest.ts';
import { CalictlError, systemText } from '../world/errors.ts';
import type { Context } from './command.ts';

/** The flags calicoctlManifestFlags of shared-flags.ts. */
export interface CalicoctlManifestInput {
  readonly filename: string | undefined;
  readonly recursive: boolean;
  readonly skipEmpty: boolean;
}

/** All objects of the manifests in their order; empty only with --skip-empty. Errors: CalictlError in calicoctl's words. */
export async function loadCalicoctlManifests(
  { world }: Pick<Context, 'world'>,
  { filename = '', recursive, skipEmpty }: CalicoctlManifestInput,
  release: CalicoctlRelease = '3.31',
): Promise<readonly GoManifestObject[]> {
  const objects: GoManifestObject[] = [];
  const inputs = await namedInputs([filename], { recursive, patterns: false }, world).catch((error: unknown) => {
    throw unreadable(error, filename);
  });
  for (const { given, isFolder, texts } of inputs) {
    try {
      for await (const { text } of texts()) objects.push(...readAsCalicoctl(text, release));
    } catch (error) {
      throw unreadable(error, given);
    }
    if (objects.length === 0 && !skipEmpty) {
      const where = isFolder ? 'directory' : 'file';
      throw new CalictlError(`no resources specified in ${where} ${given}`, { code: 'NO_OBJECTS' });
    }
  }
  return objects;
}

/** What calicoctl says of a file that cannot be read. */
function unreadable(error: unknown, path: string): unknown {
  if (!(error instanceof CalictlError) || error.code !== 'INPUT_FILE') return error;
  const reason = error.cause === undefined ? error.message : `open ${path}: ${systemText(error.cause)}`;
  return new CalictlError(`failed to execute command: ${reason}`, { code: error.code, cause: error });
}
