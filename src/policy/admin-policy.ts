// Policies of the cluster's administrators (policy.networking.k8s.io) to policies that can be judged: AdminNetworkPolicy
// and BaselineAdminNetworkPolicy, which Calico up to 3.31 enforces, and ClusterNetworkPolicy, which 3.32 does.
import { parseCidr } from '../net/cidr.ts';
import type { KubeObject } from '../resources/object.ts';
import { UnclearPolicy, unclearPolicy, whyUnclear } from './calico-policy.ts';
import { addPorts, combinedRules, type ProtocolPorts, podEntity, podSelectorText } from './kubernetes-policy.ts';
import { selectorOf } from './labels.ts';
import { entitySelectors, policySelector } from './member.ts';
import type { Policy, PolicyKind } from './policy.ts';
import { type PortMatch, parsePort, protocolNumber, protocolNumbers } from './protocol.ts';
import { type Action, anyEntity, type Entity, type Rule } from './rule.ts';
import type { AdminPeerSpec, AdminPolicySpec, AdminRuleSpec } from './specs.ts';

/** The tiers of these policies, and how Calico names what it makes of them. */
export const adminTiers = {
  admin: 'adminnetworkpolicy',
  baseline: 'baselineadminnetworkpolicy',
  kubeAdmin: 'kube-admin',
  kubeBaseline: 'kube-baseline',
} as const;

/** The rule has a part that Calico cannot express: it is replaced or left out, never read more widely. */
class Inexpressible extends Error {}

function actionOf(text: string | null | undefined): Action {
  if (text === 'Allow' || text === 'Accept') return 'Allow';
  if (text === 'Deny' || text === 'Pass') return text;
  throw new Inexpressible();
}

function peerOf({ namespaces, pods, networks }: AdminPeerSpec): Entity {
  if (pods) return podEntity(pods.podSelector, pods.namespaceSelector ?? {}, undefined);
  if (namespaces) return { ...anyEntity, ...entitySelectors({ namespaceSelector: selectorOf(namespaces) }) };
  if (!networks || networks.length === 0) throw new Inexpressible();
  const nets = networks.map((text) => {
    const net = parseCidr(text);
    if (net === undefined) throw new Inexpressible();
    return net;
  });
  return { ...anyEntity, nets };
}

const numberOf = (value: number | bigint | null | undefined): string => String(value ?? '');

function numbered(text: string): PortMatch {
  const port = parsePort(text);
  if (port === undefined) throw new Inexpressible();
  return port;
}

function protocolOf(text: string | null | undefined): number {
  const number = protocolNumber(text || 'TCP');
  if (number === undefined) throw new Inexpressible();
  return number;
}

/** An empty entry means every protocol, whatever the others say. */
function setEverything(found: ProtocolPorts): void {
  found.clear();
  found.set(undefined, []);
}

/** The ports of AdminNetworkPolicies; a port with a name is one of TCP. */
function addAdminPorts({ ports }: AdminRuleSpec, found: ProtocolPorts): void {
  for (const { portNumber, portRange, namedPort } of ports ?? []) {
    if (portNumber) addPorts(found, protocolOf(portNumber.protocol), [numbered(numberOf(portNumber.port))]);
    else if (portRange) {
      const range = numbered(`${numberOf(portRange.start)}:${numberOf(portRange.end)}`);
      addPorts(found, protocolOf(portRange.protocol), [range]);
    } else if (namedPort) addPorts(found, protocolNumbers.tcp, [{ name: namedPort }]);
    else {
      setEverything(found);
      return;
    }
  }
}

/** The protocols of ClusterNetworkPolicies; Calico does not support their named ports. */
function addClusterProtocols({ protocols }: AdminRuleSpec, found: ProtocolPorts): void {
  for (const { destinationNamedPort, ...byName } of protocols ?? []) {
    const name = (['tcp', 'udp', 'sctp'] as const).find((one) => byName[one]);
    if (name === undefined) {
      if (destinationNamedPort) throw new Inexpressible();
      setEverything(found);
      return;
    }
    const { number, range } = byName[name]?.destinationPort ?? {};
    const text = range ? `${numberOf(range.start)}:${numberOf(range.end)}` : numberOf(number);
    addPorts(found, protocolNumbers[name], text === '' || text === '0' ? [] : [numbered(text)]);
  }
}

