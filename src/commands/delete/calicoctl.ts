// `delete` as calicoctl has it: its order of steps and its words.
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { isMissing } from '../calicoctl-errors.ts';
import {
  calicoctlManifests,
  calicoctlNamed,
  deleteReport,
  handleAll,
  nothingSpecified,
  placedTargets,
  type Report,
  refuseEmptyName,
} from '../calicoctl-writes.ts';
import type { Context } from '../command.ts';
import { kindOfWord } from '../get/reader.ts';
import type { Target } from '../object-writes.ts';
import type { CalicoctlDeleteInput } from './command.ts';

async function targetsOf(ctx: Context, { kind, names, filename, ...input }: CalicoctlDeleteInput): Promise<Target[]> {
  if (kind === undefined) return calicoctlManifests(ctx, { ...input, filename: filename ?? '' });
  return calicoctlNamed(
    kindOfWord(kind, ({ codec }) => codec !== undefined),
    names,
  );
}

export async function run(ctx: Context, input: CalicoctlDeleteInput): Promise<Report> {
  const targets = await targetsOf(ctx, input);
  if (targets.length === 0) return nothingSpecified;
  const client = new ResourceClient(await ctx.datastore(), ctx.world, {
    asCalicoctl: true,
    expected: placedTargets(targets, input.namespace),
  });
  refuseEmptyName(input.names);
  const handled = await handleAll(ctx, targets, {
    namespace: input.namespace,
    forgives: (error) => input.skipNotExists && isMissing(error),
    write: async ({ kind, object }) => {
      const { name, namespace, resourceVersion } = object.metadata;
      await client.delete(kind, { name, namespace }, { resourceVersion });
      return { outcome: 'deleted' };
    },
  });
  return deleteReport(targets, handled);
}

export { errors, exit, text } from '../calicoctl-writes.ts';
