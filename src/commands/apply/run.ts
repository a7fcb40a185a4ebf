// What calictl apply does: reads manifests, and writes their objects.
import { ResourceClient } from '../../resource-client/resource-client.ts';
import type { Context } from '../command.ts';
import { type Done, type Target, writeAll } from '../object-writes.ts';
import type { WritesShown } from '../object-writes-text.ts';
import { manifestTargets } from '../write-targets.ts';
import { noteLeft } from '../written-result.ts';
import type { ApplyInput } from './command.ts';

export async function run(ctx: Context, input: ApplyInput): Promise<WritesShown> {
  const targets = await manifestTargets(ctx, input);
  const { dryRun } = input;
  const note = (line: string): Promise<void> => ctx.note(line);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { dryRun, expected: targets, note });
  const write = async (target: Target): Promise<Done> => {
    const { outcome, object } = await client.apply(target.kind, target.object);
    return { outcome: outcome === 'updated' ? 'configured' : outcome, object };
  };
  return noteLeft(ctx, { written: await writeAll(ctx, targets, write, { doing: 'applying' }), dryRun });
}

export { errors, exit, formats } from '../written-result.ts';
