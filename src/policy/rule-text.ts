// A rule in words, for people: `Allow TCP from app == 'web', namespace shop to ports 5432`.
import { formatCidr } from '../net/cidr.ts';
import { portText, protocolName } from './protocol.ts';
import type { Entity, Icmp, Rule } from './rule.ts';

function icmpText({ type, code }: Icmp): string {
  return [...(type === undefined ? [] : [`type ${type}`]), ...(code === undefined ? [] : [`code ${code}`])].join(' ');
}

function entityParts({ nets, notNets, selector, notSelector, service, ports, notPorts }: Entity): string[] {
  const list = (texts: readonly string[]): string => texts.join(', ');
  return [
    ...(nets.length > 0 ? [list(nets.map(formatCidr))] : []),
    ...(notNets.length > 0 ? [`not ${list(notNets.map(formatCidr))}`] : []),
    ...(selector === undefined ? [] : [selector.text]),
    ...(notSelector === undefined ? [] : [`not ${notSelector.text}`]),
    ...(service === undefined ? [] : [`service ${service.namespace}/${service.name}`]),
    ...(ports.length > 0 ? [`ports ${list(ports.map(portText))}`] : []),
    ...(notPorts.length > 0 ? [`not ports ${list(notPorts.map(portText))}`] : []),
  ];
}

/** What the rule matches, without its action; empty for a rule that matches everything. */
export function ruleConditions(rule: Rule): string {
  const { ipVersion, protocol, notProtocol, icmp, notIcmp, source, destination, http } = rule;
  const [from, to] = [entityParts(source).join('; '), entityParts(destination).join('; ')];
  return [
    ...(ipVersion === undefined ? [] : [`IPv${ipVersion}`]),
    ...(protocol === undefined ? [] : [protocolName(protocol)]),
    ...(notProtocol === undefined ? [] : [`not ${protocolName(notProtocol)}`]),
    ...(icmp === undefined ? [] : [icmpText(icmp)]),
    ...(notIcmp === undefined ? [] : [`not ${icmpText(notIcmp)}`]),
    ...(from === '' ? [] : [`from ${from}`]),
    ...(to === '' ? [] : [`to ${to}`]),
    ...(http ? ['and HTTP conditions'] : []),
  ].join(' ');
}
