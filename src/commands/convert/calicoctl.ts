// `convert` as calicoctl 3.31 has it, with its checks in its order and words.
import { namedInputs } from '../../files/input-files.ts';
import { type Convertible, readConvertible } from '../../manifest/calicoctl/read-convertible.ts';
import { fromCalico2 } from '../../resources/calico2/convert.ts';
import { fromKubernetesPolicy } from '../../resources/calico2/kubernetes-policy.ts';
import { kindNamed } from '../../resources/kinds.ts';
import { calicoctlError } from '../../resources/rules/rule-problem.ts';
import { problemsFor } from '../../resources/rules/rules.ts';
import { CalictlError, systemText, UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import type { CalicoctlConvertInput } from './command.ts';
import { type Converted, convertedText } from './text.ts';

interface Result {
  readonly converted: readonly Converted[];
  readonly format: 'yaml' | 'json';
}

const formats: Readonly<Record<string, Result['format']>> = { yaml: 'yaml', yml: 'yaml', json: 'json' };

/** Errors: CalictlError in calicoctl's words. */
export async function run(ctx: Context, input: CalicoctlConvertInput): Promise<Result> {
  const format = Object.hasOwn(formats, input.output) ? formats[input.output] : undefined;
  if (format === undefined) {
    throw new UsageError(`unrecognized output format '${input.output}'`, undefined, 'UNKNOWN_FORMAT');
  }
  const converted = (await readAll(ctx, input.filename)).map(convertedOne);
  if (!input.ignoreValidation) refuseInvalid(converted);
  return { converted, format };
}

/** Errors: CalictlError for a file that cannot be read, and for a directory. */
async function readAll({ world }: Context, filename: string): Promise<Convertible[]> {
  const unreadable = (reason: string): CalictlError =>
    new CalictlError(`failed to create resources from file: ${reason}`, { code: 'INPUT_FILE' });
  try {
    const [input] = await namedInputs([filename], { recursive: false, patterns: false }, world);
    if (input === undefined || input.isFolder) throw unreadable(`read ${filename}: is a directory`);
    const found: Convertible[] = [];
    for await (const { text } of input.texts()) found.push(...readConvertible(text));
    return found;
  } catch (error) {
    if (!(error instanceof CalictlError && error.code === 'INPUT_FILE' && error.cause !== undefined)) throw error;
    throw unreadable(`open ${filename}: ${systemText(error.cause)}`);
  }
}

function convertedOne(one: Convertible): Converted {
  const options = { asCalicoctl: true };
  try {
    const object =
      one.form === 'calico2' ? fromCalico2(one.kind, one.object, options) : fromKubernetesPolicy(one.object, options);
    const kind = kindNamed(object.kind);
    if (kind === undefined) throw new CalictlError(`unknown kind ${object.kind}`, { code: 'UNCONVERTIBLE' });
    return { kind, object };
  } catch (error) {
    if (!(error instanceof CalictlError && error.code === 'UNCONVERTIBLE')) throw error;
    const what =
      one.form === 'kubernetes' ? `failed to convert k8s resource: policy: ${one.object.metadata.name}: ` : '';
    throw new CalictlError(`failed to convert resource: ${what}${error.message}`, { code: error.code });
  }
}

/** Errors: CalictlError for the first object that Calico would refuse. */
function refuseInvalid(converted: readonly Converted[]): void {
  for (const { kind, object } of converted) {
    const wrong = calicoctlError(problemsFor(kind, object));
    if (wrong === undefined) continue;
    const advice = "Re-run the command with '--ignore-validation' flag to see the converted output";
    throw new CalictlError(`converted manifest resource(s) failed validation: ${wrong}${advice}`, {
      code: 'INVALID_MANIFEST',
    });
  }
}

export const text = ({ converted, format }: Result): string => convertedText(converted, format);
