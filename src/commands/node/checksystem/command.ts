// calictl node checksystem: does the kernel of this machine have what Calico needs?
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { SystemCheck } from '../../../node-state/kernel-check.ts';
import { CalictlError, exitCodes, systemText } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import { requireThisMachine } from '../local-host.ts';

type Checked = SystemCheck & { readonly compat: boolean };

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** The first configuration file there is; last the one that a kernel may carry inside. */
async function kernelConfig(kernel: string): Promise<string | undefined> {
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

async function givenConfig(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new CalictlError(`${path} cannot be read: ${systemText(cause)}`, { code: 'KERNEL_CONFIG', cause });
  }
}

async function run(ctx: Context, input: Input): Promise<Checked> {
  requireThisMachine(ctx, ctx.compat);
  const kernel = release();
  const path = input.text('kernel-config');
  const { checkSystem } = await import('../../../node-state/kernel-check.ts');
  // calicoctl goes on without a file that it cannot read.
  const config = path === undefined ? kernelConfig(kernel) : ctx.compat ? textOf(path) : givenConfig(path);
  const checked = checkSystem({
    release: kernel,
    modulesDep: await textOf(`/lib/modules/${kernel}/modules.dep`),
    modulesBuiltin: await textOf(`/lib/modules/${kernel}/modules.builtin`),
    loaded: await textOf('/proc/modules'),
    config: await config,
    matches: await textOf('/proc/net/ip_tables_matches'),
  });
  return { ...checked, compat: ctx.compat };
}

const unmet = "system doesn't meet one or more minimum systems requirements to run Calico";

export const nodeChecksystem = defineCommand<Checked>({
  path: ['node', 'checksystem'],
  summary: 'Check that the kernel of this machine has what Calico needs',
  examples: [
    { command: 'calictl node checksystem', about: 'version and modules of the running kernel' },
    { command: 'calictl node checksystem -f /boot/config-6.1.0', about: 'by a configuration file' },
  ],
  args: [],
  flags: [
    {
      name: 'kernel-config',
      short: 'f',
      value: 'kernel-config',
      about: "the kernel's configuration as text; default: where distributions put it",
      calicoctl: true,
    },
    outputFlag('table', 'json'),
  ],
  calicoctl: true,
  guarded: false,
  run,
  format: (input, compat) => (compat ? 'calicoctl' : (input.text('output') ?? 'table')),
  formats: {
    table: async (checked, view) => (await import('./text.ts')).systemTable(checked, view),
    json: async (checked) => (await import('./text.ts')).systemJson(checked),
    calicoctl: async (checked) => (await import('./text.ts')).calicoctlSystem(checked),
  },
  exit: ({ isMet, compat }) => (isMet ? exitCodes.ok : compat ? exitCodes.failed : exitCodes.findings),
  errors: ({ isMet, compat }) => (isMet || !compat ? [] : [new CalictlError(unmet, { code: 'SYSTEM_UNMET' })]),
});
