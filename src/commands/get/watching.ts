// Watching the objects of one kind, or one of them, for --watch.
import type { Datastore, WatchBatch } from '../../datastore/datastore.ts';
import { watchObjects } from '../../resource-client/object-watch.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import type { Kind } from '../../resources/kind.ts';
import { defaultNamespace, type KubeObject } from '../../resources/object.ts';
import { UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import type { GetInput } from './command.ts';
import type { WatchResult } from './query-result.ts';
import type { Targets } from './targets.ts';

/** The namespace to read; undefined for all, and for kinds that have none, for which the flags mean nothing. */
export function namespaceOf(
  kind: Kind,
  { namespace, allNamespaces }: Pick<GetInput, 'namespace' | 'allNamespaces'>,
): string | undefined {
  if (!kind.namespaced || allNamespaces) return undefined;
  return namespace ?? defaultNamespace;
}

/** Without the objects that there were when the watch began. */
async function* changesOnly(batches: AsyncIterable<WatchBatch>): AsyncIterable<WatchBatch> {
  for await (const batch of batches) yield batch.isInitial ? { ...batch, events: [] } : batch;
}

/** Errors: UsageError for more than one kind or name; not-found for an object that does not exist. */
export async function watching(
  ctx: Context,
  store: Datastore,
  input: GetInput,
  { targets }: Targets,
): Promise<Pick<WatchResult, 'found' | 'errors' | 'watched'>> {
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0) {
    throw new UsageError('--watch takes one kind, or one object', 'run one command for each of them', 'WATCH_SEVERAL');
  }
  const { kind, name } = target;
  const namespace = target.namespace ?? namespaceOf(kind, input);
  if (name !== undefined) await new ResourceClient(store, ctx.world).one(kind, { name, namespace });
  const { selector, fieldSelector } = input;
  const selects = (object: KubeObject): boolean =>
    (name === undefined || object.metadata.name === name) &&
    (selector === undefined || selector(object.metadata.labels ?? {})) &&
    (fieldSelector === undefined || fieldSelector(object));
  const batches = watchObjects(store, kind, ctx.world, { namespace, selects });
  const watched = {
    kind,
    batches: input.watchOnly ? changesOnly(batches) : batches,
    withEvents: input.outputWatchEvents,
  };
  return { found: [], errors: [], watched };
}
