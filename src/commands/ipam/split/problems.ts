// Why a pool is not split, and what to do about it.
import { mostParts, type SplitProblem, type SplitRequest } from '../../../ipam/pool/pool-split.ts';
import { CalictlError, RefusedError, UsageError } from '../../../world/errors.ts';

/** The error for a plan that cannot be made. */
export function splitError(problem: SplitProblem, { name, cidr, number }: SplitRequest): CalictlError {
  switch (problem.problem) {
    case 'no-pool':
      return new CalictlError(name === undefined ? `no pool has the CIDR ${cidr}` : `pool ${name} does not exist`, {
        code: 'NO_POOL',
        hint: 'calictl get ippools lists the pools',
      });
    case 'bad-cidr':
      return new CalictlError(`pool ${problem.pool.metadata.name} has an invalid CIDR: ${problem.pool.spec.cidr}`, {
        code: 'POOL_INVALID',
        hint: 'correct the pool first',
      });
    case 'not-power-of-two':
      return new UsageError(`a pool cannot be split into ${number}`, 'use a power of two: 2, 4, 8 and so on');
    case 'not-large-enough':
      return new UsageError(
        `${problem.pool.spec.cidr} is not large enough to be split into ${number}`,
        'use a smaller number',
        'POOL_TOO_SMALL',
      );
    case 'smaller-than-block':
      return new UsageError(
        `the parts would be smaller (${problem.part.spec.cidr}) than a block (/${problem.part.spec.blockSize})`,
        'use a smaller number',
        'POOL_TOO_SMALL',
      );
    case 'too-many':
      return new UsageError(`${number} parts are too many at once`, `split into at most ${mostParts}`);
    case 'bad-name':
      return new RefusedError(
        `a part of the pool would be called ${problem.part.metadata.name}, which is not a valid object name`,
        'NAME_INVALID',
        'the name of the pool is too long to be split into so many',
      );
    case 'being-deleted':
      return new RefusedError(
        `the pool ${problem.pool.metadata.name} is being deleted`,
        'POOL_TERMINATING',
        'wait until it is gone, then create the missing parts from a manifest',
      );
    case 'split-otherwise':
      return new RefusedError(
        `a split of ${problem.pool.metadata.name} into ${problem.into} was started but not finished`,
        'SPLIT_BEGUN',
        `finish it with ${problem.into}; or delete the parts that exist and enable the pool again`,
      );
    case 'other-content':
      return new RefusedError(
        `the pool ${problem.part.metadata.name} exists and is not what the split would make`,
        'POOL_EXISTS',
        `compare it with the plan (CIDR ${problem.part.spec.cidr}), and delete or rename what is in the way`,
      );
    case 'overlap':
      return new RefusedError(
        `${problem.part.spec.cidr} overlaps with the pool ${problem.other.metadata.name} (${problem.other.spec.cidr})`,
        'POOL_OVERLAP',
        'pools must not share addresses: correct the other one first',
      );
    case 'block-across':
      return new RefusedError(
        `the block ${problem.block} would be in no part of ${problem.pool.metadata.name} as a whole`,
        'BLOCK_ACROSS',
        'split into fewer, or release the block; calictl ipam check shows what is wrong with it',
      );
  }
}
