// The rules of a Kubernetes NetworkPolicy as Go prints their structs in errors of calicoctl.
import { goLabelSelector, type LabelSelector } from '../kinds/kubernetes-policy-fields.ts';

type Members = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value : []);
const isSet = (value: unknown): value is NonNullable<unknown> => value !== undefined && value !== null;

/** `[a b]` of the items' texts. */
const goList = (value: unknown, text: (item: Members) => string): string => `[${listOf(value).map(text).join(' ')}]`;

/** Kubernetes' own text of a selector behind a pointer. */
function selectorPointer(value: unknown, type = 'LabelSelector'): string {
  if (!isSet(value)) return 'nil';
  const { matchLabels, matchExpressions } = value as LabelSelector;
  const labels = Object.entries(matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${key}: ${one},`);
  const expressions = (matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&${type}{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

function blockPointer(value: unknown): string {
  if (!isSet(value)) return 'nil';
  const { cidr = '', except = [] } = value as { readonly cidr?: string; readonly except?: readonly string[] };
  return `&IPBlock{CIDR:${cidr},Except:[${except.join(' ')}],}`;
}

const peer = ({ podSelector, namespaceSelector, ipBlock }: Members): string =>
  `{${selectorPointer(podSelector)} ${selectorPointer(namespaceSelector)} ${blockPointer(ipBlock)}}`;

/** calicoctl prints the addresses in its memory of a protocol and a last port. */
const portText = ({ protocol, port, endPort }: Members): string =>
  `{${[protocol, port, endPort].map((one) => (isSet(one) ? String(one) : '<nil>')).join(' ')}}`;

const rule =
  (peers: 'from' | 'to') =>
  (value: Members): string =>
    `{${goList(value['ports'], portText)} ${goList(value[peers], peer)}}`;

/** Selector, ingress rules, egress rules and types of a policy, as they follow each other in the text of its struct. */
export function kubernetesPolicyText({ podSelector, ingress, egress, policyTypes }: Members): string {
  const types = Array.isArray(policyTypes) ? policyTypes.map(String) : [];
  const selector = goLabelSelector((podSelector ?? {}) as LabelSelector);
  return `${selector} ${goList(ingress, rule('from'))} ${goList(egress, rule('to'))} [${types.join(' ')}]`;
}

const pointed = (value: unknown): string => (isSet(value) ? `*${String(value)}` : 'nil');

/** A rule as Kubernetes itself prints it. */
export function kubernetesRuleText({ ports, from, to }: Members, direction: 'ingress' | 'egress'): string {
  const portTexts = listOf(ports).map(
    ({ protocol, port, endPort }) =>
      `NetworkPolicyPort{Protocol:${pointed(protocol)},Port:${isSet(port) ? String(port) : '<nil>'},EndPort:${pointed(endPort)},},`,
  );
  const [type, field, peers] = direction === 'ingress' ? ['Ingress', 'From', from] : ['Egress', 'To', to];
  const peerTexts = listOf(peers).map(({ podSelector, namespaceSelector, ipBlock }) => {
    const [pods, namespaces] = [podSelector, namespaceSelector].map((one) => selectorPointer(one, 'v1.LabelSelector'));
    return `NetworkPolicyPeer{PodSelector:${pods},NamespaceSelector:${namespaces},IPBlock:${blockPointer(ipBlock)},},`;
  });
  return `&NetworkPolicy${type}Rule{Ports:[]NetworkPolicyPort{${portTexts.join('')}},${field}:[]NetworkPolicyPeer{${peerTexts.join('')}},}`;
}
