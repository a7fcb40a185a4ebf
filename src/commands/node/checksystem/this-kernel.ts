// Reading from this machine what node checksystem checks: the kernel's release, modules and configuration.
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { checkSystem, type SystemCheck } from '../../../node-state/kernel-check.ts';

/** The text of a file; undefined when it cannot be read. */
export const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** The first configuration file that exists; last the one that a kernel may carry inside. */
export async function kernelConfig(): Promise<string | undefined> {
  const kernel = release();
  for (const path of [
    '/usr/src/linux/.config',
    `/boot/config-${kernel}`,
    `/usr/src/linux-${kernel}/.config`,
    `/usr/src/linux-headers-${kernel}/.config`,
    `/lib/modules/${kernel}/build/.config`,
  ]) {
    const text = await textOf(path);
    if (text !== undefined) return text;
  }
  const packed = await readFile('/proc/config.gz').catch(() => undefined);
  return packed && String(await promisify(gunzip)(packed).catch(() => ''));
}

/** Checks the running kernel with this configuration. */
export async function checkThisKernel(config: string | undefined): Promise<SystemCheck> {
  const kernel = release();
  return checkSystem({
    release: kernel,
    modulesDep: await textOf(`/lib/modules/${kernel}/modules.dep`),
    modulesBuiltin: await textOf(`/lib/modules/${kernel}/modules.builtin`),
    loaded: await textOf('/proc/modules'),
    config,
    matches: await textOf('/proc/net/ip_tables_matches'),
  });
}
