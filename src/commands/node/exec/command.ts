// calictl node exec: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { transportFlags } from '../../transport-flags.ts';

export const flags = {
  ...transportFlags,
  timeout: flag.duration('stop the program after this time (default: no limit)', { min: 1 }),
  stdin: flag.on('pass standard input to the program').short('i'),
  output: outputFlag('text', 'json'),
};

export const args = {
  node: arg.text('NODE', 'name of the node').required(),
  argv: arg.text('ARGV', 'the program and its arguments, after --').repeatable().orEmpty(),
};

export type ExecInput = InputOf<typeof flags, typeof args>;

export const nodeExec = defineCommand({
  path: ['node', 'exec'],
  summary: 'Run a program on a node',
  description:
    'Runs the program with exactly these arguments; calictl uses no shell. Its output and exit code are passed on; if ' +
    'the node cannot be reached, the exit code is 1 and the reason is on stderr. With --via kube, only the programs ' +
    'in the calico-node image are available (ip, birdcl, nft, iptables-save, cat, sh and the like).',
  examples: [
    { command: 'calictl node exec node-a -- ip route', about: "a node's routes" },
    { command: "calictl node exec node-a --via ssh -- sh -c 'dmesg | tail'", about: 'a shell line, over SSH' },
    { command: 'calictl node exec node-a -o json -- cat /var/lib/calico/mtu', about: 'for a script' },
  ],
  exitCodes: { 0: 'the program ended with 0; any other code of it is passed on', 1: 'the node was not reached' },
  args,
  flags,
  load: () => import('./run.ts'),
});
