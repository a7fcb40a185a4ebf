// calictl version: this program, the Calico release it follows, and the cluster.
import type { Datastore } from '../../datastore/datastore.ts';
import { DatastoreError } from '../../datastore/datastore.ts';
import { CalictlError, exitCodes, UsageError } from '../../world/errors.ts';
import { calicoctlText } from '../calicoctl-errors.ts';
import { type Context, defineCommand, type Input } from '../command.ts';

interface Cluster {
  readonly version: string;
  readonly type: string;
}

export interface Versions {
  readonly calictl: string;
  readonly calico: string;
  readonly commit: string;
  /** Absent when nobody asked; a text when it cannot be known. */
  readonly cluster: Cluster | 'undetected' | undefined;
  readonly errors: readonly Error[];
  /** With --poll: the cluster again and again, a line for what has changed. */
  readonly changes: AsyncIterable<string> | undefined;
}

const label = (name: string, value: string): string => `${name.padEnd(19)}${value}\n`;

async function clusterOf(store: Datastore, signal: AbortSignal): Promise<Cluster> {
  const { clusterInformation } = await import('../../resources/kinds/cluster-information.ts');
  const { spec } = await store.get(clusterInformation, { name: 'default' }, { signal });
  return {
    version: spec.calicoVersion || 'unknown',
    type: spec.clusterType || 'unknown',
  };
}

function unreadable(error: unknown, compat: boolean): CalictlError {
  const id =
    error instanceof DatastoreError && error.reason === 'not-found' ? 'ClusterInformation(default)' : undefined;
  const why = compat || !(error instanceof Error) ? calicoctlText(error, id) : error.message;
  return new CalictlError(`unable to retrieve Cluster Version or Type: ${why}`, {
    code: 'CLUSTER_VERSION',
    cause: error,
  });
}

async function* changesOf(ctx: Context, store: Datastore, everyMs: number): AsyncIterable<string> {
  const { world } = ctx;
  let shown: Partial<Cluster> = {};
  while (!world.signal.aborted) {
    try {
      const now = await clusterOf(store, world.signal);
      if (now.version !== shown.version) yield label('Cluster Version:', now.version);
      if (now.type !== shown.type) yield label('Cluster Type:', now.type);
      shown = now;
    } catch (error) {
      await world.io.stderr.write(`${unreadable(error, ctx.compat).message}\n`);
      shown = {};
    }
    await world.clock.sleep(everyMs, world.signal);
  }
}

async function pollInterval(input: Input, compat: boolean): Promise<number> {
  const text = input.text('poll');
  if (text === undefined) return 0;
  const { parseGoDuration } = await import('../../text/go-duration.ts');
  const ms = parseGoDuration(text);
  if (ms === undefined) {
    // calicoctl names the value that its parser left behind.
    const named = compat ? '0s' : text;
    throw new UsageError(`invalid poll duration specified: ${named}`, 'write it like 10s or 1m', 'INVALID_DURATION');
  }
  return ms;
}

async function run(ctx: Context, input: Input): Promise<Versions> {
  const everyMs = await pollInterval(input, ctx.compat);
  const own = {
    ...ctx.version,
    cluster: undefined,
    errors: [],
    changes: undefined,
  };
  if (input.on('client')) return own;
  let store: Datastore;
  try {
    store = await ctx.datastore();
  } catch (error) {
    const unreached = error instanceof CalictlError && ['CONNECTION_SETTINGS', 'NO_DATASTORE'].includes(error.code);
    if (!unreached) throw error;
    return { ...own, cluster: 'undetected' };
  }
  if (everyMs > 0) return { ...own, changes: changesOf(ctx, store, everyMs) };
  try {
    return { ...own, cluster: await clusterOf(store, ctx.world.signal) };
  } catch (error) {
    return { ...own, errors: [unreadable(error, ctx.compat)] };
  }
}

function ownLines({ calictl, calico, commit }: Versions, compat: boolean): string {
  const program = compat
    ? label('Client Version:', calico)
    : label('Client Version:', calictl) + label('Calico Version:', calico);
  return program + label('Git commit:', commit);
}

async function* text(versions: Versions, compat: boolean): AsyncIterable<string> {
  yield ownLines(versions, compat);
  const { cluster, changes } = versions;
  if (cluster === 'undetected') yield 'Unable to detect installed Calico version\n';
  else if (cluster !== undefined)
    yield label('Cluster Version:', cluster.version) + label('Cluster Type:', cluster.type);
  if (changes !== undefined) yield* changes;
}

function plainData({ calictl, calico, commit, cluster }: Versions): unknown {
  return {
    client: { version: calictl, calico, commit },
    ...(typeof cluster === 'object' ? { cluster } : {}),
  };
}

export const version = defineCommand<Versions>({
  path: ['version'],
  summary: 'Show the versions of this program and of the cluster',
  examples: [
    { command: 'calictl version', about: 'this program and the cluster' },
    { command: 'calictl version --client', about: 'without a cluster' },
    {
      command: 'calictl version --poll 10s',
      about: 'until interrupted, a line when the cluster changes',
    },
  ],
  args: [],
  flags: [
    {
      name: 'client',
      about: 'only this program, no cluster access',
      calicoctl: true,
    },
    {
      name: 'poll',
      value: 'POLL',
      about: 'look again after this time (10s, 1m)',
      calicoctl: true,
    },
    {
      name: 'output',
      short: 'o',
      value: 'FORMAT',
      about: 'output format',
      choices: ['text', 'json'],
      default: 'text',
    },
  ],
  calicoctl: true,
  guarded: false,
  run,
  format: (input, compat) => (compat ? 'calicoctl' : (input.text('output') ?? 'text')),
  formats: {
    text: (versions) => text(versions, false),
    calicoctl: (versions) => text(versions, true),
    json: async (versions) => (await import('../../output/json-document.ts')).jsonDocument(plainData(versions)),
  },
  exit: ({ errors }) => (errors.length > 0 ? exitCodes.failed : exitCodes.ok),
  errors: ({ errors }) => errors,
});
