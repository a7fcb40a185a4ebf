// What calictl node checksystem does: checks whether the kernel of this machine has what Calico needs.
import { readFile } from 'node:fs/promises';
import type { SystemCheck } from '../../../node-state/kernel-check.ts';
import { CalictlError, exitCodes, systemText } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { requireThisMachine } from '../local-host.ts';
import type { ChecksystemInput } from './command.ts';
import { systemJson, systemTable } from './text.ts';
import { checkThisKernel, kernelConfig } from './this-kernel.ts';

async function givenConfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new CalictlError(`${path} cannot be read: ${systemText(cause)}`, { code: 'KERNEL_CONFIG', cause });
  }
}

export async function run(ctx: Context, { kernelConfig: path }: ChecksystemInput): Promise<SystemCheck> {
  requireThisMachine(ctx, { asRoot: false });
  return checkThisKernel(path === undefined ? await kernelConfig() : await givenConfig(path));
}

export const formats = { table: systemTable, json: systemJson };

export const exit = ({ isMet }: SystemCheck): number => (isMet ? exitCodes.ok : exitCodes.findings);
