// `ipam release` as calicoctl does it, text for text: one address without guards, or the leaks of reports.

import { ipamStoreOf } from '../../../datastore/stored-ipam.ts';
import { deleteInTwoPhases } from '../../../ipam/deletion.ts';
import type { IpamStore } from '../../../ipam/ipam-store.ts';
import { ReleaseMismatch, releaseIps } from '../../../ipam/release/release.ts';
import { namesMachine } from '../../../ipam-check/addresses/allocation-fault.ts';
import { leakedInAll, parseCalicoctlReport } from '../../../ipam-check/calicoctl-report/read-calicoctl-report.ts';
import { canonicalIp } from '../../../net/ip.ts';
import type { CalicoApi } from '../../../resources/kind.ts';
import { clusterInformation } from '../../../resources/kinds/cluster-information.ts';
import { handleName, shownUid } from '../../../resources/names.ts';
import { CalictlError, StdoutFailure, systemText, UsageError } from '../../../world/errors.ts';
import { calicoctlText } from '../../calicoctl-errors.ts';
import type { Context } from '../../command.ts';
import type { CalicoctlReleaseInput } from './command.ts';
import { readReport } from './report-file.ts';

const refuse = (message: string): CalictlError => new CalictlError(message, { code: 'REPORT_REFUSED' });

/** Nothing is done before the first line is read: what went wrong comes after what was printed. */
export async function run(ctx: Context, input: CalicoctlReleaseInput): Promise<AsyncIterable<string>> {
  return linesOf(ctx, input);
}

export const text = (lines: AsyncIterable<string>): AsyncIterable<string> => lines;

/** The lines of stdout as they become known. Errors: UsageError when nothing is named, else with calicoctl's text. */
async function* linesOf(
  ctx: Context,
  { ip, fromReport: reports, force }: CalicoctlReleaseInput,
): AsyncIterable<string> {
  if (reports.length > 0) yield* releaseFromReports(ctx, reports, force);
  else if (ip !== undefined) yield await releaseAddress(ctx, ip);
  else throw new UsageError('nothing to release: give --ip or --from-report');
}

async function releaseAddress(ctx: Context, given: string): Promise<string> {
  const address = canonicalIp(given);
  if (address === undefined) {
    throw new StdoutFailure(`Error executing command: invalid IP address specified: ${given}`);
  }
  const failure = (error: unknown): unknown =>
    error instanceof CalictlError
      ? new CalictlError(`error: ${calicoctlText(error)}`, { code: 'RELEASE_FAILED', cause: error })
      : error;
  const result = await releaseIps(ipamStoreOf(await ctx.datastore()), [{ address }]).catch((error: unknown) => {
    throw failure(error);
  });
  const [failed] = result.failed;
  if (failed !== undefined) throw failure(failed.error);
  if (result.unallocated.length > 0)
    throw new CalictlError(`IP address ${address} is not assigned`, { code: 'NOT_ASSIGNED' });
  return `Successfully released IP address ${address}\n`;
}

