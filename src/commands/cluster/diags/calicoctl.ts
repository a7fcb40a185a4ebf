// `cluster diags` as calicoctl has it: its checks and words; it goes on when kubectl does not reach the cluster.
import { CalictlError, StdoutFailure } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { type Bundle, bundleText, collectBundle, newScratch, refuseFolder } from './bundle.ts';
import { type CalicoctlDiagsInput, namesIn } from './command.ts';
import { Kubectl } from './kubectl.ts';

const refused = (text: string): StdoutFailure => new StdoutFailure(`Error executing command: ${text}`);

function numberOf(flag: string, text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw refused(`invalid value for ${flag} flag: ${text}`);
  if (Number(text) < 0) throw refused(`negative value for ${flag} flag`);
  return Number(text);
}

export async function run(ctx: Context, input: CalicoctlDiagsInput): Promise<Bundle> {
  const since = input.since ?? '0s';
  if (!/^[0-9]+[smh]$/.test(since)) throw refused(`invalid duration for since flag (try 10s, 5m, or 1h): ${since}`);
  const options = {
    since,
    most: numberOf('max-logs', input.maxLogs),
    parallel: numberOf('max-parallelism', input.maxParallelism),
    focus: namesIn(input.focusNodes ?? ''),
    keepScratch: input.skipTempDirCleanup,
  };
  refuseFolder(await requireDatastore(ctx));
  const { kubeconfig, k8sCurrentContext } = await ctx.settings();
  const kubectl = new Kubectl(ctx, kubeconfig, k8sCurrentContext);
  // Only to report a missing kubectl: when the cluster cannot be reached, calicoctl makes a bundle of failures.
  await kubectl.run(['version', '--client']);
  return collectBundle(ctx, kubectl, await newScratch(ctx), options, ctx.world.io.stdout);
}

/** Errors: those of the datastore; calicoctl also has them on stdout. */
async function requireDatastore(ctx: Context): ReturnType<Context['datastore']> {
  try {
    return await ctx.datastore();
  } catch (error) {
    if (error instanceof CalictlError) await ctx.world.io.stdout.write(`ERROR creating clients: ${error.message}\n`);
    throw error;
  }
}

export const text = bundleText;
