// calictl ipam capacity: what it is called and takes.
import { defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { parseTrial } from './trial.ts';

export const flags = {
  simulate: flag.parsed(
    'nodes=N,pods-per-node=M',
    'place this many pods on this many new nodes, in memory; also pool=POOL and block-size=LENGTH',
    { noun: 'value', hint: 'write it like nodes=10,pods-per-node=50', parse: parseTrial },
  ),
  nodeLabel: flag.pair('KEY=VALUE', 'a label of the new nodes (default: the labels that all nodes share)').repeatable(),
  namespace: flag.text('NAMESPACE', 'count the pools that pods of this namespace can use').short('n'),
  output: outputFlag('table', 'wide', 'json', 'yaml'),
};

export type CapacityInput = InputOf<typeof flags>;

export const ipamCapacity = defineCommand({
  path: ['ipam', 'capacity'],
  summary: 'Show how many more nodes and pods fit, and what limits them',
  description:
    'For each pool and node: free addresses and blocks, block limits, borrowed addresses, and free addresses that no node can use. ' +
    '--simulate adds nodes with pods to a copy in memory and lets the allocator place them. Nothing is ever written to the datastore.',
  examples: [
    { command: 'calictl ipam capacity', about: 'show the free space in each pool, and what fits' },
    { command: 'calictl ipam capacity -o wide', about: 'the same, with a table of all nodes' },
    {
      command: 'calictl ipam capacity --simulate nodes=20,pods-per-node=110',
      about: 'show where it would break, and what other block sizes would give',
    },
    {
      command: 'calictl ipam capacity --simulate nodes=5,pods-per-node=30,pool=legacy-pool --node-label zone=b',
      about: 'simulate nodes with this label and pods that ask for this pool',
    },
    { command: 'calictl ipam capacity --namespace shop', about: 'also count pools that select this namespace' },
  ],
  exitCodes: { 3: 'a pool or a node has no room left, or not every simulated pod could be placed' },
  args: {},
  flags,
  load: () => import('./run.ts'),
});
