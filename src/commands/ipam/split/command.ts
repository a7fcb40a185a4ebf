// calictl ipam split: replace a pool by smaller ones of the same range, without touching blocks and addresses.
import type { Datastore } from '../../../datastore/datastore.ts';
import type { SplitPlan, SplitRequest } from '../../../ipam/pool/pool-split.ts';
import { CalictlError, exitCodes, RefusedError, UsageError } from '../../../world/errors.ts';
import { calicoctlText, identity } from '../../calicoctl-errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { requireConsent } from '../../consent.ts';
import { outputFlag, yesFlag } from '../../shared-flags.ts';
import type { IpamSplit } from './text.ts';

const shown = (plan: SplitPlan, outcome: IpamSplit['outcome']): IpamSplit => ({
  name: plan.pool.metadata.name,
  cidr: plan.pool.spec.cidr,
  outcome,
  disable: plan.disable,
  parts: plan.parts,
});

async function requestOf(input: Input): Promise<SplitRequest> {
  const [text = ''] = input.args;
  const number = /^[0-9]+$/.test(text) ? Number(text) : 0;
  const { isSplitNumber } = await import('../../../ipam/pool/pool-split.ts');
  if (!isSplitNumber(number)) {
    throw new UsageError(`a pool cannot be split into '${text}'`, 'write a power of two: 2, 4, 8 and so on');
  }
  const name = input.text('name');
  const cidr = input.text('cidr');
  if (name !== undefined && cidr !== undefined) {
    throw new UsageError('--name and --cidr cannot be used together', 'name the pool by one of them');
  }
  if (!name && !cidr) throw new UsageError('no pool to split', 'name it with --name or --cidr');
  return { name, cidr, number, asCalicoctl: false };
}

/** Errors: those of the store, when there is no ClusterInformation too. */
async function isLocked(store: Datastore, signal: AbortSignal): Promise<boolean> {
  const { clusterInformation } = await import('../../../resources/kinds/cluster-information.ts');
  return (await store.get(clusterInformation, { name: 'default' }, { signal })).spec.datastoreReady === false;
}

const patch = `kubectl patch clusterinformations.crd.projectcalico.org default --type merge -p '{"spec":{"datastoreReady":false}}'`;

async function requireLock(store: Datastore, signal: AbortSignal): Promise<void> {
  const { DatastoreError } = await import('../../../datastore/datastore.ts');
  const locked = await isLocked(store, signal).catch((error: unknown) => {
    if (error instanceof DatastoreError && error.reason === 'not-found') return false;
    throw error;
  });
  if (locked) return;
  throw new RefusedError(
    'the datastore is not locked, so addresses may be assigned from the pool while it is split',
    'DATASTORE_UNLOCKED',
    `lock it with calicoctl datastore migrate lock, or ${patch}; --dry-run needs no lock`,
  );
}

async function run(ctx: Context, input: Input): Promise<IpamSplit> {
  if (ctx.compat) return runAsCalicoctl(ctx, input);
  const request = await requestOf(input);
  const store = await ctx.datastore();
  const [{ planSplit }, { applySplit, readForSplit }] = await Promise.all([
    import('../../../ipam/pool/pool-split.ts'),
    import('../../../ipam-live/split.ts'),
  ]);
  const { signal } = ctx.world;
  const plan = planSplit(await readForSplit(store, { signal }), request);
  if ('problem' in plan) throw (await import('./problems.ts')).splitError(plan, request);
  if ('finished' in plan) {
    const parts = plan.finished.map((pool) => ({ pool, exists: true, blocks: 0 }));
    return { name: plan.name, cidr: undefined, outcome: 'already-split', disable: false, parts };
  }
  const planned = shown(plan, 'planned');
  if (input.on('dry-run')) return planned;
  await requireLock(store, signal);
  const { ipamSplitText } = await import('./text.ts');
  await requireConsent(ctx, input, {
    plan: ipamSplitText(planned).trimEnd().split('\n'),
    question: `Split ${planned.name} into ${request.number} pools?`,
    otherwise: 'nothing was written',
  });
  const { gone } = await applySplit(store, plan, { signal });
  await ctx.note('unlock the datastore when all pools are split, as with: calicoctl datastore migrate unlock');
  return shown(plan, gone ? 'split' : 'terminating');
}

const plain = (message: string, cause?: unknown): CalictlError =>
  new CalictlError(message, { code: 'SPLIT_FAILED', cause });

