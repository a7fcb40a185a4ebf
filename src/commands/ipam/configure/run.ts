// What calictl ipam configure does: change the settings given, and refuse what cannot work.
import { type Datastore, listAll } from '../../../datastore/datastore.ts';
import { refuseMalformedBlocks } from '../../../datastore/malformed.ts';
import { type IpamSettings, settingsProblem } from '../../../ipam/config.ts';
import { borrowedList } from '../../../ipam/show/views.ts';
import { ipamBlock } from '../../../resources/kinds/ipam-block.ts';
import { counted } from '../../../text/wording.ts';
import { RefusedError, UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { changeSettings, type IpamConfigured } from './change.ts';
import type { ConfigureInput } from './command.ts';
import { ipamConfiguredJson, ipamConfiguredText } from './text.ts';

/** The settings that were given. */
function askedFor(input: ConfigureInput): Partial<IpamSettings> {
  const { strictaffinity, maxBlocksPerHost, autoAllocateBlocks, kubevirtIpPersistence } = input;
  return {
    ...(strictaffinity === undefined ? {} : { strictAffinity: strictaffinity }),
    ...(maxBlocksPerHost === undefined ? {} : { maxBlocksPerHost }),
    ...(autoAllocateBlocks === undefined ? {} : { autoAllocateBlocks }),
    ...(kubevirtIpPersistence === undefined ? {} : { kubeVirtVMAddressPersistence: kubevirtIpPersistence }),
  };
}

/** Under strict affinity borrowed addresses stay on nodes that could not get them any more. */
async function refuseBorrowed(store: Datastore, signal: AbortSignal): Promise<void> {
  const blocks = await listAll(store, ipamBlock, { signal });
  refuseMalformedBlocks(blocks);
  const count = borrowedList(blocks).items.length;
  if (count === 0) return;
  throw new RefusedError(
    `${counted(count, 'address is', 'addresses are')} borrowed, which strict affinity does not allow`,
    'ADDRESSES_BORROWED',
    'calictl ipam show --show-borrowed lists them; recreate their pods, or turn it on anyway with --force',
  );
}

export async function run(ctx: Context, input: ConfigureInput): Promise<IpamConfigured> {
  const store = await ctx.datastore();
  const { signal } = ctx.world;
  return changeSettings(store, askedFor(input), {
    defaultsFirst: false,
    dryRun: input.dryRun,
    signal,
    async approve(before, after) {
      const problem = settingsProblem(after);
      if (problem !== undefined) {
        const hint = after.autoAllocateBlocks
          ? 'add --strictaffinity true, or --max-blocks-per-host 0'
          : 'add --strictaffinity true, or --auto-allocate-blocks true';
        throw new UsageError(problem, hint, 'IPAM_CONFIG_INVALID');
      }
      const tightens = after.strictAffinity && !before.strictAffinity;
      if (tightens && !input.force) await refuseBorrowed(store, signal);
    },
  });
}

export const formats = { text: ipamConfiguredText, json: ipamConfiguredJson };
