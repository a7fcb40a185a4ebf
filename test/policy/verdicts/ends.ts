// Without policies: profiles, and the ends of flows. Calico's documentation: "Default behavior", "Profile".
import { gnp, hostEndpoint, knp, np, profile } from '../../support/clusters/policy-objects.ts';
import { dev, endOfDefault, ops, type PolicyCase, shop } from './case.ts';

export const ends: readonly PolicyCase[] = [
  {
    about: 'no policies',
    given: [],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, shop, 'the profile of a namespace allows both directions'],
      ['dev/tool > shop/db tcp 5432', 'allow', dev, shop, 'so it does between namespaces'],
      ['shop/web > 192.0.2.7 tcp 443', 'allow', shop, '-', 'an address outside has no side of its own'],
      ['192.0.2.7 > ops/prom tcp 9090', 'allow', '-', ops, 'nor has it as a source'],
      ['10.60.1.10 > shop/db tcp 5432', 'allow', shop, shop, 'the address of a workload is the workload'],
      ['shop/web > 10.60.1.20 tcp 5432', 'allow', shop, shop, 'also as a destination'],
      ['fd60::1:10 > shop/db tcp 5432', 'allow', shop, shop, 'also in IPv6'],
      ['node/n1 > shop/db tcp 5432', 'allow', '-', 'None', 'a node reaches its own workloads without policy'],
      ['10.0.0.1 > shop/db tcp 5432', 'allow', '-', 'None', 'also when the node is given by its address'],
      ['10.60.1.1 > shop/db tcp 5432', 'allow', '-', 'None', 'or by the address of its tunnel'],
      ['node/n2 > shop/db tcp 5432', 'allow', '-', shop, 'another node is judged by policy'],
      ['ops/agent > shop/db tcp 5432', 'allow', '-', 'None', 'a host-networked pod is its node'],
      ['ops/agent > shop/cache tcp 6379', 'allow', '-', shop, 'and not that of the other pod'],
      ['shop/web > node/n1 tcp 22', 'allow', shop, '-', 'a node without host endpoints has no side'],
      ['shop/web > ops/agent tcp 22', 'allow', shop, '-', 'nor has a pod in its network'],
      ['192.0.2.7 > 192.0.2.8 udp 53', 'allow', '-', '-', 'nothing of the cluster is involved'],
      ['shop/web > shop/web tcp 8080', 'allow', 'None', 'None', 'what a pod sends to itself does not leave it'],
      ['shop/web > shop/db icmp', 'allow', shop, shop, 'profiles allow every protocol'],
      ['shop/web > shop/db sctp 7', 'allow', shop, shop, 'SCTP too'],
      ['10.60.1.99 > shop/db tcp 5432', 'allow', '-', shop, 'the address of a finished pod is nobody’s'],
    ],
  },
  {
    about: 'both directions of every workload are closed',
    given: [gnp('close', { selector: 'all()', types: ['Ingress', 'Egress'] })],
    flows: [
      [
        'shop/web > shop/db tcp 5432',
        'deny',
        endOfDefault,
        endOfDefault,
        'a policy without rules lets the tier end deny',
      ],
      ['node/n1 > shop/db tcp 5432', 'allow', '-', 'None', 'but the own node still reaches its workloads'],
      ['ops/agent > shop/db tcp 5432', 'allow', '-', 'None', 'and so do the pods in its network'],
      ['node/n2 > shop/db tcp 5432', 'deny', '-', endOfDefault, 'another node does not'],
      ['shop/db > node/n1 tcp 443', 'deny', endOfDefault, '-', 'to the own node egress policy applies'],
      ['shop/web > 192.0.2.7 tcp 443', 'deny', endOfDefault, '-', 'egress to the outside is closed'],
      ['192.0.2.7 > shop/web tcp 8080', 'deny', '-', endOfDefault, 'and ingress from there'],
    ],
  },
  {
    about: 'stored profiles',
    given: [
      profile('kns.shop', {
        ingress: [{ action: 'Deny', protocol: 'UDP' }, { action: 'Allow' }],
        egress: [{ action: 'Allow' }],
      }),
    ],
    flows: [
      ['shop/web > shop/db udp 5432', 'deny', shop, 'Profile kns.shop#0', 'a stored profile of the namespace is used'],
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'Profile kns.shop#1', 'its rules are looked at in order'],
      ['dev/tool > ops/prom udp 53', 'allow', dev, ops, 'other namespaces keep theirs'],
    ],
  },
  {
    about: 'a profile without rules is followed by the next one',
    given: [profile('kns.shop', {}), profile('ksa.shop.db-sa', { ingress: [{ action: 'Allow', protocol: 'TCP' }] })],
    flows: [
      [
        'dev/tool > shop/db tcp 5432',
        'allow',
        dev,
        'Profile ksa.shop.db-sa#0',
        'that of the service account comes second',
      ],
      ['dev/tool > shop/db udp 5432', 'deny', dev, 'None', 'nothing is allowed when no profile fits'],
      ['dev/tool > shop/web tcp 8080', 'deny', dev, 'None', 'the profile of a service account has no rules by itself'],
    ],
  },
  {
    about: 'a Kubernetes policy closes ingress of one pod',
    given: [knp('shop', 'close-db', { podSelector: { matchLabels: { app: 'db' } }, policyTypes: ['Ingress'] })],
    flows: [
      ['shop/web > shop/db tcp 5432', 'deny', shop, endOfDefault, 'the source allows, the destination does not'],
      ['shop/db > shop/web tcp 8080', 'allow', shop, shop, 'its own egress is open'],
      ['shop/web > shop/cache tcp 6379', 'allow', shop, shop, 'other pods are open'],
    ],
  },
  {
    about: 'host endpoints of a node',
    given: [
      hostEndpoint('n1-eth0', { role: 'node' }, { node: 'n1', interfaceName: 'eth0', expectedIPs: ['10.0.0.1'] }),
      gnp('nodes', {
        selector: "role == 'node'",
        types: ['Ingress'],
        ingress: [{ action: 'Allow', protocol: 'TCP', destination: { ports: [10250] } }],
      }),
    ],
    flows: [
      ['192.0.2.7 > node/n1 tcp 10250', 'allow', '-', '-', 'the policy of the host endpoint allows it'],
      ['192.0.2.7 > node/n1 tcp 8443', 'deny', '-', '-', 'and nothing else'],
      ['192.0.2.7 > node/n1 tcp 22', 'allow', '-', '-', 'failsafe ports stay open'],
      ['shop/cache > node/n1 tcp 8443', 'deny', shop, '-', 'pods of another node are judged there too'],
      ['shop/web > node/n1 tcp 8443', 'allow', shop, '-', 'pods of the own node do not come through its interface'],
      ['192.0.2.7 > shop/web tcp 8080', 'allow', '-', shop, 'flows that the node forwards need applyOnForward'],
      ['192.0.2.7 > node/n2 tcp 8443', 'allow', '-', '-', 'the other node has no host endpoint'],
    ],
  },
  {
    about: 'a policy in a namespace means only its pods',
    given: [np('shop', 'close', { types: ['Ingress'] })],
    flows: [
      ['ops/prom > shop/db tcp 9090', 'deny', ops, endOfDefault, 'an empty selector is every pod of the namespace'],
      ['shop/web > ops/prom tcp 9090', 'allow', shop, ops, 'other namespaces are not meant'],
    ],
  },
];
