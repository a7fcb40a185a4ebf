// calictl ipam configure show: the IPAM settings in force, and whether they are stored or the defaults. Never writes.

import { exitCodes } from '../../../../world/errors.ts';
import { type Context, defineCommand } from '../../../command.ts';
import { outputFlag } from '../../../shared-flags.ts';
import type { ConfigurationState } from '../text.ts';

async function run(ctx: Context): Promise<ConfigurationState> {
  const [{ getIfAny }, { ipamConfig }, { configurationShown }] = await Promise.all([
    import('../../../../datastore/datastore.ts'),
    import('../../../../resources/kinds/ipam-config.ts'),
    import('../../../../ipam/show/views.ts'),
  ]);
  const store = await ctx.datastore();
  const config = await getIfAny(store, ipamConfig, { name: 'default' }, { signal: ctx.world.signal });
  return { ...configurationShown(config), stored: config !== undefined };
}

export const ipamConfigureShow = defineCommand<ConfigurationState>({
  path: ['ipam', 'configure', 'show'],
  summary: 'Show the IPAM settings in force',
  description:
    'The same settings as ipam show --show-configuration: those of the IPAMConfig object, or the defaults when there ' +
    'is none. Nothing is written.',
  examples: [
    { command: 'calictl ipam configure show', about: 'the settings in force' },
    {
      command: 'calictl ipam configure show -o json',
      about: 'for a script; "stored" tells whether there is an object',
    },
  ],
  args: [],
  flags: [outputFlag('table', 'json', 'yaml')],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'table',
  formats: {
    table: async (shown) => (await import('../text.ts')).configurationText(shown),
    json: async (shown) => (await import('../../show/text.ts')).ipamShowJson(shown),
    yaml: async (shown) => (await import('../../show/text.ts')).ipamShowYaml(shown),
  },
  exit: () => exitCodes.ok,
});
