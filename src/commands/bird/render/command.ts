// calictl bird render: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { environmentFlag } from '../environment-flag.ts';

export const flags = {
  node: flag.text('NODE', 'node whose configuration is rendered (default: all nodes)'),
  out: flag.text('DIR', 'write the files into this directory; those of several nodes into one directory per node'),
  showSecrets: flag.on('write passwords instead of (hidden)'),
  env: environmentFlag,
  output: outputFlag('text', 'json'),
};

export type RenderInput = InputOf<typeof flags>;

export const birdRender = defineCommand({
  path: ['bird', 'render'],
  summary: 'Render the configuration of BIRD from the datastore',
  description:
    'Prints the six files that calico-node renders for the two BIRD daemons of a node, or writes them into a ' +
    'directory: sessions, filters, and which routes are exported and installed, as in Calico 3.31. No node is ' +
    'queried. Anything that BIRD would refuse is reported. Passwords are hidden unless --show-secrets is given.',
  examples: [
    { command: 'calictl bird render --node node-a', about: 'the files of one node' },
    { command: 'calictl bird render --out ./bird', about: 'those of all nodes, in one directory per node' },
    {
      command: 'calictl bird render --node node-a --env CALICO_ROUTER_ID=hash',
      about: 'for calico-node with this variable',
    },
  ],
  exitCodes: {
    0: 'done',
    3: 'rendered, but BIRD would refuse a configuration',
    5: 'the configuration of some nodes could not be rendered',
  },
  args: {},
  flags,
  load: () => import('./run.ts'),
});
