// calictl ipam assign: what it is called and takes.
import { handleName, isObjectName, windowsHandle } from '../../../resources/names.ts';
import { defineCommand } from '../../command.ts';
import { exclusive, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

const mostAtOnce = 65536;

/** A handle is stored under its name in lower case, which Kubernetes must accept as an object's name. */
const isHandle = (text: string): boolean => isObjectName(handleName(text)) && handleName(text) !== windowsHandle;

export const flags = {
  node: flag.text('NODE', 'the node that the addresses are for (default with --ip: the node that owns the block)'),
  count: flag.count('COUNT', 'how many addresses of each family, 1 by default', { max: mostAtOnce }),
  pool: flag.text('POOL', 'assign from this pool (name or CIDR)').repeatable(),
  ipv4: flag.on('assign IPv4 addresses, the default; with --ipv6: both families'),
  ipv6: flag.on('assign IPv6 addresses'),
  namespace: flag.text('NAMESPACE', 'the namespace to match against the namespaceSelector of pools'),
  use: flag.choice('USE', ['Workload', 'Tunnel', 'LoadBalancer'], 'intended use, Workload by default. One of'),
  ip: flag.ip('assign exactly this address'),
  handle: flag.parsed('HANDLE', 'record the addresses under this ID, by which they can be released', {
    noun: 'handle',
    hint: 'use letters, digits, - and single dots between them, like manual.db-1; at most 253 characters',
    parse: (text) => (isHandle(text) ? text : undefined),
  }),
  attr: flag.pair('KEY=VALUE', 'attribute to record with the addresses').repeatable(),
  output: outputFlag('text', 'json'),
};

export type AssignInput = InputOf<typeof flags>;

const forGivenAddress = 'use --ip for one specific address, or --count for any';

export const ipamAssign = defineCommand({
  path: ['ipam', 'assign'],
  summary: 'Assign addresses to a node, or one specific address',
  description:
    "Addresses come from the node's own blocks, then from a new block, then, without strict affinity, from blocks of " +
    'other nodes, exactly as the CNI plugin would assign them. An address is only reserved, not configured on any ' +
    'interface, and it is held until it is released.',
  examples: [
    { command: 'calictl ipam assign --node worker-1 --handle manual-1', about: 'assign one address to a node' },
    {
      command: 'calictl ipam assign --node worker-1 --count 3 --pool default-pool --handle db -o json',
      about: 'assign three from one pool, for a script',
    },
    { command: 'calictl ipam assign --node worker-1 --ipv4 --ipv6 --handle pod-1', about: 'assign one of each family' },
    {
      command: 'calictl ipam assign --ip 10.60.0.40 --node worker-1 --handle manual-1',
      about: 'assign exactly this address',
    },
  ],
  exitCodes: {
    0: 'all addresses were assigned',
    1: 'none was assigned',
    4: 'refused: the address is that of a node',
    5: 'fewer than requested were assigned',
  },
  args: {},
  flags,
  rules: [
    exclusive(['ip', 'count'], forGivenAddress),
    exclusive(['ip', 'pool'], forGivenAddress),
    exclusive(['ip', 'ipv4'], forGivenAddress),
    exclusive(['ip', 'ipv6'], forGivenAddress),
    exclusive(['ip', 'namespace'], forGivenAddress),
  ],
  load: () => import('./run.ts'),
});
