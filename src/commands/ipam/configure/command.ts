// calictl ipam configure: change strict affinity, automatic blocks and the block limit, and nothing else of the object.
import type { Datastore } from '../../../datastore/datastore.ts';
import type { IpamSettings } from '../../../ipam/config.ts';
import { CalictlError, exitCodes, RefusedError, UsageError } from '../../../world/errors.ts';
import { calicoctlText } from '../../calicoctl-errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import type { IpamConfigured } from './text.ts';

interface AsCalicoctl {
  readonly asked: Partial<IpamSettings>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const truthHint = 'write true or false';

async function askedFor(input: Input): Promise<Partial<IpamSettings>> {
  const [{ parseGoBool, parseGoInt }, { mostBlocksPerHost }] = await Promise.all([
    import('../../../text/go-scalars.ts'),
    import('../../../ipam/config.ts'),
  ]);
  const asked: Partial<Writable<IpamSettings>> = {};
  for (const [flag, name] of [
    ['strictaffinity', 'strictAffinity'],
    ['auto-allocate-blocks', 'autoAllocateBlocks'],
  ] as const) {
    const text = input.text(flag);
    if (text === undefined) continue;
    const value = parseGoBool(text);
    if (value === undefined) throw new UsageError(`--${flag} does not take '${text}'`, truthHint);
    asked[name] = value;
  }
  const limit = input.text('max-blocks-per-host');
  if (limit !== undefined) {
    const value = parseGoInt(limit);
    if (typeof value === 'string' || value < 0n || value > mostBlocksPerHost) {
      const hint = `write a number from 0 (the default) to ${mostBlocksPerHost}`;
      throw new UsageError(`--max-blocks-per-host does not take '${limit}'`, hint);
    }
    asked.maxBlocksPerHost = Number(value);
  }
  if (Object.keys(asked).length > 0) return asked;
  throw new UsageError(
    'nothing to configure',
    'give --strictaffinity, --max-blocks-per-host or --auto-allocate-blocks; ipam configure show tells what is set',
  );
}

interface ChangeManner {
  /** calicoctl makes an object with the defaults first, whatever becomes of the change. */
  readonly defaultsFirst: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Called before a write. Errors: when the change must not be made. */
  approve(before: IpamSettings, after: IpamSettings): Promise<void>;
}

/**
 * Reads the configuration, applies what was asked for and writes it by compare-and-swap; begins again when somebody
 * else wrote it meanwhile. Errors: those of `approve` and of the store.
 */
async function change(
  store: Datastore,
  asked: Partial<IpamSettings>,
  { defaultsFirst, dryRun, signal, approve }: ChangeManner,
): Promise<IpamConfigured> {
  const [{ DatastoreError, getIfAny }, { ipamConfig }, config, { maxRetries, retriesExhausted }] = await Promise.all([
    import('../../../datastore/datastore.ts'),
    import('../../../resources/kinds/ipam-config.ts'),
    import('../../../ipam/config.ts'),
    import('../../../ipam/retries.ts'),
  ]);
  const raced = ['already-exists', 'conflict', 'not-found'];
  for (let attempt = 0; attempt < maxRetries; attempt += 1) {
    try {
      let stored = await getIfAny(store, ipamConfig, { name: 'default' }, { signal });
      if (stored === undefined && defaultsFirst) {
        stored = await store.create(ipamConfig, config.defaultConfig(), { signal });
      }
      const before = config.settingsOf(stored);
      const after = { ...before, ...asked };
      const changes = config.changedSettings(before, after).length > 0;
      const done = { dryRun, created: changes && stored === undefined, before, after };
      if (!changes) return done;
      await approve(before, after);
      if (dryRun) return done;
      const written = config.withSettings(stored ?? config.defaultConfig(), after);
      if (stored === undefined) await store.create(ipamConfig, written, { signal });
      else await store.update(ipamConfig, written, { signal });
      return done;
    } catch (error) {
      const again = error instanceof DatastoreError && raced.includes(error.reason) && !error.missingKind;
      if (!again) throw error;
    }
  }
  throw retriesExhausted();
}

/** Borrowed addresses stay where they are under strict affinity, on nodes that could not have them any more. */
async function refuseBorrowed(store: Datastore, signal: AbortSignal): Promise<void> {
  const [{ listAll }, { refuseMalformedBlocks }, { ipamBlock }, { borrowedList }] = await Promise.all([
    import('../../../datastore/datastore.ts'),
    import('../../../datastore/malformed.ts'),
    import('../../../resources/kinds/ipam-block.ts'),
    import('../../../ipam/show/views.ts'),
  ]);
  const blocks = await listAll(store, ipamBlock, { signal });
  refuseMalformedBlocks(blocks);
  const count = borrowedList(blocks).items.length;
  if (count === 0) return;
  throw new RefusedError(
    `${count} ${count === 1 ? 'address is' : 'addresses are'} borrowed, which strict affinity does not allow`,
    'ADDRESSES_BORROWED',
    'calictl ipam show --show-borrowed lists them; restart their pods, or switch it on all the same with --force',
  );
}

async function run(ctx: Context, input: Input): Promise<IpamConfigured | AsCalicoctl> {
  if (ctx.compat) return runAsCalicoctl(ctx, input);
  const asked = await askedFor(input);
  const store = await ctx.datastore();
  const { settingsProblem } = await import('../../../ipam/config.ts');
  const { signal } = ctx.world;
  return change(store, asked, {
    defaultsFirst: false,
    dryRun: input.on('dry-run'),
    signal,
    async approve(before, after) {
      const problem = settingsProblem(after);
      if (problem !== undefined) {
        const hint = after.autoAllocateBlocks
          ? 'add --strictaffinity true, or --max-blocks-per-host 0'
          : 'add --strictaffinity true, or --auto-allocate-blocks true';
        throw new UsageError(problem, hint, 'IPAM_CONFIG_INVALID');
      }
      const tightens = after.strictAffinity && !before.strictAffinity;
      if (tightens && !input.on('force')) await refuseBorrowed(store, signal);
    },
  });
}

const plain = (message: string): CalictlError => new CalictlError(message, { code: 'CONFIGURE_FAILED' });

async function runAsCalicoctl(ctx: Context, input: Input): Promise<AsCalicoctl> {
  const store = await ctx.datastore();
  const [{ parseGoBool, parseGoInt }, { mostBlocksPerHost, settingsProblem }] = await Promise.all([
    import('../../../text/go-scalars.ts'),
    import('../../../ipam/config.ts'),
  ]);
  const strictAffinity = parseGoBool(input.text('strictaffinity') ?? '');
  if (strictAffinity === undefined) throw plain('invalid value. Use true or false to set strictaffinity');
  const text = input.text('max-blocks-per-host') || undefined;
  const limit = text === undefined ? undefined : parseGoInt(text);
  if (typeof limit === 'string') throw plain('invalid value for maxblockhost. Use a valid number');
  const asked = { strictAffinity, ...(limit === undefined ? {} : { maxBlocksPerHost: Number(limit) }) };
  const approve = async (_: IpamSettings, { maxBlocksPerHost: value, ...others }: IpamSettings): Promise<void> => {
    const problem = settingsProblem({ maxBlocksPerHost: value, ...others });
    if (problem !== undefined) throw plain(problem);
    if (value >= 0 && value <= mostBlocksPerHost) return;
    // Every store refuses it, in the API server's words.
    const bound = value < 0 ? 'greater than or equal to 0' : `less than or equal to ${mostBlocksPerHost}`;
    const field = 'spec.maxBlocksPerHost';
    throw plain(
      `IPAMConfig.crd.projectcalico.org "default" is invalid: ${field}: Invalid value: ${value}: ${field} in body should be ${bound}`,
    );
  };
  const { signal } = ctx.world;
  await change(store, asked, { defaultsFirst: true, dryRun: false, signal, approve }).catch((error: unknown) => {
    throw error instanceof CalictlError ? plain(`error: ${calicoctlText(error)}`) : error;
  });
  return { asked };
}

const own = (result: IpamConfigured | AsCalicoctl): IpamConfigured => {
  if ('asked' in result) throw new Error('only the compat command has this format');
  return result;
};

export const ipamConfigure = defineCommand<IpamConfigured | AsCalicoctl>({
  path: ['ipam', 'configure'],
  summary: 'Change strict affinity, automatic blocks and the block limit',
  description:
    'Only what is given changes. A configuration that cannot work is refused, and so is strict affinity while nodes ' +
    'hold addresses of blocks that are not theirs (exit 4). Without an IPAMConfig object one is made, with the ' +
    'defaults for the rest.',
  examples: [
    { command: 'calictl ipam configure --strictaffinity true --dry-run', about: 'what would change' },
    {
      command: 'calictl ipam configure --strictaffinity true --max-blocks-per-host 4',
      about: 'at most four own blocks',
    },
    { command: 'calictl ipam configure --auto-allocate-blocks true -o json', about: 'for a script' },
  ],
  args: [],
  flags: [
    {
      name: 'strictaffinity',
      value: 'true/false',
      calicoctl: 'required',
      about: 'true: a node takes addresses of its own blocks only, and none is borrowed',
    },
    {
      name: 'max-blocks-per-host',
      value: 'number',
      calicoctl: true,
      about: 'how many blocks of a family a node may own; 0 for the default',
    },
    {
      name: 'auto-allocate-blocks',
      value: 'true/false',
      about: 'true: a node claims a new block when its own are full',
    },
    { name: 'dry-run', about: 'show what would change, write nothing' },
    { name: 'force', about: 'switch strict affinity on although addresses are borrowed' },
    outputFlag('text', 'json'),
  ],
  calicoctl: true,
  guarded: true,
  run,
  format: (input, compat) => (compat ? 'calicoctl' : (input.text('output') ?? 'text')),
  formats: {
    text: async (result) => (await import('./text.ts')).ipamConfiguredText(own(result)),
    json: async (result) => (await import('./text.ts')).ipamConfiguredJson(own(result)),
    calicoctl: async (result) => {
      const { calicoctlConfiguredText } = await import('./text.ts');
      return 'asked' in result ? calicoctlConfiguredText(result.asked) : '';
    },
  },
  exit: () => exitCodes.ok,
});
