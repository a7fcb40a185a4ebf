// `ipam split` as calicoctl has it: its order of questions and its words.
import type { SplitPlan, SplitProblem, SplitRequest } from '../../../ipam/pool/pool-split.ts';
import { planSplit } from '../../../ipam/pool/pool-split.ts';
import { applySplit, readForSplit, SplitStopped } from '../../../ipam-live/split.ts';
import { ipPool } from '../../../resources/kinds/ip-pool.ts';
import { parseGoInt } from '../../../text/go-scalars.ts';
import { CalictlError } from '../../../world/errors.ts';
import { calicoctlText, identity } from '../../calicoctl-errors.ts';
import type { Context } from '../../command.ts';
import type { CalicoctlSplitInput } from './command.ts';
import { isLocked } from './lock.ts';
import { splitError } from './problems.ts';

const plain = (message: string, cause?: unknown): CalictlError =>
  new CalictlError(message, { code: 'SPLIT_FAILED', cause });

/** calicoctl's order of questions and its words; but nothing is written before all of them are answered. */
export async function run(ctx: Context, input: CalicoctlSplitInput): Promise<SplitPlan> {
  const name = input.name || undefined;
  const cidr = input.cidr || undefined;
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
    const missing = said(`unable to find IP pool with name ${name}`, identity('IPPool', name));
    await store.get(ipPool, { name }, { signal }).catch(missing);
  }
  const parsed = parseGoInt(input.number);
  const request = { name, cidr, number: Number(parsed), asCalicoctl: true };
  const plan = planSplit(await readForSplit(store, { signal }), request);
  const early = 'problem' in plan && (plan.problem === 'no-pool' || plan.problem === 'bad-cidr');
  if (typeof parsed === 'string' && !early) {
    const why = `strconv.Atoi: parsing "${input.number}": ${parsed}`;
    throw plain(`error reading number to split IP pools into. ${input.number} is not a valid number: ${why}`);
  }
  if ('problem' in plan) throw plain(problemText(plan, request));
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
  return plan;
}

/** What calicoctl says. It finds what concerns a part when it creates that part. */
function problemText(problem: SplitProblem, { name, cidr, number }: SplitRequest): string {
  const unsafe = (part: string | undefined, why: string): string =>
    `error using unsafe create to make split pool with cidr ${part}: ${why}`;
  const splitting = (pool: string, why: string): string =>
    `error splitting the CIDR ${pool} into ${number} CIDRs: ${why}`;
  switch (problem.problem) {
    case 'no-pool':
      return `unable to find IP pool ${name ?? ''} covering the specified CIDR ${cidr}`;
    case 'bad-cidr':
      // It names what --cidr says, not what the pool has.
      return `error disabling IP pool ${cidr ?? ''}`;
    case 'not-power-of-two':
      return splitting(problem.pool.spec.cidr, `number to split CIDR into is not a valid power of 2: ${number}`);
    case 'not-large-enough': {
      const pool = problem.pool.spec.cidr;
      return splitting(pool, `the CIDR ${pool} is not large enough to be split into ${number} parts`);
    }
    case 'smaller-than-block': {
      const part = problem.part.spec.cidr;
      return unsafe(
        part,
        `error with field IPPool.Spec.CIDR = '${part}' (IP pool size is too small for use with Calico IPAM. It must be equal to or greater than the block size.)`,
      );
    }
    case 'other-content':
      return unsafe(problem.part.spec.cidr, `resource already exists: IPPool(${problem.part.metadata.name})`);
    default:
      // calicoctl goes on here, and leaves a half state or a wrong one.
      return splitError(problem, { name, cidr, number, asCalicoctl: true }).message;
  }
}

/** calicoctl ends neither its first sentence nor its last with a line end. */
export function text({ pool, parts }: SplitPlan): string {
  const created = parts
    .map(({ pool: part }) => `Created ${part.metadata.name} with CIDR ${part.spec.cidr}.\n`)
    .join('');
  const count = parts.length;
  return `IP Pool ${pool.metadata.name} was successfully split into ${count} smaller pools.${created}Please refer to the documentation for final steps.`;
}
