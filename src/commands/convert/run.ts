// What calictl convert does: reads manifests of several APIs, and prints their objects in projectcalico.org/v3.
import type { Context } from '../command.ts';
import { manifestError, readManifests } from '../load-manifests.ts';
import type { ConvertInput } from './command.ts';
import { type Converted, convertedText } from './text.ts';

/** Errors: CalictlError that names every problem, UsageError, unreadable files. */
export async function run(ctx: Context, input: ConvertInput): Promise<readonly Converted[]> {
  const options = { converts: true, checksValues: !input.ignoreValidation };
  const { objects, problems } = await readManifests(ctx, input, options);
  if (problems.length > 0) throw manifestError(problems);
  return objects;
}

export const formats = {
  yaml: (objects: readonly Converted[]) => convertedText(objects, 'yaml'),
  json: (objects: readonly Converted[]) => convertedText(objects, 'json'),
};
