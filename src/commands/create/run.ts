// What calictl create does: reads manifests, and writes their objects.
import { DatastoreError } from '../../datastore/datastore.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import type { Context } from '../command.ts';
import { type Done, type Target, writeAll } from '../object-writes.ts';
import type { WritesShown } from '../object-writes-text.ts';
import { manifestTargets } from '../write-targets.ts';
import { noteLeft } from '../written-result.ts';
import type { CreateInput } from './command.ts';

export async function run(ctx: Context, input: CreateInput): Promise<WritesShown> {
  const targets = await manifestTargets(ctx, input);
  const { dryRun } = input;
  const note = (line: string): Promise<void> => ctx.note(line);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { dryRun, expected: targets, note });
  const write = async (target: Target): Promise<Done> => {
    try {
      return { outcome: 'created', object: await client.create(target.kind, target.object) };
    } catch (error) {
      const exists = error instanceof DatastoreError && error.reason === 'already-exists';
      if (!(exists && input.skipExists)) throw error;
      return { outcome: 'skipped' };
    }
  };
  return noteLeft(ctx, { written: await writeAll(ctx, targets, write, { doing: 'creating' }), dryRun });
}

export { errors, exit, formats } from '../written-result.ts';
