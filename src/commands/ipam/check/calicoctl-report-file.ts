// calicoctl's report file, which calictl writes with --report and calicoctl with -o.
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { refuseMalformedBlocks } from '../../../datastore/malformed.ts';
import { type CalicoctlCheck, calicoctlCheck } from '../../../ipam-check/calicoctl-report/calicoctl-check.ts';
import { calicoctlReportText } from '../../../ipam-check/calicoctl-report/calicoctl-report.ts';
import type { IpamSnapshot } from '../../../ipam-check/snapshot.ts';
import { CalictlError, systemText } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';

/** Errors: CalictlError for a block that cannot be counted: what a report left out would look released. */
export function calicoctlCheckOf(snapshot: IpamSnapshot): CalicoctlCheck {
  refuseMalformedBlocks(snapshot.blocks);
  return calicoctlCheck({ snapshot });
}

/** Errors: CalictlError when the file cannot be written. */
export async function writeCalicoctlReport(ctx: Context, check: CalicoctlCheck, file: string): Promise<void> {
  const text = calicoctlReportText(check, ctx.version.calico);
  await writeFile(resolve(ctx.world.cwd, file), text, { mode: 0o644 }).catch((cause: unknown) => {
    throw new CalictlError(`the report ${file} cannot be written: ${systemText(cause)}`, {
      code: 'REPORT_UNWRITABLE',
      hint: 'name a writable file with --report',
      cause,
    });
  });
}
