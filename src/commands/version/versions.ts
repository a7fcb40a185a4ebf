// Reading the versions of this program and of the cluster, once or again and again.
import type { Datastore } from '../../datastore/datastore.ts';
import { clusterInformation } from '../../resources/kinds/cluster-information.ts';
import { isObject } from '../../text/plain-values.ts';
import { CalictlError } from '../../world/errors.ts';
import type { Context } from '../command.ts';

interface Cluster {
  readonly version: string;
  readonly type: string;
}

export interface Versions {
  readonly calictl: string;
  readonly calico: string;
  readonly commit: string;
  /** Absent when it was not asked for or not read; `undetected` when there is no datastore. */
  readonly cluster: Cluster | 'undetected' | undefined;
  readonly errors: readonly Error[];
  /** With --poll: reads the cluster again and again, and gives a line for each change. */
  readonly changes: AsyncIterable<string> | undefined;
}

export interface VersionsQuery {
  /** Only this program. */
  readonly client: boolean;
  /** Interval of the polling; 0 for a single reading. */
  readonly everyMs: number;
  /** An error of the datastore, in the words of the program. */
  readonly wording: (error: unknown) => string;
  /** An unusable connection is an error, not a cluster that was not detected. */
  readonly namesFailure?: boolean;
}

/** A line with the value in its column. */
export const label = (name: string, value: string): string => `${name.padEnd(19)}${value}\n`;

/** Errors: those of opening the datastore, except that there is none. */
export async function readVersions(
  ctx: Context,
  { client, everyMs, wording, namesFailure = false }: VersionsQuery,
): Promise<Versions> {
  const own = { ...ctx.version, cluster: undefined, errors: [], changes: undefined };
  if (client) return own;
  let store: Datastore;
  try {
    store = await ctx.datastore();
  } catch (error) {
    const code = error instanceof CalictlError ? error.code : undefined;
    if (code === 'NO_DATASTORE' || (code === 'CONNECTION_SETTINGS' && !namesFailure)) {
      return { ...own, cluster: 'undetected' };
    }
    if (code === 'CONNECTION_SETTINGS') return { ...own, errors: [error as CalictlError] };
    throw error;
  }
  if (everyMs > 0) return { ...own, changes: changesOf(ctx, store, everyMs, wording) };
  try {
    return { ...own, cluster: await clusterOf(store, ctx.world.signal) };
  } catch (error) {
    return { ...own, errors: [unreadable(error, wording)] };
  }
}

async function clusterOf(store: Datastore, signal: AbortSignal): Promise<Cluster> {
  const { spec } = await store.get(clusterInformation, { name: 'default' }, { signal });
  const given: unknown = spec;
  const { calicoVersion, clusterType } = isObject(given) ? given : {};
  return {
    version: textOr(calicoVersion, 'unknown'),
    type: textOr(clusterType, 'unknown'),
  };
}

const textOr = (value: unknown, other: string): string => (typeof value === 'string' && value !== '' ? value : other);

function unreadable(error: unknown, wording: VersionsQuery['wording']): CalictlError {
  return new CalictlError(`unable to retrieve Cluster Version or Type: ${wording(error)}`, {
    code: 'CLUSTER_VERSION',
    cause: error,
  });
}

async function* changesOf(
  { world }: Context,
  store: Datastore,
  everyMs: number,
  wording: VersionsQuery['wording'],
): AsyncIterable<string> {
  let shown: Partial<Cluster> = {};
  while (!world.signal.aborted) {
    try {
      const now = await clusterOf(store, world.signal);
      if (now.version !== shown.version) yield label('Cluster Version:', now.version);
      if (now.type !== shown.type) yield label('Cluster Type:', now.type);
      shown = now;
    } catch (error) {
      await world.io.stderr.write(`${unreadable(error, wording).message}\n`);
      shown = {};
    }
    await world.clock.sleep(everyMs, world.signal);
  }
}

/** The lines of this program, then those of the cluster. */
export async function* versionsText(program: string, { commit, cluster, changes }: Versions): AsyncIterable<string> {
  yield program + label('Git commit:', commit);
  if (cluster === 'undetected') yield 'Unable to detect installed Calico version\n';
  else if (cluster !== undefined)
    yield label('Cluster Version:', cluster.version) + label('Cluster Type:', cluster.type);
  if (changes !== undefined) yield* changes;
}
