// calicoctl's report file, which calictl writes with --report and calicoctl with -o.
import { refuseMalformedBlocks } from '../../../datastore/malformed.ts';
import { outputPath } from '../../../files/output-path.ts';
import { writeOutputFile } from '../../../files/regular-file.ts';
import { holdersOf } from '../../../ipam-check/addresses/holders.ts';
import {
  type CalicoctlCheck,
  calicoctlCheck,
  ownerText,
} from '../../../ipam-check/calicoctl-report/calicoctl-check.ts';
import { calicoctlReportText } from '../../../ipam-check/calicoctl-report/calicoctl-report.ts';
import type { IpamSnapshot } from '../../../ipam-check/snapshot.ts';
import { addressUsersOf } from '../../../ipam-check/view/address-users.ts';
import { CheckView } from '../../../ipam-check/view/check-view.ts';
import { CalictlError, systemText } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';

/** Errors: CalictlError for a block that cannot be counted: what a report left out would look released. */
export function calicoctlCheckOf(snapshot: IpamSnapshot): CalicoctlCheck {
  refuseMalformedBlocks(snapshot.blocks);
  return calicoctlCheck({ snapshot });
}

/** The same, with everything for which `ipam release` leaves an address alone counted as its owner. */
export function guardedCheckOf(snapshot: IpamSnapshot): CalicoctlCheck {
  refuseMalformedBlocks(snapshot.blocks);
  const view = new CheckView(snapshot);
  const users = addressUsersOf(view);
  const holders = new Map<string, string[]>();
  for (const allocation of view.allocations) {
    const found = holdersOf(view, users, allocation).map(({ object }) => ownerText(object));
    if (found.length > 0)
      holders.set(allocation.address, [...new Set([...(holders.get(allocation.address) ?? []), ...found])]);
  }
  return calicoctlCheck({ snapshot, holders });
}

/** The report calls leaked what no pod uses, and calicoctl releases that without looking again. */
function refuseWithoutUsers({ unread }: IpamSnapshot): void {
  const missing = unread.find(({ kind }) => kind === 'Pod' || kind === 'Node');
  if (missing === undefined) return;
  throw new CalictlError(`no report is written, because it would call addresses in use leaked: ${missing.reason}`, {
    code: 'REPORT_INCOMPLETE',
    hint: 'complete the directory, or leave out --report',
  });
}

/** Errors: UsageError for a file of the datastore itself, CalictlError when users of addresses were not read or the file cannot be written. */
export async function writeCalicoctlReport(
  ctx: Context,
  snapshot: IpamSnapshot,
  check: CalicoctlCheck,
  file: string,
): Promise<void> {
  const path = outputPath(ctx.world.cwd, file, await ctx.datastore(), 'the report', '--report FILE');
  refuseWithoutUsers(snapshot);
  const text = calicoctlReportText(check, ctx.version.calico);
  await writeOutputFile(path, text).catch((cause: unknown) => {
    throw new CalictlError(`the report ${file} cannot be written: ${systemText(cause)}`, {
      code: 'REPORT_UNWRITABLE',
      hint: 'specify a writable file with --report',
      cause,
    });
  });
}
