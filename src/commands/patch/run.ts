// What calictl patch does: one object, read, patched and written.
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { patched } from '../../resources/change/patch.ts';
import { changeObject } from '../change-object.ts';
import type { Context } from '../command.ts';
import { kindOfWord } from '../get/reader.ts';
import { writeAll } from '../object-writes.ts';
import type { WritesShown } from '../object-writes-text.ts';
import { namedTargets } from '../write-targets.ts';
import type { PatchInput } from './command.ts';

export async function run(ctx: Context, input: PatchInput): Promise<WritesShown> {
  const { dryRun, type, patch } = input;
  const targets = namedTargets(kindOfWord(input.kind), [input.name], input.namespace);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { dryRun, note: (line) => ctx.note(line) });
  const written = await writeAll(
    ctx,
    targets,
    async ({ kind, object: { metadata } }) => ({
      outcome: 'patched',
      object: await changeObject(client, kind, metadata, (object) => patched(object, patch.value, type)),
    }),
    { doing: 'patching' },
  );
  return { written, dryRun };
}

export { errors, exit, formats } from '../written-result.ts';
