// What calictl label does: one object, read, labelled and written.
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { type LabelChange, labelled, overwritten } from '../../resources/change/labels.ts';
import type { KubeObject } from '../../resources/object.ts';
import { CalictlError, RefusedError, UsageError } from '../../world/errors.ts';
import { changeObject } from '../change-object.ts';
import type { Context } from '../command.ts';
import { kindOfWord } from '../get/reader.ts';
import { writeAll } from '../object-writes.ts';
import type { WritesShown } from '../object-writes-text.ts';
import { namedTargets } from '../write-targets.ts';
import type { LabelInput } from './command.ts';

/** Errors: UsageError for words that do not say what to do, or that contradict each other. */
function changeOf({ labels, remove }: LabelInput): LabelChange {
  const set: Record<string, string> = {};
  const removed: string[] = [];
  for (const { key, value, bare } of labels) {
    if (key in set || removed.includes(key))
      throw new UsageError(`label ${key} is given twice`, 'leave one of them out');
    if (value !== undefined && remove) {
      throw new UsageError(`--remove takes keys only, not ${key}=${value}`, `write ${key}`);
    }
    if (value === undefined && bare && !remove) {
      throw new UsageError(`label ${key} has no value`, `write ${key}=VALUE to set it, ${key}- to remove it`);
    }
    if (value === undefined) removed.push(key);
    else set[key] = value;
  }
  return { set, remove: removed };
}

/** Errors: RefusedError for labels with another value, CalictlError for labels that are not there. */
function checked(object: KubeObject, change: LabelChange, overwrite: boolean): KubeObject {
  const [other] = overwrite ? [] : overwritten(object, change);
  if (other !== undefined) {
    const value = object.metadata.labels?.[other];
    throw new RefusedError(
      `label ${other} already has the value "${value}"`,
      'LABEL_EXISTS',
      'Add --overwrite to change it.',
    );
  }
  const missing = change.remove.find((key) => object.metadata.labels?.[key] === undefined);
  if (missing !== undefined) throw new CalictlError(`label ${missing} does not exist`, { code: 'LABEL_MISSING' });
  return labelled(object, change);
}

export async function run(ctx: Context, input: LabelInput): Promise<WritesShown> {
  const { dryRun, overwrite } = input;
  const change = changeOf(input);
  const targets = namedTargets(kindOfWord(input.kind), [input.name], input.namespace);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { dryRun, note: (line) => ctx.note(line) });
  const written = await writeAll(
    ctx,
    targets,
    async ({ kind, object: { metadata } }) => ({
      outcome: 'labeled',
      object: await changeObject(client, kind, metadata, (object) => checked(object, change, overwrite)),
    }),
    { doing: 'labeling' },
  );
  return { written, dryRun };
}

export { errors, exit, formats } from '../written-result.ts';
