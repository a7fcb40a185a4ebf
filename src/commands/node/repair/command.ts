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
  summary: 'Repair what node verify finds, where one safe change can put it right',
  description:
    'Verifies nodes as node verify does, and repairs settings of interfaces, routes of a node to its own pods, permanent ' +
    'neighbours, and forwarding entries of VXLAN devices; it also removes routes to pods that are gone. Nodes and objects ' +
    'are read twice, and only what both readings show is repaired; routes of other programs, and anything that may be in ' +
    'use, are left alone. Afterwards the nodes are verified again. docs/reference/node-repair.md lists what is repaired ' +
    'and what never is.',
  examples: [
    { command: 'calictl node repair --dry-run', about: 'show what would be changed, on all nodes' },
    { command: 'calictl node repair node-a --via ssh', about: 'repair one node' },
    { command: 'calictl node repair --pod default/web-1 --dry-run', about: 'only what one pod depends on' },
  ],
  exitCodes: {
    0: 'no problems are left',
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
