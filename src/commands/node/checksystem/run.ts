// What calictl node checksystem does: checks whether the kernel of this machine has what Calico needs.
import { resolve } from 'node:path';
import { readInputFile } from '../../../files/input-file.ts';
import type { SystemCheck } from '../../../node-state/kernel-check.ts';
import { CalictlError, exitCodes, systemText } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { requireThisMachine } from '../local-host.ts';
import type { ChecksystemInput } from './command.ts';
import { systemJson, systemTable } from './text.ts';
import { checkThisKernel, kernelConfig } from './this-kernel.ts';

/** Far more than any kernel's configuration has. */
const largestConfig = 64 << 20;

async function givenConfig({ world: { cwd, signal } }: Context, path: string): Promise<string> {
  try {
    return (await readInputFile(resolve(cwd, path), largestConfig, signal)).toString('utf8');
  } catch (cause) {
    signal.throwIfAborted();
    throw new CalictlError(`${path} cannot be read: ${systemText(cause)}`, { code: 'KERNEL_CONFIG', cause });
  }
}

export async function run(ctx: Context, { kernelConfig: path }: ChecksystemInput): Promise<SystemCheck> {
  requireThisMachine(ctx, { asRoot: false });
  return checkThisKernel(path === undefined ? await kernelConfig() : await givenConfig(ctx, path));
}

export const formats = { table: systemTable, json: systemJson };

export const exit = ({ isMet }: SystemCheck): number => (isMet ? exitCodes.ok : exitCodes.findings);
