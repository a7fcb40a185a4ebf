// What calictl delete does: finds what to delete, asks on a terminal, and deletes it.
import { DatastoreError } from '../../datastore/datastore.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { counted } from '../../text/wording.ts';
import { UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { requireConsent } from '../consent.ts';
import { kindOfWord } from '../get/reader.ts';
import { type Done, type Target, writeAll } from '../object-writes.ts';
import { deletedJson, type WritesShown, writesText } from '../object-writes-text.ts';
import { manifestTargets, namedTargets } from '../write-targets.ts';
import { formats as all, noteLeft } from '../written-result.ts';
import type { DeleteInput } from './command.ts';

async function targetsOf(ctx: Context, input: DeleteInput): Promise<Target[]> {
  if (input.kind === undefined) return manifestTargets(ctx, input);
  if (input.names.length === 0) {
    throw new UsageError(
      'no names given',
      'specify the names of the objects; calictl get lists those of a kind',
      'NO_NAMES',
    );
  }
  return namedTargets(kindOfWord(input.kind), input.names, input.namespace);
}

export async function run(ctx: Context, input: DeleteInput): Promise<WritesShown> {
  const targets = await targetsOf(ctx, input);
  const { dryRun, force, skipNotExists } = input;
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { dryRun, expected: targets });
  if (dryRun === undefined) {
    const planned = targets.map((target) => ({ target, done: { outcome: 'deleted' as const } }));
    await requireConsent(ctx, input, {
      plan: writesText({ written: planned })
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(' deleted', '')),
      question: `Delete ${counted(targets.length, 'object')}?`,
      otherwise: 'nothing was deleted',
    });
  }
  const write = async ({ kind, object }: Target): Promise<Done> => {
    const { name, namespace, resourceVersion } = object.metadata;
    try {
      const { left } = await client.delete(kind, { name, namespace }, { resourceVersion, force });
      return { outcome: 'deleted', left };
    } catch (error) {
      const isGone = error instanceof DatastoreError && error.reason === 'not-found' && !error.missingKind;
      if (!(isGone && skipNotExists)) throw error;
      return { outcome: 'skipped' };
    }
  };
  const written = await writeAll(ctx, targets, write, { doing: 'deleting', dependentsFirst: true });
  return noteLeft(ctx, { written, dryRun });
}

export const formats = { text: all.text, name: all.name, json: deletedJson };

export { errors, exit } from '../written-result.ts';
