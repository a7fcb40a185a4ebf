// `ipam configure` as calicoctl has it: its two flags, its words, an object with the defaults whatever happens.
import { type IpamSettings, mostBlocksPerHost, settingsProblem } from '../../../ipam/config.ts';
import { parseGoBool, parseGoInt } from '../../../text/go-scalars.ts';
import { CalictlError } from '../../../world/errors.ts';
import { calicoctlText } from '../../calicoctl-errors.ts';
import type { Context } from '../../command.ts';
import { changeSettings } from './change.ts';
import type { CalicoctlConfigureInput } from './command.ts';

const plain = (message: string): CalictlError => new CalictlError(message, { code: 'CONFIGURE_FAILED' });

export async function run(ctx: Context, input: CalicoctlConfigureInput): Promise<Partial<IpamSettings>> {
  const store = await ctx.datastore();
  const strictAffinity = parseGoBool(input.strictaffinity);
  if (strictAffinity === undefined) throw plain('invalid value. Use true or false to set strictaffinity');
  const text = input.maxBlocksPerHost || undefined;
  const limit = text === undefined ? undefined : parseGoInt(text);
  if (typeof limit === 'string') throw plain('invalid value for maxblockhost. Use a valid number');
  const asked = { strictAffinity, ...(limit === undefined ? {} : { maxBlocksPerHost: Number(limit) }) };
  const approve = async (_: IpamSettings, after: IpamSettings): Promise<void> => {
    const problem = settingsProblem(after);
    if (problem !== undefined) throw plain(problem);
    const value = after.maxBlocksPerHost;
    if (value >= 0 && value <= mostBlocksPerHost) return;
    // Every store refuses it, in the API server's words.
    const bound = value < 0 ? 'greater than or equal to 0' : `less than or equal to ${mostBlocksPerHost}`;
    const field = 'spec.maxBlocksPerHost';
    throw plain(
      `IPAMConfig.crd.projectcalico.org "default" is invalid: ${field}: Invalid value: ${value}: ${field} in body should be ${bound}`,
    );
  };
  const { signal } = ctx.world;
  await changeSettings(store, asked, { defaultsFirst: true, dryRun: false, signal, approve }).catch(
    (error: unknown) => {
      throw error instanceof CalictlError ? plain(`error: ${calicoctlText(error)}`) : error;
    },
  );
  return asked;
}

/** The requested settings, changed or not. */
export function text({ strictAffinity, maxBlocksPerHost }: Partial<IpamSettings>): string {
  const limit = maxBlocksPerHost === undefined ? '' : `Successfully set MaxBlocksPerHost to: ${maxBlocksPerHost}\n`;
  return `Successfully set StrictAffinity to: ${strictAffinity}\n${limit}`;
}
