// calictl policy test: what it is called and takes.
import { defineCommand } from '../../command.ts';
import { arg, exclusive, flag, type InputOf, some } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

const protocols = ['tcp', 'udp', 'sctp', 'icmp'] as const;
const port = { min: 1, max: 65535 };

export const flags = {
  protocol: flag.choice('PROTOCOL', protocols, 'protocol of the flow; icmp is ICMPv6 between IPv6 addresses. One of'),
  proto: flag.choice('PROTOCOL', protocols, 'the same as --protocol'),
  port: flag.count('PORT', 'port of the destination', port),
  sourcePort: flag.count('PORT', 'port of the source, for rules that look at it', port),
  icmpType: flag.count('TYPE', 'type of the ICMP message (default: an echo request)', { min: 0, max: 255 }),
  icmpCode: flag.count('CODE', 'code of the ICMP message (default: 0)', { min: 0, max: 255 }),
  namespace: flag.text('NAMESPACE', 'namespace of pods that are named without one').short('n'),
  output: outputFlag('text', 'json', 'yaml'),
};

export const args = {
  source: arg.text('SRC', 'where the flow starts: NAMESPACE/POD, node/NAME or an address').required(),
  destination: arg.text('DST', 'where it goes, in the same forms').required(),
};

export type TestInput = InputOf<typeof flags, typeof args>;

export const policyTest = defineCommand({
  path: ['policy', 'test'],
  summary: 'Test whether policies allow a flow, and show which rule decides',
  description:
    'Evaluates Calico, Kubernetes and administrator policies as Felix does: tiers, their policies and rules in order, ' +
    'then profiles, for the egress of the source and the ingress of the destination. The flow is allowed only when ' +
    'both allow it. Staged policies are shown but have no effect. If the verdict depends on something that was not ' +
    'read or not given, the exit code is 5. No packet is sent.',
  examples: [
    { command: 'calictl policy test shop/web shop/db --proto tcp --port 5432', about: 'between two pods' },
    {
      command: 'calictl policy test web db -n shop --proto tcp --port 5432',
      about: 'the same with the namespace once',
    },
    { command: 'calictl policy test shop/web 192.0.2.7 --proto icmp', about: 'whether a pod may ping an address' },
    {
      command: 'calictl policy test node/node-a shop/db --proto tcp --port 5432 -o json',
      about: 'from a node, for a script',
    },
  ],
  exitCodes: {
    0: 'the flow is allowed',
    3: 'the flow is denied',
    5: 'the verdict depends on something that was not read or not given',
  },
  args,
  flags,
  rules: [
    exclusive(['protocol', 'proto'], 'they mean the same'),
    some(['protocol', 'proto'], 'no protocol specified', 'add --proto tcp, udp, sctp or icmp'),
  ],
  load: () => import('./run.ts'),
});
