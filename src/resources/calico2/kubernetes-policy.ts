// NetworkPolicies of Kubernetes to policies of Calico, as calicoctl writes them. Rules: docs/reference/conversion.md.
import { formatCidr, parseCidr } from '../../net/cidr.ts';
import { CalictlError } from '../../world/errors.ts';
import type { KubernetesNetworkPolicy } from '../kinds/kubernetes-network-policy.ts';
import type { LabelSelector } from '../kinds/kubernetes-policy-fields.ts';
import type { KubeObject } from '../object.ts';
import { kubernetesPort, kubernetesPortProblem } from '../rules/kubernetes-policy.ts';
import { asV3 } from './convert.ts';
import type { ConversionOptions } from './values.ts';

type Spec = NonNullable<KubernetesNetworkPolicy['spec']>;
type RuleSpec = NonNullable<Spec['ingress']>[number];
type PortSpec = NonNullable<RuleSpec['ports']>[number];
type Peer = NonNullable<RuleSpec['from']>[number];

/** The order of these policies in the default tier. */
const order = 1000;

/** Only pods have this label: it keeps host endpoints and network sets out. */
const podsOnly = "projectcalico.org/orchestrator == 'k8s'";

/** Errors: CalictlError for what has no selector: it would select more than it should. */
function termsOf({ matchLabels, matchExpressions }: LabelSelector): string[] {
  const quoted = (value: string): string => `'${value}'`;
  const labels = Object.entries(matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key} == ${quoted(value)}`);
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) => {
    const set = `{ ${(values ?? []).map(quoted).join(', ') || "''"} }`;
    switch (operator) {
      case 'In':
        return `${key} in ${set}`;
      case 'NotIn':
        return `${key} not in ${set}`;
      case 'Exists':
        return `has(${key})`;
      case 'DoesNotExist':
        return `! has(${key})`;
      default:
        throw unconvertible(`${operator} is not an operator of a label selector`);
    }
  });
  return [...labels, ...expressions];
}

function unconvertible(message: string): CalictlError {
  return new CalictlError(message, { code: 'UNCONVERTIBLE' });
}

const podSelector = (selector: LabelSelector | null | undefined): string =>
  [podsOnly, ...termsOf(selector ?? {})].join(' && ');

/** Errors: CalictlError for what is not a range: without it the rule would allow everything. */
function rangeOf(text: string): string {
  const read = parseCidr(text);
  if (read === undefined) throw unconvertible(`ipBlock: ${text || 'nothing'} is not a CIDR`);
  return formatCidr(read);
}

function entityOf({ podSelector: pods, namespaceSelector, ipBlock }: Peer): Record<string, unknown> {
  if (ipBlock) {
    const { cidr, except } = ipBlock;
    return { nets: [rangeOf(cidr ?? '')], notNets: (except ?? []).map(rangeOf) };
  }
  if (!namespaceSelector) return { selector: podSelector(pods) };
  return { selector: podSelector(pods), namespaceSelector: termsOf(namespaceSelector).join(' && ') || 'all()' };
}

interface PortRange {
  readonly from: number;
  readonly to: number;
}

/** Ports as a list of names, and of ranges that neither overlap nor touch. */
function portList(ports: readonly PortSpec[]): (string | number)[] {
  const names: string[] = [];
  const ranges: PortRange[] = [];
  for (const { port, endPort } of ports) {
    const problem = kubernetesPortProblem({ port, endPort });
    if (problem !== undefined) throw unconvertible(problem);
    const [, first, last] = /^(\d+)(?::(\d+))?$/.exec(kubernetesPort({ port, endPort })) ?? [];
    if (first === undefined) {
      names.push(String(port));
      continue;
    }
    const [from, to] = [Number(first), Number(last ?? first)];
    ranges.push({ from, to });
  }
  const joined: PortRange[] = [];
  for (const range of ranges.sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = joined.at(-1);
    if (last !== undefined && range.from <= last.to + 1) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    } else joined.push(range);
  }
  return [...names, ...joined.map(({ from, to }) => (from === to ? from : `${from}:${to}`))];
}

/** One rule for each protocol and peer: Calico has one of each in a rule. */
function rulesOf(rule: RuleSpec, peers: readonly Peer[], end: 'source' | 'destination'): Record<string, unknown>[] {
  const byProtocol = new Map<string | undefined, PortSpec[]>();
  for (const port of rule.ports ?? []) {
    const protocol = (port.protocol ?? 'TCP').toUpperCase();
    byProtocol.set(protocol, [...(byProtocol.get(protocol) ?? []), port]);
  }
  const protocols = byProtocol.size === 0 ? [undefined] : [...byProtocol.keys()].sort();
  return protocols.flatMap((protocol) => {
    const ports = byProtocol.get(protocol) ?? [];
    const isEveryPort = ports.some(({ port }) => port === undefined || port === null);
    const numbers = isEveryPort ? [] : portList(ports);
    return (peers.length === 0 ? [{}] : peers).map((peer) => {
      const entity = peers.length === 0 ? {} : entityOf(peer);
      const made = { source: {} as object, destination: {} as object };
      made[end] = entity;
      made.destination = { ...made.destination, ...(numbers.length > 0 && { ports: numbers }) };
      return { action: 'Allow', protocol, ...made };
    });
  });
}

/**
 * The policy of Calico that does the same.
 * Errors: CalictlError for a policy of which something cannot be converted: left out, it would allow more than it should.
 */
export function fromKubernetesPolicy(
  { metadata, spec }: KubeObject,
  { asCalicoctl }: ConversionOptions = {},
): KubeObject {
  const { podSelector: pods, ingress, egress, policyTypes } = (spec ?? {}) as Spec;
  const { name, namespace } = metadata;
  const asked = policyTypes ?? [];
  // For calicoctl, egress rules alone do not make a policy apply to egress.
  const given = asked.length > 0 ? asked : !asCalicoctl && egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  const types = ['Ingress', 'Egress'].filter((type) => given.includes(type));
  return asV3(
    'NetworkPolicy',
    { name, namespace },
    {
      order,
      selector: podSelector(pods),
      ingress: (ingress ?? []).flatMap((rule) => rulesOf(rule, rule.from ?? [], 'source')),
      egress: (egress ?? []).flatMap((rule) => rulesOf(rule, rule.to ?? [], 'destination')),
      types: types.length > 0 ? types : ['Ingress'],
    },
  );
}
