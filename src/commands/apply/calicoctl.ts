// `apply` as calicoctl has it: its order of steps and its words.
import { ResourceClient } from '../../resource-client/resource-client.ts';
import {
  calicoctlManifests,
  createReport,
  handleAll,
  initialised,
  nothingSpecified,
  placedTargets,
  type Report,
} from '../calicoctl-writes.ts';
import type { Context } from '../command.ts';
import type { CalicoctlApplyInput } from './command.ts';

export async function run(ctx: Context, input: CalicoctlApplyInput): Promise<Report> {
  const targets = await calicoctlManifests(ctx, input);
  if (targets.length === 0) return nothingSpecified;
  const client = new ResourceClient(await initialised(ctx), ctx.world, {
    asCalicoctl: true,
    expected: placedTargets(targets, input.namespace),
  });
  const handled = await handleAll(ctx, targets, {
    namespace: input.namespace,
    write: async ({ kind, object }) => ({ outcome: 'configured', object: (await client.apply(kind, object)).object }),
  });
  return createReport({ verb: 'apply', past: 'applied', hit: 'hit error(s)' }, targets, handled);
}

export { errors, exit, text } from '../calicoctl-writes.ts';
