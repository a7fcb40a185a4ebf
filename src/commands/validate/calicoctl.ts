// `validate` as calicoctl has it: parse errors end it, then each object is checked and the failures are reported together.
import type { GoManifestObject } from '../../manifest/calicoctl/read-manifest.ts';
import { calicoctlError } from '../../resources/rules/rule-problem.ts';
import { problemsFor } from '../../resources/rules/rules.ts';
import { CalictlError, exitCodes } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { loadCalicoctlManifests } from '../load-calicoctl-manifests.ts';
import type { CalicoctlValidateInput } from './command.ts';

interface Validation {
  readonly objects: readonly GoManifestObject[];
  readonly failures: readonly string[];
}

export async function run(ctx: Context, input: CalicoctlValidateInput): Promise<Validation> {
  const objects = await loadCalicoctlManifests(ctx, input);
  return { objects, failures: objects.flatMap((one) => failureOf(one) ?? []) };
}

function failureOf({ kind, object }: GoManifestObject): string | undefined {
  if (!kind.namespaced && object.metadata.namespace) {
    return `namespace should not be specified for a non-namespaced resource. ${kind.kind} is not a namespaced resource`;
  }
  return calicoctlError(problemsFor(kind, object));
}

/** `'IPPool' `, when all objects are of one kind. */
function kindWord(objects: readonly GoManifestObject[]): string {
  const [first] = objects;
  const kind = first?.writtenKind ?? '';
  return kind !== '' && objects.every(({ writtenKind }) => writtenKind === kind) ? `'${kind}' ` : '';
}

export function text({ objects, failures }: Validation): string {
  if (objects.length === 0) return 'No resources specified\n';
  const handled = objects.length - failures.length;
  const kind = kindWord(objects);
  if (failures.length === 0) return `Successfully validated ${handled} ${kind}resource(s)\n`;
  if (handled - failures.length <= 0) return '';
  return `Partial success: validated the first ${handled} out of ${objects.length} ${kind}resources:\n`;
}

export const exit = ({ failures }: Validation): number => (failures.length > 0 ? exitCodes.failed : exitCodes.ok);

export function errors({ objects, failures }: Validation): readonly Error[] {
  if (failures.length === 0) return [];
  const all = `[${failures.join(' ')}]`;
  const kind = kindWord(objects);
  const said =
    failures.length < objects.length
      ? `hit error(s): ${all}`
      : objects.length === 1
        ? `failed to validate ${kind}resource: ${all}`
        : `failed to validate any ${kind}resources: ${all}`;
  return [new CalictlError(said, { code: 'INVALID' })];
}
