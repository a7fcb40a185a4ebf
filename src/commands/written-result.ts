// What commands that write objects share: formats, errors, exit code, and notes on what is left.
import { counted } from '../text/wording.ts';
import { CalictlError, exitCodes } from '../world/errors.ts';
import type { Context } from './command.ts';
import { placedError, writesExit } from './object-writes.ts';
import { type WritesShown, writesText, writtenJson, writtenNames, writtenYaml } from './object-writes-text.ts';

export const formats = { text: writesText, name: writtenNames, json: writtenJson, yaml: writtenYaml };

export const exit = ({ written }: WritesShown): number => writesExit(written);

/** One for each object that could not be written, and one for those that were not tried. */
export function errors({ written }: WritesShown): readonly Error[] {
  const rest = written.filter(({ done, error }) => done === undefined && error === undefined).length;
  // Partial work is reported also after Ctrl-C, when other errors are shown as an interruption only.
  const failed = written.flatMap((each) => placedError(each, rest === 0 ? undefined : exitCodes.partial) ?? []);
  if (rest === 0) return failed;
  return [
    ...failed,
    new CalictlError(`${counted(rest, 'object')} not written`, {
      code: 'NOT_WRITTEN',
      exit: exitCodes.partial,
      hint: 'run the command again: what is written already stays as it is',
    }),
  ];
}

/** Says what the writes left behind, and returns the result. */
export async function noteLeft(ctx: Pick<Context, 'note'>, shown: WritesShown): Promise<WritesShown> {
  for (const { done } of shown.written) for (const line of done?.left ?? []) await ctx.note(line);
  return shown;
}
