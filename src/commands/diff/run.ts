// What calictl diff does: applies the manifests in a dry run, and keeps each object as it is and as it would be.
import { DatastoreError } from '../../datastore/datastore.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import type { ObjectMeta } from '../../resources/object.ts';
import { counted } from '../../text/wording.ts';
import { CalictlError, exitCodes } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { type Done, placedError, type Target, writeAll, writesExit } from '../object-writes.ts';
import { manifestTargets } from '../write-targets.ts';
import type { DiffInput } from './command.ts';
import { type DiffResult, differencesOf } from './comparison.ts';
import { externalDiff, externalDiffOf } from './external-diff.ts';
import { diffJson, diffText } from './text.ts';

/** Says what the right to write is needed for. Others stay as they are. */
function explained(error: unknown): unknown {
  if (!(error instanceof DatastoreError && error.reason === 'unauthorized')) return error;
  const { reason, message, code } = error;
  const hint = '--dry-run=client needs only the right to read';
  return new DatastoreError(reason, message, { code, hint, cause: error });
}

/** The object that the target would become, compared with the stored one whatever its revision. */
async function compared(ctx: Context, client: ResourceClient, { kind, object, place }: Target): Promise<Done> {
  const { resourceVersion, ...metadata } = object.metadata;
  const withoutRevision = { ...object, metadata: metadata as ObjectMeta };
  const applied = await client.apply(kind, withoutRevision).catch((error: unknown) => {
    throw explained(error);
  });
  const stored = applied.previous?.metadata.resourceVersion;
  if (resourceVersion && stored !== undefined && stored !== resourceVersion) {
    const revisions = `the manifest has revision ${resourceVersion}, the datastore ${stored}`;
    await ctx.note(`${place}: ${kind.kind} ${metadata['name']}: ${revisions}; apply would refuse it`);
  }
  return { ...applied, outcome: applied.outcome === 'updated' ? 'configured' : applied.outcome };
}

export async function run(ctx: Context, input: DiffInput): Promise<DiffResult> {
  const targets = await manifestTargets(ctx, input);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { dryRun: input.dryRun, expected: targets });
  const written = await writeAll(ctx, targets, (target) => compared(ctx, client, target), { doing: 'comparing' });
  const program = input.output === 'text' ? externalDiffOf(ctx.world) : undefined;
  const differences = differencesOf(written);
  const external =
    program === undefined || differences.length === 0 ? undefined : await externalDiff(program, differences, ctx.world);
  return { written, external };
}

export const formats = { text: diffText, json: diffJson };

/** As diff and kubectl diff: 1 for differences, more for errors. */
export function exit({ written }: DiffResult): number {
  const failed = writesExit(written);
  if (failed !== exitCodes.ok) return failed === exitCodes.failed ? exitCodes.partial : failed;
  return differencesOf(written).length === 0 ? exitCodes.ok : 1;
}

/** One for each object that could not be compared, and one for those that were not tried. */
export function errors({ written }: DiffResult): readonly Error[] {
  const failed = written.flatMap((each) => placedError(each) ?? []);
  const rest = written.filter(({ done, error }) => done === undefined && error === undefined).length;
  if (rest === 0) return failed;
  return [...failed, new CalictlError(`${counted(rest, 'object')} not compared`, { code: 'NOT_COMPARED' })];
}
