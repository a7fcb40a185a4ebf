// `ipam show` as calicoctl has it: one address at a time, enabled pools only, no IPv6 blocks outside of every pool.
import { addressIn, borrowedList, type IpamShown as Shown } from '../../../ipam/show/views.ts';
import { canonicalIp } from '../../../net/ip.ts';
import { type CalicoApi, v3ApiVersion } from '../../../resources/kind.ts';
import { StdoutFailure, UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import type { CalicoctlShowInput } from './command.ts';
import { configurationOf, readLists, usageOf, whoHas } from './run.ts';
import { addressLines, ipamShowText, ownerLines, usageGrid } from './text.ts';

/** `calicoApi` where it changes the text. */
type IpamShown = Shown & { readonly calicoApi?: CalicoApi };

export async function run(ctx: Context, input: CalicoctlShowInput): Promise<IpamShown> {
  const asked = [input.ip !== undefined, input.showBlocks, input.showBorrowed, input.showConfiguration];
  if (asked.filter(Boolean).length > 1) throw new UsageError('ask for one at a time');
  const address = input.ip === undefined ? undefined : canonicalIp(input.ip);
  if (input.ip !== undefined && address === undefined) {
    throw new StdoutFailure(`Error executing command: invalid IP address specified: ${input.ip}`);
  }
  const store = await ctx.datastore();
  const { signal } = ctx.world;
  if (input.showConfiguration) return configurationOf(store, signal);
  if (address !== undefined) {
    // calicoctl looks in enabled pools only, and calls everything else not assigned.
    const isVisible = (pool?: { readonly spec: { readonly disabled?: boolean | undefined } }): boolean =>
      pool !== undefined && pool.spec.disabled !== true;
    const found = whoHas([address], await readLists(store, signal), ({ ip, pool, blocks: [block] }) =>
      block && isVisible(pool) ? addressIn(block, ip, pool) : { address, allocated: false },
    );
    return { ...found, calicoApi: store.calicoApi };
  }
  if (input.showBorrowed) return borrowedList((await readLists(store, signal)).blocks);
  return usageOf(store, signal, input.showBlocks);
}

export function text(shown: IpamShown): string {
  switch (shown.kind) {
    case 'IPAMUsage': {
      const orphanBlocks = shown.usage.orphanBlocks.filter((block) => !block.cidr.includes(':'));
      return usageGrid({ ...shown.usage, orphanBlocks }, shown.withBlocks);
    }
    case 'IPAMAddressList':
      return shown.calicoApi === v3ApiVersion ? ownerLines(shown) : addressLines(shown, { withPlace: false });
    default:
      return ipamShowText(shown);
  }
}
