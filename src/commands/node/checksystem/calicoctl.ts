// `node checksystem` as calicoctl has it: as root, with a result for each module as a line, and an error at the end.
import type { SystemCheck } from '../../../node-state/kernel-check.ts';
import { CalictlError, exitCodes } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { requireCalicoctlMachine } from '../calicoctl-local-host.ts';
import type { CalicoctlChecksystemInput } from './command.ts';
import { calicoctlSystem } from './text.ts';
import { checkThisKernel, kernelConfig, textOf } from './this-kernel.ts';

export async function run(ctx: Context, { kernelConfig: path }: CalicoctlChecksystemInput): Promise<SystemCheck> {
  requireCalicoctlMachine(ctx, { asRoot: true });
  // calicoctl goes on without a file that it cannot read.
  return checkThisKernel(await (path === undefined ? kernelConfig() : textOf(path)));
}

export const text = calicoctlSystem;

export const exit = ({ isMet }: SystemCheck): number => (isMet ? exitCodes.ok : exitCodes.failed);

const unmet = "system doesn't meet one or more minimum systems requirements to run Calico";

export const errors = ({ isMet }: SystemCheck): readonly Error[] =>
  isMet ? [] : [new CalictlError(unmet, { code: 'SYSTEM_UNMET' })];
