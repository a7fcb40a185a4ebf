// What calictl validate does: reads manifests and reports all of their problems.
import { jsonDocument } from '../../output/json-document.ts';
import { printable } from '../../output/printable.ts';
import { counted } from '../../text/wording.ts';
import { exitCodes } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { problemText, readManifests } from '../load-manifests.ts';
import type { ValidateInput } from './command.ts';

type Validation = Awaited<ReturnType<typeof readManifests>>;

export async function run(ctx: Context, input: ValidateInput): Promise<Validation> {
  return readManifests(ctx, input);
}

function text({ objects, problems }: Validation): string {
  if (problems.length === 0) return `${counted(objects.length, 'object')} valid\n`;
  const lines = problems.map((problem) => `${printable(problemText(problem))}\n`);
  return `${lines.join('')}\n${counted(problems.length, 'problem')}\n`;
}

function json({ objects, problems }: Validation): string {
  return jsonDocument({
    kind: 'ManifestValidation',
    valid: problems.length === 0,
    objects: objects.length,
    problems: problems.map(({ file, line, column, object, path, message, hint }) => ({
      file,
      line,
      column,
      ...(object === undefined ? {} : { object }),
      path,
      message,
      ...(hint === undefined ? {} : { hint }),
    })),
  });
}

export const formats = { text, json };

export const exit = ({ problems }: Validation): number => (problems.length > 0 ? exitCodes.usage : exitCodes.ok);
