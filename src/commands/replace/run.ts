// What calictl replace does: reads manifests, and writes their objects.
import { ResourceClient } from '../../resource-client/resource-client.ts';
import type { Context } from '../command.ts';
import { type Done, type Target, writeAll } from '../object-writes.ts';
import type { WritesShown } from '../object-writes-text.ts';
import { manifestTargets } from '../write-targets.ts';
import { noteLeft } from '../written-result.ts';
import type { ReplaceInput } from './command.ts';

export async function run(ctx: Context, input: ReplaceInput): Promise<WritesShown> {
  const targets = await manifestTargets(ctx, input);
  const { dryRun } = input;
  const note = (line: string): Promise<void> => ctx.note(line);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { dryRun, expected: targets, note });
  const write = async (target: Target): Promise<Done> => {
    return { outcome: 'replaced', object: await client.update(target.kind, target.object) };
  };
  const order = { doing: 'replacing', missingHint: 'Use create or apply for a new object.' };
  return noteLeft(ctx, { written: await writeAll(ctx, targets, write, order), dryRun });
}

export { errors, exit, formats } from '../written-result.ts';
