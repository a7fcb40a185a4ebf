// calictl ipam configure show: what it is called and takes.
import { defineCommand } from '../../../command.ts';
import { outputFlag } from '../../../shared-flags.ts';

export const ipamConfigureShow = defineCommand({
  path: ['ipam', 'configure', 'show'],
  summary: 'Show the IPAM settings in force',
  description:
    'The same settings as ipam show --show-configuration: those of the IPAMConfig object, or the defaults if there is ' +
    'none. Nothing is written.',
  examples: [
    { command: 'calictl ipam configure show', about: 'show the settings in force' },
    {
      command: 'calictl ipam configure show -o json',
      about: 'for a script; "stored" says whether there is an IPAMConfig object',
    },
  ],
  args: {},
  flags: { output: outputFlag('table', 'json', 'yaml') },
  load: () => import('./run.ts'),
});
