// calictl node repair: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, exclusive, flag, type InputOf } from '../../parameters.ts';
import { outputFlag, yesFlag } from '../../shared-flags.ts';
import { birdFlags, readingFlags, transportFlags } from '../../transport-flags.ts';

export const flags = {
  pod: flag.pod('repair what concerns one pod, on the node that it runs on'),
  dryRun: flag.on('show the plan, change nothing'),
  yes: yesFlag,
  journal: flag.text('FILE', 'where each change is recorded (default: a new file in the state directory)'),
  output: outputFlag('table', 'json', 'yaml'),
  ...transportFlags,
  ...readingFlags,
  ...birdFlags,
};

export const args = { nodes: arg.text('NODE', 'names of nodes (default: all nodes)').repeatable() };

export type RepairInput = InputOf<typeof flags, typeof args>;

export const nodeRepair = defineCommand({
  path: ['node', 'repair'],
  summary: 'Repair what node verify finds and can be put right safely',
  description:
    'Finds what node verify finds, and makes the changes that put it right: settings of interfaces, routes of the node to its ' +
    'own pods, permanent neighbours and forwarding entries of VXLAN devices; and it removes routes to pods that are ' +
    'gone. Nodes and objects are read twice, and only what both readings show is repaired; routes of other programs, and ' +
    'whatever may be in use, are left alone. Afterwards the nodes are verified again. What is repaired, and what never is: ' +
    'docs/reference/node-repair.md.',
  examples: [
    { command: 'calictl node repair --dry-run', about: 'show what would be changed, on all nodes' },
    { command: 'calictl node repair node-a --via ssh', about: 'repair one node' },
    { command: 'calictl node repair --pod default/web-1 --dry-run', about: 'only what one pod depends on' },
  ],
  exitCodes: {
    0: 'nothing is wrong any more',
    1: 'no node could be reached',
    3: 'problems are left',
    4: 'nothing was changed: you declined, or the nodes are recordings',
    5: 'not every repair was made, or some nodes or objects could not be read',
  },
  args,
  flags,
  rules: [exclusive(['pod', 'nodes'], 'the node of a pod is known')],
  load: () => import('./run.ts'),
});
