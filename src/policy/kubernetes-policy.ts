// NetworkPolicies of Kubernetes, and staged ones, to policies that can be judged. Calico gives them order 1000 in the default tier.
import { parseCidr } from '../net/cidr.ts';
import type { KubeObject } from '../resources/object.ts';
import { UnclearPolicy, unclearPolicy, whyUnclear } from './calico-policy.ts';
import { type LabelSelector, selectorOf } from './labels.ts';
import { entitySelectors, type MemberSelector, orchestratorLabel, policySelector } from './member.ts';
import type { Policy } from './policy.ts';
import { type PortMatch, parsePort, protocolNumber } from './protocol.ts';
import { anyEntity, type Entity, type Rule } from './rule.ts';
import type { KubernetesPolicySpec, KubernetesRuleSpec } from './specs.ts';

/** The order of these policies within their tier. */
export const kubernetesOrder = 1000;

/** Only pods have this label: it keeps host endpoints and network sets out. */
const podsOnly = `${orchestratorLabel} == 'k8s'`;

/** The selector of Calico for a label selector on pods; without one, all pods. */
export function podSelectorText(selector: LabelSelector | null | undefined): string {
  const text = selectorOf(selector ?? {});
  return text === 'all()' ? podsOnly : `${podsOnly} && ${text}`;
}

/** The same as people write it: without what is only there for Calico. */
function withShortText(selector: MemberSelector): MemberSelector {
  const text = selector.text.replace(`${podsOnly} && `, '').replace(podsOnly, 'all pods');
  return { ...selector, text };
}

/** The pods that a peer selects, in the policy's namespace unless it has a namespaceSelector. */
export function podEntity(
  podSelector: LabelSelector | null | undefined,
  namespaceSelector: LabelSelector | null | undefined,
  namespace: string | undefined,
): Entity {
  const { selector } = entitySelectors({
    namespace,
    selector: podSelectorText(podSelector),
    namespaceSelector: namespaceSelector ? selectorOf(namespaceSelector) : undefined,
    podsOnly: true,
  });
  return selector === undefined ? anyEntity : { ...anyEntity, selector: withShortText(selector) };
}

function cidrOf(text: string | null | undefined): NonNullable<ReturnType<typeof parseCidr>> {
  const cidr = parseCidr(text ?? '');
  if (cidr === undefined) throw new UnclearPolicy(`${text} is not a CIDR`);
  return cidr;
}

function peersOf({ from, to }: KubernetesRuleSpec, namespace: string): Entity[] {
  const peers = [...(from ?? []), ...(to ?? [])];
  if (peers.length === 0) return [anyEntity];
  return peers.map(({ podSelector, namespaceSelector, ipBlock }) => {
    if (!ipBlock) return podEntity(podSelector, namespaceSelector, namespace);
    return { ...anyEntity, nets: [cidrOf(ipBlock.cidr)], notNets: (ipBlock.except ?? []).map(cidrOf) };
  });
}

/** The ports of a protocol; none means all. `undefined` as a protocol means everything. */
export type ProtocolPorts = Map<number | undefined, readonly PortMatch[]>;

/** Adds ports to those of a protocol: all ports stay all ports. */
export function addPorts(ports: ProtocolPorts, protocol: number, more: readonly PortMatch[]): void {
  const known = ports.get(protocol);
  if (more.length === 0 || known?.length === 0) ports.set(protocol, []);
  else ports.set(protocol, [...(known ?? []), ...more]);
}

function portsOf({ ports }: KubernetesRuleSpec): ProtocolPorts {
  const found: ProtocolPorts = new Map();
  if (!ports || ports.length === 0) return found.set(undefined, []);
  for (const { protocol = 'TCP', port, endPort } of ports) {
    const number = protocolNumber(protocol || 'TCP');
    if (number === undefined) throw new UnclearPolicy(`${protocol} is not a protocol`);
    if (port === undefined || port === null) {
      addPorts(found, number, []);
      continue;
    }
    const read = parsePort(endPort === undefined || endPort === null ? port : `${port}:${endPort}`);
    if (read === undefined) throw new UnclearPolicy(`${port} is not a port`);
    addPorts(found, number, [read]);
  }
  return found;
}

/**
 * One rule for each protocol and peer, all with the index of the rule that they come from: the peers are the sources of
 * `ingress` and the destinations of `egress`, the ports always those of the destination.
 */
export function combinedRules(
  rule: Pick<Rule, 'index' | 'action'>,
  direction: 'ingress' | 'egress',
  peers: readonly Entity[],
  ports: ProtocolPorts,
): Rule[] {
  return [...ports].flatMap(([protocol, matches]) =>
    peers.map((peer) =>
      direction === 'ingress'
        ? { ...rule, protocol, source: peer, destination: { ...anyEntity, ports: matches } }
        : { ...rule, protocol, source: anyEntity, destination: { ...peer, ports: matches } },
    ),
  );
}

function rulesOf(
  specs: readonly KubernetesRuleSpec[] | null | undefined,
  direction: 'ingress' | 'egress',
  namespace: string,
): Rule[] {
  return (specs ?? []).flatMap((spec, index) =>
    combinedRules({ index, action: 'Allow' }, direction, peersOf(spec ?? {}, namespace), portsOf(spec ?? {})),
  );
}

/** The policy of a NetworkPolicy of Kubernetes, or of a StagedKubernetesNetworkPolicy. */
export function kubernetesPolicy(object: KubeObject, staged: boolean): Policy {
  const spec = (object.spec ?? {}) as KubernetesPolicySpec;
  const { name, namespace = 'default' } = object.metadata;
  const known = {
    kind: staged ? ('StagedKubernetesNetworkPolicy' as const) : ('KubernetesNetworkPolicy' as const),
    staged,
    tier: 'default',
    namespace,
    name,
    key: `${namespace}/${staged ? 'staged:' : ''}knp.default.${name}`,
    order: kubernetesOrder,
  };
  const types = spec.policyTypes ?? [];
  const isGiven = types.length > 0;
  const governsEgress = isGiven ? types.includes('Egress') : (spec.egress ?? []).length > 0;
  try {
    return {
      ...known,
      selector: withShortText(
        policySelector({ namespace, selector: podSelectorText(spec.podSelector), podsOnly: true }),
      ),
      ingress: !isGiven || types.includes('Ingress') ? rulesOf(spec.ingress, 'ingress', namespace) : undefined,
      egress: governsEgress ? rulesOf(spec.egress, 'egress', namespace) : undefined,
      doNotTrack: false,
      preDNAT: false,
      applyOnForward: true,
    };
  } catch (error) {
    return unclearPolicy(known, whyUnclear(error));
  }
}
