// Policies of Calico, enforced and staged, to policies that can be judged.
import { type Cidr, parseCidrOrIp } from '../net/cidr.ts';
import type { KubeObject } from '../resources/object.ts';
import { storedPolicyNames, tierOfPolicyName } from '../resources/policy-names.ts';
import { SelectorError } from '../resources/selector.ts';
import { entitySelectors, type Member, policySelector } from './member.ts';
import { anything, type Direction, type Policy, type PolicyKind, policyTitle } from './policy.ts';
import { hasPorts, type PortMatch, parsePort, protocolNumber } from './protocol.ts';
import type { Action, Entity, Icmp, Rule } from './rule.ts';
import type { CalicoPolicySpec, EntitySpec, IcmpSpec, RuleSpec } from './specs.ts';

/** A policy of which a part has no meaning: it is not judged. */
export class UnclearPolicy extends Error {}

const actions: readonly Action[] = ['Allow', 'Deny', 'Pass', 'Log'];

function netsOf(texts: readonly string[] | null | undefined): Cidr[] {
  return (texts ?? []).map((text) => {
    const net = parseCidrOrIp(String(text));
    if (net === undefined) throw new UnclearPolicy(`${text} is not a network`);
    return net;
  });
}

function portsOf(ports: EntitySpec['ports']): PortMatch[] {
  return (ports ?? []).map((port) => {
    const read = parsePort(port);
    if (read === undefined) throw new UnclearPolicy(`${port} is not a port`);
    return read;
  });
}

function entityOf(spec: EntitySpec | null | undefined, namespace: string | undefined): Entity {
  const { nets, notNets, ports, notPorts, services, serviceAccounts, ...fields } = spec ?? {};
  const service = services?.name
    ? { namespace: services.namespace || (namespace ?? ''), name: services.name }
    : undefined;
  return {
    nets: netsOf(nets),
    notNets: netsOf(notNets),
    ports: portsOf(ports),
    notPorts: portsOf(notPorts),
    ...(service === undefined ? {} : { service }),
    ...entitySelectors({
      namespace,
      selector: fields.selector,
      notSelector: fields.notSelector,
      namespaceSelector: fields.namespaceSelector,
      accountNames: serviceAccounts?.names,
      accountSelector: serviceAccounts?.selector,
    }),
  };
}

function protocolOf(protocol: RuleSpec['protocol']): number | undefined {
  if (protocol === undefined || protocol === null || protocol === '') return undefined;
  const number = protocolNumber(protocol);
  if (number === undefined) throw new UnclearPolicy(`${protocol} is not a protocol`);
  return number;
}

function icmpOf(spec: IcmpSpec | null | undefined): Icmp | undefined {
  if (spec === undefined || spec === null) return undefined;
  const number = (value: number | bigint | null | undefined) =>
    value === undefined || value === null ? undefined : Number(value);
  const icmp = { type: number(spec.type), code: number(spec.code) };
  return icmp.type === undefined && icmp.code === undefined ? undefined : icmp;
}

function ruleOf(spec: RuleSpec, index: number, namespace: string | undefined): Rule {
  const action = actions.find((one) => one === spec.action);
  if (action === undefined) throw new UnclearPolicy(`${spec.action} is not an action`);
  const protocol = protocolOf(spec.protocol);
  const source = entityOf(spec.source, namespace);
  const destination = entityOf(spec.destination, namespace);
  const ports = [source, destination].flatMap((entity) => [...entity.ports, ...entity.notPorts]);
  if (ports.length > 0 && (protocol === undefined || !hasPorts(protocol))) {
    throw new UnclearPolicy('a rule has ports without a protocol that has ports');
  }
  const ipVersion = spec.ipVersion ? Number(spec.ipVersion) : undefined;
  return {
    index,
    action,
    ipVersion,
    protocol,
    notProtocol: protocolOf(spec.notProtocol),
    icmp: icmpOf(spec.icmp),
    notIcmp: icmpOf(spec.notICMP),
    source,
    destination,
    ...(spec.http ? { http: true } : {}),
  };
}

export function rulesOf(specs: readonly RuleSpec[] | null | undefined, namespace?: string): Rule[] {
  return (specs ?? []).map((spec, index) => ruleOf(spec ?? {}, index, namespace));
}

/** Why the function failed on the contents of a policy; other errors are not caught. */
export function whyUnclear(error: unknown): string {
  if (error instanceof UnclearPolicy) return error.message;
  if (error instanceof SelectorError) return `a selector is not valid: ${error.message}`;
  throw error;
}

/**
 * A policy of which not everything has a meaning. It may be for anything, with any rule, in both directions: whoever
 * judges it gets no answer where it stands.
 */
export function unclearPolicy(
  known: Pick<Policy, 'kind' | 'staged' | 'tier' | 'namespace' | 'name' | 'key' | 'order'>,
  why: string,
): Policy {
  const because = `${policyTitle(known)}: ${why}`;
  const isElsewhere = (member: Member): boolean =>
    known.namespace !== undefined && member.namespace !== known.namespace;
  return {
    ...known,
    selector: { text: 'not known', podsOnly: false, test: (member) => (isElsewhere(member) ? false : { because }) },
    ingress: [],
    egress: [],
    doNotTrack: false,
    preDNAT: false,
    applyOnForward: false,
    unsure: { because, may: anything },
  };
}

const stagedPrefix = 'staged:';

/** The policy of an object in the form that people see, staged or not. `kind` is that of the object. */
export function calicoPolicy(kind: PolicyKind, object: KubeObject, staged: boolean): Policy {
  const spec = (object.spec ?? {}) as CalicoPolicySpec;
  const { name } = object.metadata;
  const namespace = object.metadata.namespace || undefined;
  const stored = (staged ? stagedPrefix : '') + (storedPolicyNames(name)[0] ?? name);
  const known = {
    kind,
    staged,
    tier: spec.tier || tierOfPolicyName(name),
    namespace,
    name,
    key: namespace === undefined ? stored : `${namespace}/${stored}`,
    order: spec.order === undefined || spec.order === null ? Number.POSITIVE_INFINITY : Number(spec.order),
  };
  const types = (spec.types ?? []).map((type) => String(type).toLowerCase());
  const governs = (direction: Direction): boolean => types.length === 0 || types.includes(direction);
  try {
    return {
      ...known,
      selector: policySelector({
        namespace,
        selector: spec.selector,
        namespaceSelector: namespace === undefined ? spec.namespaceSelector : undefined,
        accountSelector: spec.serviceAccountSelector,
      }),
      ingress: governs('ingress') ? rulesOf(spec.ingress, namespace) : undefined,
      egress: governs('egress') ? rulesOf(spec.egress, namespace) : undefined,
      doNotTrack: spec.doNotTrack === true,
      preDNAT: spec.preDNAT === true,
      applyOnForward: namespace !== undefined || spec.applyOnForward === true,
    };
  } catch (error) {
    return unclearPolicy(known, whyUnclear(error));
  }
}
