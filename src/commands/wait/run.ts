// What calictl wait does: reads the objects once, then watches those that are not as required yet, until the time is up.
import pMap from 'p-map';
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { watchObjects } from '../../resource-client/object-watch.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import type { Kind } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { shortDuration } from '../../text/go-duration.ts';
import { groupBy } from '../../text/group-by.ts';
import { CalictlError, exitCodes, UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { targetsOf } from '../get/targets.ts';
import { namespaceOf } from '../get/watching.ts';
import { manifestTargets } from '../write-targets.ts';
import { type Awaited, nameOf, Observed, observe } from './awaited.ts';
import type { WaitInput } from './command.ts';
import { waitJson, waitText } from './text.ts';

const readsAtOnce = 24;

export interface WaitResult {
  readonly awaited: readonly Awaited[];
  /** The condition, as --for has it, and how long the command waited. */
  readonly what: string;
  readonly timeoutMs: number;
}

/** What the command line names: objects, or kinds of which it takes those that it selects. */
interface Named {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name?: string;
}

/** Errors: UsageError for words that do not say which objects. */
async function namedBy(ctx: Context, input: WaitInput): Promise<readonly Named[]> {
  if (input.kind === undefined) {
    const targets = await manifestTargets(ctx, input);
    return targets.map(({ kind, object: { metadata } }) => ({
      kind,
      name: metadata.name,
      namespace: metadata.namespace,
    }));
  }
  const { targets, isAll } = targetsOf(input.kind, input.names);
  if (isAll) throw new UsageError("'all' names no kind to wait for", 'name the kinds: ippools,bgppeers');
  const selects = input.all || input.selector !== undefined || input.fieldSelector !== undefined;
  const isNamed = targets.some(({ name }) => name !== undefined);
  if (isNamed && (selects || input.allNamespaces)) {
    const selecting = '--all, --all-namespaces, --selector or --field-selector';
    throw new UsageError(`NAME cannot be used together with ${selecting}`, 'leave one of them out');
  }
  if (!isNamed && !selects)
    throw new UsageError('no names given', 'specify their names, --all or a selector', 'NO_NAMES');
  return targets.map(({ kind, name }) => ({
    kind,
    namespace: namespaceOf(kind, input),
    ...(name === undefined ? {} : { name }),
  }));
}

async function oneIfAny(client: ResourceClient, { kind, ref }: Awaited): Promise<KubeObject | undefined> {
  try {
    return await client.one(kind, ref);
  } catch (error) {
    if (error instanceof DatastoreError && error.reason === 'not-found' && !error.missingKind) return undefined;
    throw error;
  }
}

/** The objects to wait for, each seen once. Errors: those of reading; CalictlError when nothing is selected. */
async function seenOnce(
  client: ResourceClient,
  named: readonly Named[],
  input: WaitInput,
): Promise<readonly Awaited[]> {
  const { selector, fieldSelector, for: condition } = input;
  const seen = async ({ kind, namespace, name }: Named): Promise<readonly Awaited[]> => {
    if (name !== undefined) {
      const awaited: Awaited = { kind, ref: { name, namespace }, state: 'pending' };
      observe(awaited, await oneIfAny(client, awaited), condition);
      return [awaited];
    }
    const all: Awaited[] = [];
    for await (const { items } of client.pages(kind, namespace, selector)) {
      for (const object of items.filter((item) => fieldSelector === undefined || fieldSelector(item))) {
        const { name: found, namespace: of } = object.metadata;
        const awaited: Awaited = { kind, ref: { name: found, namespace: of }, state: 'pending' };
        observe(awaited, object, condition);
        all.push(awaited);
      }
    }
    return all;
  };
  const all = (await pMap(named, seen, { concurrency: readsAtOnce })).flat();
  if (all.length > 0 || condition.type === 'delete') return all;
  throw new CalictlError('no such objects', { code: 'NOT_FOUND', hint: 'calictl get lists the objects of a kind' });
}

/** Watches the objects of one kind and namespace until none is pending, or the signal ends it. */
async function watched(
  ctx: Context,
  store: Datastore,
  pending: readonly [Awaited, ...Awaited[]],
  { for: condition }: WaitInput,
  signal: AbortSignal,
  changed: () => void,
): Promise<void> {
  const [{ kind }] = pending;
  const namespaces = new Set(pending.map(({ ref }) => ref.namespace));
  const [only] = namespaces;
  const observed = new Observed(pending, condition);
  const options = {
    namespace: namespaces.size === 1 ? only : undefined,
    selects: (object: KubeObject) => observed.selects(object),
  };
  for await (const batch of watchObjects(store, kind, { ...ctx.world, signal }, options)) {
    observed.take(batch);
    changed();
    if (!observed.isPending) return;
  }
}

/** Watches until no object is pending or the time is up. Errors: those of the datastore; an interruption. */
async function waitFor(
  ctx: Context,
  store: Datastore,
  awaited: readonly Awaited[],
  input: WaitInput,
  timeLeftMs: number,
): Promise<void> {
  const timeUp = new AbortController();
  const done = new AbortController();
  const { clock, signal: interrupted } = ctx.world;
  const stop = AbortSignal.any([timeUp.signal, done.signal, interrupted]);
  const timer = clock.sleep(timeLeftMs, AbortSignal.any([done.signal, interrupted])).then(
    () => timeUp.abort(),
    () => undefined,
  );
  const changed = (): void => {
    const finished = awaited.filter(({ state }) => state !== 'pending').length;
    ctx.progress(`waiting for ${input.for.text}`, { done: finished, total: awaited.length, unit: 'objects' });
  };
  changed();
  const pending = awaited.filter(({ state }) => state === 'pending');
  const byKind = groupBy(pending, ({ kind, ref }) => `${kind.kind}/${input.allNamespaces ? '' : ref.namespace}`);
  try {
    await Promise.all(
      [...byKind.values()].map((group) => watched(ctx, store, group as [Awaited, ...Awaited[]], input, stop, changed)),
    );
  } catch (error) {
    if (!timeUp.signal.aborted || interrupted.aborted) throw error;
  } finally {
    done.abort();
    await timer;
  }
}

export async function run(ctx: Context, input: WaitInput): Promise<WaitResult> {
  const started = ctx.world.clock.now().getTime();
  const named = await namedBy(ctx, input);
  const store = await ctx.datastore();
  const awaited = await seenOnce(new ResourceClient(store, ctx.world), named, input);
  const timeLeftMs = started + input.timeout - ctx.world.clock.now().getTime();
  if (timeLeftMs > 0 && awaited.some(({ state }) => state === 'pending')) {
    await waitFor(ctx, store, awaited, input, timeLeftMs);
  }
  return { awaited, what: input.for.text, timeoutMs: input.timeout };
}

export const formats = { text: waitText, json: waitJson };

export function exit({ awaited }: WaitResult): number {
  const met = awaited.filter(({ state }) => state === 'met').length;
  if (met === awaited.length) return exitCodes.ok;
  return met === 0 ? exitCodes.failed : exitCodes.partial;
}

/** One for each object that does not exist, and one that names all that are not as required yet. */
export function errors({ awaited, what, timeoutMs }: WaitResult): readonly Error[] {
  const failed = awaited.flatMap(({ error }) => error ?? []);
  const pending = awaited.filter(({ state }) => state === 'pending').map(nameOf);
  if (pending.length === 0) return failed;
  const when = timeoutMs === 0 ? '' : ` after ${shortDuration(timeoutMs)}`;
  return [
    ...failed,
    new CalictlError(`timed out${when} waiting for ${what} of ${pending.join(', ')}`, { code: 'WAIT_TIMEOUT' }),
  ];
}
