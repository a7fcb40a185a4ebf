// `ipam check` as calicoctl has it: its text, its report file, no repairs.
import type { CalicoctlCheck } from '../../../ipam-check/calicoctl-report/calicoctl-check.ts';
import { observe } from '../../../ipam-live/check/observe.ts';
import { exitCodes } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { calicoctlCheckOf, writeCalicoctlReport } from './calicoctl-report-file.ts';
import { calicoctlIpamCheckText } from './calicoctl-text.ts';
import type { CalicoctlCheckInput } from './command.ts';

interface Checked {
  readonly check: CalicoctlCheck;
  readonly showProblems: boolean;
  readonly showAll: boolean;
  /** Why the report file could not be written. */
  readonly unwritten: Error | undefined;
}

export async function run(ctx: Context, input: CalicoctlCheckInput): Promise<Checked> {
  const { clock, signal } = ctx.world;
  const snapshot = await observe(await ctx.datastore(), { clock, signal, current: true });
  const check = calicoctlCheckOf(snapshot);
  const file = input.output;
  const written = file === undefined ? undefined : writeCalicoctlReport(ctx, snapshot, check, file);
  const unwritten = await written?.then(
    () => undefined,
    (error: Error) => error,
  );
  const showAll = input.showAllIps;
  return { check, showAll, showProblems: showAll || input.showProblemIps, unwritten };
}

export const text = ({ check, ...view }: Checked): string => calicoctlIpamCheckText(check, view);

export const exit = ({ unwritten }: Checked): number => (unwritten === undefined ? exitCodes.ok : exitCodes.failed);

export const errors = ({ unwritten }: Checked): readonly Error[] => (unwritten === undefined ? [] : [unwritten]);
