// Staged policies, which decide nothing, and the policies of host endpoints. Calico's documentation: "Staged network
// policy", "Host endpoint", "Policy for hosts".
import {
  gnp,
  hostEndpoint,
  np,
  profile,
  stagedGnp,
  stagedKnp,
  stagedNp,
  tier,
} from '../../support/clusters/policy-objects.ts';
import { dev, endOfDefault, type PolicyCase, shop } from './case.ts';

const allowAll = ['projectcalico-default-allow'];
const onHosts = (name: string, spec: object) => gnp(name, { selector: "role == 'node'", types: ['Ingress'], ...spec });

export const staged: readonly PolicyCase[] = [
  {
    about: 'staged policies of every kind',
    given: [
      stagedNp('shop', 'p', {
        order: 1,
        selector: 'all()',
        types: ['Ingress', 'Egress'],
        ingress: [{ action: 'Deny' }],
        egress: [{ action: 'Deny' }],
      }),
      stagedGnp('g', { order: 1, selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny' }] }),
      stagedKnp('shop', 'k', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, shop, 'none of them decides, nor ends a tier'],
      ['dev/tool > shop/db udp 53', 'allow', dev, shop, 'for no source'],
    ],
  },
  {
    about: 'a tier with staged policies only',
    given: [
      tier('security', 100),
      stagedGnp('security.g', {
        tier: 'security',
        selector: 'all()',
        types: ['Ingress'],
        ingress: [{ action: 'Deny' }],
      }),
      np('shop', 'p', { selector: "app == 'db'", types: ['Ingress'], ingress: [{ action: 'Allow', protocol: 'TCP' }] }),
    ],
    flows: [
      ['shop/web > shop/db tcp 5432', 'allow', shop, 'NetworkPolicy shop/p#0', 'the tier has no end'],
      ['shop/web > shop/db udp 53', 'deny', shop, endOfDefault, 'the next one has'],
    ],
  },
  {
    about: 'staged next to enforced policies',
    given: [
      stagedNp('shop', 'open', { order: 1, selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Allow' }] }),
      np('shop', 'close', { order: 2, selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny' }] }),
    ],
    flows: [['shop/web > shop/db tcp 5432', 'deny', shop, 'NetworkPolicy shop/close#0', 'the enforced one decides']],
  },
  {
    about: 'a staged deletion',
    given: [
      stagedNp('shop', 'close', { stagedAction: 'Delete' }),
      np('shop', 'close', { selector: 'all()', types: ['Ingress'], ingress: [{ action: 'Deny' }] }),
    ],
    flows: [['shop/web > shop/db tcp 5432', 'deny', shop, 'NetworkPolicy shop/close#0', 'the policy is still there']],
  },
  {
    about: 'a host endpoint for all interfaces without policies',
    given: [
      hostEndpoint(
        'n1-all',
        { role: 'node' },
        { node: 'n1', interfaceName: '*', expectedIPs: ['10.0.0.1'], profiles: allowAll },
      ),
    ],
    flows: [['192.0.2.7 > node/n1 tcp 8443', 'allow', '-', '-', 'its profile allows']],
  },
  {
    about: 'a host endpoint without policies and profiles',
    given: [
      hostEndpoint('n1-eth0', { role: 'node' }, { node: 'n1', interfaceName: 'eth0', expectedIPs: ['10.0.0.1'] }),
    ],
    flows: [
      ['192.0.2.7 > node/n1 tcp 8443', 'deny', '-', '-', 'it is closed'],
      ['192.0.2.7 > node/n1 tcp 179', 'allow', '-', '-', 'but for the failsafe ports'],
      ['node/n1 > 192.0.2.7 udp 53', 'allow', '-', '-', 'outgoing ones too'],
      ['node/n1 > 192.0.2.7 tcp 443', 'deny', '-', '-', 'other outgoing flows are denied'],
    ],
  },
  {
    about: 'doNotTrack before preDNAT before ordinary policies',
    given: [
      hostEndpoint('n1-eth0', { role: 'node' }, { node: 'n1', expectedIPs: ['10.0.0.1'], profiles: allowAll }),
      onHosts('raw', {
        doNotTrack: true,
        applyOnForward: true,
        ingress: [
          { action: 'Deny', source: { nets: ['192.0.2.0/24'] } },
          { action: 'Allow', source: { nets: ['198.51.100.0/24'] } },
        ],
      }),
      onHosts('nat', {
        preDNAT: true,
        applyOnForward: true,
        ingress: [
          { action: 'Allow', source: { nets: ['192.0.2.0/24'] } },
          { action: 'Deny', protocol: 'TCP', destination: { ports: [9443] } },
          { action: 'Allow', protocol: 'TCP', destination: { ports: [8443] } },
        ],
      }),
      onHosts('ordinary', {
        ingress: [
          { action: 'Deny', source: { nets: ['198.51.100.0/24'] } },
          { action: 'Allow', protocol: 'TCP', destination: { ports: [9443, 7443] } },
        ],
      }),
    ],
    flows: [
      ['192.0.2.7 > node/n1 tcp 8443', 'deny', '-', '-', 'doNotTrack is first'],
      ['198.51.100.7 > node/n1 tcp 9443', 'allow', '-', '-', 'what it allows is allowed'],
      ['203.0.113.7 > node/n1 tcp 9443', 'deny', '-', '-', 'preDNAT is next'],
      ['203.0.113.7 > node/n1 tcp 8443', 'allow', '-', '-', 'what it allows is allowed'],
      ['203.0.113.7 > node/n1 tcp 7443', 'allow', '-', '-', 'what neither decides is for ordinary policies'],
      ['203.0.113.7 > node/n1 tcp 6443', 'allow', '-', '-', 'a failsafe port is open anyhow'],
      ['203.0.113.7 > node/n1 tcp 5443', 'deny', '-', '-', 'and their tier ends'],
    ],
  },
  {
    about: 'profiles of host endpoints',
    given: [
      hostEndpoint('n1-eth0', { role: 'node' }, { node: 'n1', expectedIPs: ['10.0.0.1'], profiles: ['ssh-only'] }),
      profile('ssh-only', { ingress: [{ action: 'Allow', protocol: 'TCP', destination: { ports: [2222] } }] }),
    ],
    flows: [
      ['192.0.2.7 > node/n1 tcp 2222', 'allow', '-', '-', 'a stored profile'],
      ['192.0.2.7 > node/n1 tcp 8443', 'deny', '-', '-', 'nothing else'],
    ],
  },
  {
    about: 'a profile that does not exist',
    given: [hostEndpoint('n1-eth0', { role: 'node' }, { node: 'n1', expectedIPs: ['10.0.0.1'], profiles: ['ghost'] })],
    flows: [['192.0.2.7 > node/n1 tcp 8443', 'deny', '-', '-', 'everything is denied in its place']],
  },
];