function portsOf(rule: AdminRuleSpec): ProtocolPorts {
  const found: ProtocolPorts = new Map();
  addAdminPorts(rule, found);
  addClusterProtocols(rule, found);
  if (found.size === 0) setEverything(found);
  return found;
}

/**
 * The rules of one rule. One that Calico cannot express is left out if it would allow, and denies everything if it would
 * deny or pass: it must not open what was meant to be closed.
 */
function rulesOf(spec: AdminRuleSpec, index: number, direction: 'ingress' | 'egress'): Rule[] {
  try {
    const action = actionOf(spec.action);
    const peers = [...(spec.from ?? []), ...(spec.to ?? [])].map((peer) => peerOf(peer ?? {}));
    return combinedRules({ index, action }, direction, peers, portsOf(spec));
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    const closes = spec.action === 'Deny' || spec.action === 'Pass';
    return closes ? [{ index, action: 'Deny', source: anyEntity, destination: anyEntity }] : [];
  }
}

/** Such a policy governs a direction only if it has rules for it: its tier passes on what none of them matches. */
function directionOf(
  specs: readonly AdminRuleSpec[] | null | undefined,
  direction: 'ingress' | 'egress',
): readonly Rule[] | undefined {
  const rules = (specs ?? []).flatMap((spec, index) => rulesOf(spec ?? {}, index, direction));
  return rules.length === 0 ? undefined : rules;
}

type AdminKind = Extract<PolicyKind, 'AdminNetworkPolicy' | 'BaselineAdminNetworkPolicy' | 'ClusterNetworkPolicy'>;

const placeOf: Readonly<Record<AdminKind, (spec: AdminPolicySpec) => { tier: string; prefix: string }>> = {
  AdminNetworkPolicy: () => ({ tier: adminTiers.admin, prefix: 'kanp.adminnetworkpolicy.' }),
  BaselineAdminNetworkPolicy: () => ({ tier: adminTiers.baseline, prefix: 'kbanp.baselineadminnetworkpolicy.' }),
  ClusterNetworkPolicy: ({ tier }) => ({
    tier: tier === 'Baseline' ? adminTiers.kubeBaseline : adminTiers.kubeAdmin,
    prefix: '',
  }),
};

/** The policy of such an object. */
export function adminPolicy(kind: AdminKind, object: KubeObject): Policy {
  const spec = (object.spec ?? {}) as AdminPolicySpec;
  const { tier, prefix } = placeOf[kind](spec);
  const { name } = object.metadata;
  const { priority } = spec;
  const order = priority === undefined || priority === null ? Number.POSITIVE_INFINITY : Number(priority);
  const known = { kind, staged: false, tier, namespace: undefined, name, key: prefix + name, order };
  const { namespaces, pods } = spec.subject ?? {};
  try {
    if (!namespaces && !pods) throw new UnclearPolicy('it has no subject');
    const selector = policySelector({
      selector: podSelectorText(pods?.podSelector),
      namespaceSelector: selectorOf(namespaces ?? pods?.namespaceSelector ?? {}),
      podsOnly: true,
    });
    return {
      ...known,
      selector: { ...selector, text: subjectText(spec) },
      ingress: directionOf(spec.ingress, 'ingress'),
      egress: directionOf(spec.egress, 'egress'),
      doNotTrack: false,
      preDNAT: false,
      applyOnForward: false,
    };
  } catch (error) {
    return unclearPolicy(known, whyUnclear(error));
  }
}

function subjectText({ subject }: AdminPolicySpec): string {
  const namespaces = selectorOf(subject?.namespaces ?? subject?.pods?.namespaceSelector ?? {});
  const pods = subject?.pods ? selectorOf(subject.pods.podSelector ?? {}) : 'all()';
  const where = namespaces === 'all()' ? 'all namespaces' : `namespace ${namespaces}`;
  return pods === 'all()' ? `all pods, ${where}` : `${pods}, ${where}`;
}
