// `create` as calicoctl has it: its order of steps and its words.
import { DatastoreError } from '../../datastore/datastore.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import {
  calicoctlManifests,
  createReport,
  handleAll,
  initialised,
  nothingSpecified,
  type Report,
} from '../calicoctl-writes.ts';
import type { Context } from '../command.ts';
import type { CalicoctlCreateInput } from './command.ts';

export async function run(ctx: Context, input: CalicoctlCreateInput): Promise<Report> {
  const targets = await calicoctlManifests(ctx, input);
  if (targets.length === 0) return nothingSpecified;
  const client = new ResourceClient(await initialised(ctx), ctx.world, { asCalicoctl: true });
  const handled = await handleAll(ctx, targets, {
    namespace: input.namespace,
    forgives: (error) => input.skipExists && error instanceof DatastoreError && error.reason === 'already-exists',
    write: async ({ kind, object }) => ({ outcome: 'created', object: await client.create(kind, object) }),
  });
  return createReport({ verb: 'create', past: 'created', hit: 'hit error' }, targets, handled);
}

export { errors, exit, text } from '../calicoctl-writes.ts';