async function* releaseFromReports(ctx: Context, files: readonly string[], force: boolean): AsyncIterable<string> {
  const reports = await Promise.all(
    files.map(async (file) => {
      const text = await readReport(ctx.world, file).catch((cause: unknown) => {
        ctx.world.signal.throwIfAborted();
        throw new CalictlError(`open ${file}: ${systemText(cause)}`, { code: 'REPORT_UNREADABLE', cause });
      });
      return parseCalicoctlReport(text, file);
    }),
  );
  const store = await ctx.datastore();
  const info = await store.get(clusterInformation, { name: 'default' }, { signal: ctx.world.signal });
  for (const { file, clusterGuid, version } of reports) {
    if (clusterGuid !== info.spec.clusterGUID) {
      throw refuse(
        `cluster does not match the provided report (${file}): mismatched cluster GUID. Refusing to release`,
      );
    }
    if (version === ctx.version.calico) continue;
    if (!force) {
      throw refuse(
        `the provided report (${file}) was produced using a different version (${version}) of calicoctl. Refusing to release`,
      );
    }
    yield 'WARNING: Report was produced using a different version of calicoctl. Ignoring due to --force option\n';
  }
  const current = info.metadata.resourceVersion;
  if (!reports.some(({ clusterInformationRevision }) => clusterInformationRevision === current)) {
    throw refuse(
      'the provided reports are all stale - at least one should be up-to-date. Please generate a new report while the data store is locked and try again',
    );
  }
  if (info.spec.datastoreReady !== false) {
    if (!force) throw refuse('data store is not locked. Either lock the data store, or re-run with --force');
    yield 'WARNING: Data store is not locked. Ignoring due to --force option\n';
  }
  const leaked = leakedInAll(reports);
  const ipam = ipamStoreOf(store);
  // Reports of calicoctl call stopped virtual machines leaks.
  const kept = leaked.addresses.filter(({ handle }) => namesMachine({ handleId: handle, attributes: {} }));
  if (kept.length > 0) yield `Keeping ${kept.length} IPs of virtual machines, which use them when they are started.\n`;
  yield* releaseAddresses(
    ipam,
    leaked.addresses.filter((leak) => !kept.includes(leak)),
  );
  yield* deleteHandles(ipam, store.calicoApi, leaked.handles);
  yield 'You may now unlock the data store.\n';
}

type Leaks = ReturnType<typeof leakedInAll>;

async function* releaseAddresses(ipam: IpamStore, leaks: Leaks['addresses']): AsyncIterable<string> {
  if (leaks.length === 0) {
    yield "Report didn't contain any leaked IPs to clean up.\n";
    return;
  }
  yield `Releasing ${leaks.length} old IPs...\n`;
  const { unallocated, failed } = await releaseIps(ipam, leaks);
  const [failure] = failed;
  if (failure === undefined) {
    yield `Released ${leaks.length - unallocated.length} IPs successfully\n`;
    if (unallocated.length > 0) {
      yield `${unallocated.length} addresses marked as leaked in the report had already been cleaned up.\n`;
    }
  } else if (failure.error instanceof CalictlError) {
    const guard = failure.error instanceof ReleaseMismatch;
    const why = guard ? `update conflict: ${failure.addresses[0]}` : calicoctlText(failure.error);
    yield `An error occurred while releasing some IPs: ${why}.  Problems are often caused by an out-of-date IPAM report.  Try regenerating the IPAM report and retry.\n`;
  } else {
    throw failure.error;
  }
}

async function* deleteHandles(ipam: IpamStore, calicoApi: CalicoApi, leaks: Leaks['handles']): AsyncIterable<string> {
  if (leaks.length === 0) {
    yield "Report didn't contain any handles to clean up.\n";
    return;
  }
  yield `Deleting ${leaks.length} handles...\n`;
  yield "Key: '.' = Deleted OK; 'x' = skip, handle missing/changed.\n";
  const count = { released: 0, skipped: 0, errors: 0 };
  for (const { id, uid, revision } of leaks) {
    try {
      const found = await ipam.handles.get(handleName(id));
      const stored = found.ok ? found.value.metadata : undefined;
      const same = stored?.resourceVersion === revision && (stored?.uid && shownUid(stored.uid, calicoApi)) === uid;
      const deleted = found.ok && same ? await deleteInTwoPhases(ipam.handles, found.value) : undefined;
      if (deleted?.ok) count.released += 1;
      else count.skipped += 1;
      yield deleted?.ok ? '.' : 'x';
    } catch (error) {
      count.errors += 1;
      yield `\nDeleting handle ${id} failed: ${calicoctlText(error)}.\n`;
    }
  }
  yield `\nReleased ${count.released} handles; ${count.skipped} skipped; ${count.errors} errors.\n`;
}
