// One rule, compiled from whatever kind of policy it comes from, and whether it matches a flow. What rules match, and where
// that differs from what one would expect: docs/reference/policy.md#rules.
import { type Cidr, cidrContains } from '../net/cidr.ts';
import type { IpAddress } from '../net/ip.ts';
import type { Flow, FlowEnd } from './flow.ts';
import { allOf, anyOf, type Match, noPort, not } from './match.ts';
import type { EntitySelectors, Member } from './member.ts';
import { hasPorts, type PortMatch, protocolNumbers } from './protocol.ts';

export type Action = 'Allow' | 'Deny' | 'Pass' | 'Log';

/** The endpoints of a service, by the name of which a rule matches. */
export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
}

/** One side of a rule; what is empty or absent matches everything. */
export interface Entity extends EntitySelectors {
  readonly nets: readonly Cidr[];
  readonly notNets: readonly Cidr[];
  readonly ports: readonly PortMatch[];
  readonly notPorts: readonly PortMatch[];
  readonly service?: ServiceRef | undefined;
}

export interface Icmp {
  readonly type: number | undefined;
  readonly code: number | undefined;
}

export interface Rule {
  /** Its place among the rules of the object for this direction, from 0. Several rules have the same when one makes several. */
  readonly index: number;
  readonly action: Action;
  readonly ipVersion?: number | undefined;
  readonly protocol?: number | undefined;
  readonly notProtocol?: number | undefined;
  readonly icmp?: Icmp | undefined;
  readonly notIcmp?: Icmp | undefined;
  readonly source: Entity;
  readonly destination: Entity;
  /** Matches requests by method or path, which are not part of a flow. */
  readonly http?: boolean;
}

export const anyEntity: Entity = { nets: [], notNets: [], ports: [], notPorts: [] };

/** What rules refer to besides members. */
export interface RuleSurroundings {
  /** Why there may be more members than those of a flow's ends; undefined when all were read. */
  readonly unreadMembers: string | undefined;
  /** Whether the address, with the port when there is one, is of an endpoint of the service. */
  endpointOf(
    service: ServiceRef,
    ip: IpAddress,
    port: { readonly protocol: number; readonly port: number | undefined } | undefined,
  ): Match;
}

/** The nets of the family; undefined when there are nets, but none of this family: then the rule does not exist in it. */
function ofFamily(nets: readonly Cidr[], version: 4 | 6): readonly Cidr[] | undefined {
  const kept = nets.filter((net) => net.version === version);
  return nets.length > 0 && kept.length === 0 ? undefined : kept;
}

const contains = (nets: readonly Cidr[], ip: IpAddress): boolean => nets.some((net) => cidrContains(net, ip));

/** Whether one of the members with the address is selected; members that were not read may be, too. */
function isSelected(
  { test, podsOnly }: NonNullable<Entity['selector']>,
  { members }: FlowEnd,
  { unreadMembers }: RuleSurroundings,
): Match {
  const selected = anyOf(members.map(test));
  return selected === false && unreadMembers !== undefined && !podsOnly ? { because: unreadMembers } : selected;
}

function isNumber(port: PortMatch): port is { first: number; last: number } {
  return 'first' in port;
}

function hasNumber(ports: readonly PortMatch[], port: number | undefined): Match {
  const numbers = ports.filter(isNumber);
  if (numbers.length === 0) return false;
  if (port === undefined) return { because: noPort };
  return numbers.some(({ first, last }) => first <= port && port <= last);
}

/** Whether a member with the address, and selected if there is a selector, has the port under one of the names. */
function hasName(ports: readonly PortMatch[], protocol: number, end: FlowEnd, { selector }: Entity): Match {
  const names = ports.flatMap((port) => ('name' in port ? [port.name] : []));
  if (names.length === 0) return false;
  const test = (member: Member): Match => {
    const named = member.ports.filter((port) => names.includes(port.name) && port.protocol === protocol);
    if (named.length === 0) return false;
    if (end.port !== undefined && !named.some(({ port }) => port === end.port)) return false;
    const selected = selector?.test(member) ?? true;
    return allOf(selected, end.port === undefined ? { because: noPort } : true);
  };
  return anyOf(end.members.map(test));
}

function entityMatches(
  entity: Entity,
  end: FlowEnd,
  side: 'source' | 'destination',
  flow: Flow,
  around: RuleSurroundings,
): Match {
  const { selector, notSelector, ports, notPorts, service } = entity;
  const nets = ofFamily(entity.nets, end.ip.version);
  const notNets = ofFamily(entity.notNets, end.ip.version);
  // Felix leaves out rules that exclude all addresses, because packet filters cannot express them.
  if (nets === undefined || notNets === undefined || notNets.some(({ prefix }) => prefix === 0)) return false;
  if (nets.length > 0 && !contains(nets, end.ip)) return false;
  if (contains(notNets, end.ip)) return false;
  const found: Match[] = [];
  const selected = selector === undefined ? true : isSelected(selector, end, around);
  if (ports.length > 0) {
    if (!hasPorts(flow.protocol)) return false;
    const number = allOf(selected, hasNumber(ports, end.port));
    found.push(anyOf([number, hasName(ports, flow.protocol, end, entity)]));
  } else found.push(selected);
  if (notSelector !== undefined) found.push(not(isSelected(notSelector, end, around)));
  if (notPorts.length > 0) {
    if (!hasPorts(flow.protocol)) return false;
    found.push(not(hasNumber(notPorts, end.port)), not(hasName(notPorts, flow.protocol, end, entity)));
  }
  if (service !== undefined) {
    // As a destination a service is its addresses with their ports, as a source its addresses.
    const port = side === 'destination' ? { protocol: flow.protocol, port: end.port } : undefined;
    found.push(around.endpointOf(service, end.ip, port));
  }
  return allOf(...found);
}

function icmpMatches({ type, code }: Icmp, { icmp }: Flow): boolean {
  if (icmp === undefined) return false;
  return (type === undefined || icmp.type === type) && (code === undefined || icmp.code === code);
}

/** True when the rule matches the flow. */
export function ruleMatches(rule: Rule, flow: Flow, around: RuleSurroundings): Match {
  const { version } = flow.source.ip;
  if (rule.ipVersion !== undefined && rule.ipVersion !== version) return false;
  if (rule.protocol !== undefined && rule.protocol !== flow.protocol) return false;
  if (rule.notProtocol !== undefined && rule.notProtocol === flow.protocol) return false;
  if (rule.icmp !== undefined && !icmpMatches(rule.icmp, flow)) return false;
  if (rule.notIcmp !== undefined) {
    // Only packets of ICMP have a type to compare with.
    if (flow.protocol !== (version === 4 ? protocolNumbers.icmp : protocolNumbers.icmpv6)) return false;
    if (icmpMatches(rule.notIcmp, flow)) return false;
  }
  const source = entityMatches(rule.source, flow.source, 'source', flow, around);
  if (source === false) return false;
  return allOf(source, entityMatches(rule.destination, flow.destination, 'destination', flow, around));
}
