// calictl ipam show: what it is called and takes.
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { exclusive, flag, type InputOf, needs } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

export const flags = {
  ip: flag.ip('an address to look up').repeatable(),
  node: flag.text('NODE', 'all addresses allocated for a node'),
  pod: flag.pod('all addresses allocated for a pod'),
  showBlocks: flag.on('one row for each block below its pool'),
  showBorrowed: flag.on('addresses used by a node that does not own their block'),
  map: flag.on('every address of the blocks, one character each'),
  pool: flag.text('POOL', 'with --map: blocks of this pool (name or CIDR)').repeatable(),
  showConfiguration: flag.on('the IPAM configuration in force'),
  output: outputFlag('table', 'json', 'yaml', 'csv', 'svg', 'html'),
};

export type ShowInput = InputOf<typeof flags>;

const calicoctlFlags = {
  ip: flag.text('IP', 'an address to look up'),
  showBlocks: flag.on('a row for each block below its pool'),
  showBorrowed: flag.on('addresses used by a node that does not own their block'),
  showConfiguration: flag.on('the IPAM configuration in force'),
};

export type CalicoctlShowInput = InputOf<typeof calicoctlFlags>;

const oneQuestion = 'use one of them at a time';

export const ipamShow = defineCommand({
  path: ['ipam', 'show'],
  summary: 'Show how full pools and blocks are, or who has an address',
  description:
    'Without flags: one row per pool. --show-blocks adds the blocks. --ip, --node and --pod list addresses with their ' +
    'owners. --map draws every address of every block; with it, --pool, --ip, --node and --pod select the blocks, and ' +
    '-o svg and -o html draw a picture. Nothing is written.',
  examples: [
    { command: 'calictl ipam show', about: 'show the usage of each pool' },
    { command: 'calictl ipam show --show-blocks -o json', about: 'usage of pools and blocks for a script' },
    { command: 'calictl ipam show --ip 10.60.0.1 --ip 10.61.0.2', about: 'show who has these addresses' },
    { command: 'calictl ipam show --pod shop/cart-15', about: 'show the addresses that a pod holds' },
    { command: 'calictl ipam show --map', about: 'draw one character per address, coloured by node' },
    { command: 'calictl ipam show --map -o html > map.html', about: 'the same as a page for a browser' },
  ],
  exitCodes: { 1: 'failed, or the node, pod or pool does not exist' },
  args: {},
  flags,
  rules: [
    exclusive(['ip', 'node', 'pod', 'showBlocks', 'showBorrowed', 'showConfiguration'], oneQuestion, 'map'),
    exclusive(['map', 'showBlocks', 'showBorrowed', 'showConfiguration'], oneQuestion),
    needs(['pool'], 'map', 'add --map'),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: true,
    usage:
      'ipam show [--ip=<IP> | --show-blocks | --show-borrowed | --show-configuration] [--config=<CONFIG>] [--allow-version-mismatch]',
    load: () => import('./calicoctl.ts'),
  }),
});