/** calicoctl's order of questions and its words; but nothing is written before all of them are answered. */
async function runAsCalicoctl(ctx: Context, input: Input): Promise<IpamSplit> {
  const name = input.text('name') || undefined;
  const cidr = input.text('cidr') || undefined;
  if (name === undefined && cidr === undefined) {
    throw plain('no name or CIDR provided. Provide a name or CIDR to denote the IP pool to split');
  }
  const store = await ctx.datastore();
  const { signal } = ctx.world;
  const said = (prefix: string, id?: string) => (error: unknown) => {
    throw error instanceof CalictlError ? plain(`${prefix}: ${calicoctlText(error, id)}`, error) : error;
  };
  const prefix = 'error while checking if datastore was locked: error retrieving ClusterInformation';
  if (!(await isLocked(store, signal).catch(said(prefix, identity('ClusterInformation', 'default'))))) {
    throw plain(
      'datastore is not locked. Run the `calicoctl datastore migrate lock` command in order split the IP pools',
    );
  }
  if (name !== undefined) {
    const { ipPool } = await import('../../../resources/kinds/ip-pool.ts');
    const missing = said(`unable to find IP pool with name ${name}`, identity('IPPool', name));
    await store.get(ipPool, { name }, { signal }).catch(missing);
  }
  const [{ planSplit }, { applySplit, readForSplit, SplitStopped }, { parseGoInt }, { calicoctlSplitText }] =
    await Promise.all([
      import('../../../ipam/pool/pool-split.ts'),
      import('../../../ipam-live/split.ts'),
      import('../../../text/go-scalars.ts'),
      import('./problems.ts'),
    ]);
  const [text = ''] = input.args;
  const parsed = parseGoInt(text);
  const request = { name, cidr, number: Number(parsed), asCalicoctl: true };
  const plan = planSplit(await readForSplit(store, { signal }), request);
  const early = 'problem' in plan && (plan.problem === 'no-pool' || plan.problem === 'bad-cidr');
  if (typeof parsed === 'string' && !early) {
    const why = `strconv.Atoi: parsing "${text}": ${parsed}`;
    throw plain(`error reading number to split IP pools into. ${text} is not a valid number: ${why}`);
  }
  if ('problem' in plan) throw plain(calicoctlSplitText(plan, request));
  if ('finished' in plan) throw new Error('calicoctl does not look for splits that are done');
  await applySplit(store, plan, { signal }).catch((error: unknown) => {
    if (!(error instanceof SplitStopped)) throw error;
    const { metadata, spec } = error.part ?? plan.pool;
    const why = calicoctlText(error.cause, identity('IPPool', metadata.name));
    if (error.step === 'disable') throw plain(`error disabling IP pool ${cidr ?? ''}`, error);
    if (error.step === 'create') {
      throw plain(`error using unsafe create to make split pool with cidr ${spec.cidr}: ${why}`, error);
    }
    throw plain(`error removing the IP pool that was split ${metadata.name}: ${why}`, error);
  });
  return shown(plan, 'split');
}

export const ipamSplit = defineCommand<IpamSplit>({
  path: ['ipam', 'split'],
  summary: 'Replace a pool by smaller ones of the same range',
  description:
    'The pool is disabled, its parts are created with its settings, and it is deleted; blocks and addresses stay as ' +
    'they are and belong to the parts. The datastore must be locked. Everything is checked before the first write, ' +
    'and a split that was cut short is finished by running it again.',
  examples: [
    { command: 'calictl ipam split 4 --name pool-1 --dry-run', about: 'what would be written' },
    { command: 'calictl ipam split 4 --name pool-1', about: 'four pools for one' },
    { command: 'calictl ipam split 2 --cidr 10.60.0.0/16 --yes -o json', about: 'for a script' },
  ],
  args: [{ name: 'NUMBER', about: 'how many parts: 2, 4, 8 and so on', required: true }],
  flags: [
    { name: 'cidr', value: 'CIDR', about: 'the pool with this CIDR', calicoctl: true },
    { name: 'name', value: 'POOL_NAME', about: 'the pool of this name', calicoctl: true },
    { name: 'dry-run', about: 'show what would be written, write nothing' },
    yesFlag,
    outputFlag('text', 'json'),
  ],
  calicoctl: true,
  guarded: true,
  run,
  format: (input, compat) => (compat ? 'calicoctl' : (input.text('output') ?? 'text')),
  formats: {
    text: async (split) => (await import('./text.ts')).ipamSplitText(split),
    json: async (split) => (await import('./text.ts')).ipamSplitJson(split),
    calicoctl: async (split) => (await import('./text.ts')).calicoctlSplitDone(split),
  },
  exit: () => exitCodes.ok,
});
