// Rules for host endpoints and sets of addresses: docs/reference/validation.md#endpoints-and-sets.
import type { FieldPath } from '../field-path.ts';
import type { Rules } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { hasPorts, protocolNames } from './policy-rule.ts';
import { problem, type RuleProblem } from './rule-problem.ts';
import { isPortName } from './tags.ts';

const field = 'InterfaceName';

/** What the rules need of a host endpoint. */
interface HostEndpoint extends KubeObject {
  spec: {
    node?: string | undefined;
    interfaceName?: string | undefined;
    expectedIPs?: string[] | undefined;
  };
}

export const hostEndpointRules: Rules<HostEndpoint> = {
  problems: ({ spec }) => {
    const found: RuleProblem[] = [];
    if (!spec.interfaceName && !spec.expectedIPs?.length) {
      const reason = 'no interface or expected IPs have been specified';
      found.push(problem(['spec', 'interfaceName'], 'is missing, and expectedIPs too', { field, value: '', reason }));
    }
    if (!spec.node) {
      const details = { field, value: '', reason: 'no node has been specified' };
      found.push(problem(['spec', 'node'], 'is missing', details));
    }
    return found;
  },
};

/** A port of an endpoint has a protocol that has ports. */
export function endpointPortProblems(
  port: Readonly<Record<string, unknown>>,
  at: FieldPath,
  struct = 'EndpointPort',
): RuleProblem[] {
  const { protocol = 0 } = port;
  if (hasPorts(protocol)) return [];
  const reason = `${struct} protocol does not support ports.`;
  const words = `must be TCP, UDP or SCTP: ${String(protocol)} has no ports`;
  return [problem([...at, 'protocol'], words, { field: `${struct}.Protocol`, value: protocol, reason })];
}

/** The label that Calico sets itself. */
export const networkSetRules: Rules<never> = {
  problems: ({ metadata: { labels } }: KubeObject) => {
    const key = 'projectcalico.org/namespace';
    if (labels == null || !Object.hasOwn(labels, key)) return [];
    const details = { field: 'Metadata.Labels (label)', value: key, reason: `${key} is not a valid label name` };
    return [problem(['metadata', 'labels', key], 'cannot be set: Calico sets this label itself', details)];
  },
};

/** What is wrong with a protocol. */
export function protocolProblems(value: string | number | bigint | boolean, at: FieldPath): RuleProblem[] {
  const isName = typeof value === 'string';
  if (isName ? (protocolNames as readonly string[]).includes(value) : Number(value) >= 1 && Number(value) <= 255)
    return [];
  const reason = isName ? 'protocol name invalid' : 'protocol number invalid';
  const words = `must be one of ${protocolNames.join(', ')}, or a number from 1 to 255`;
  return [problem(at, words, { field: 'Protocol', value, reason })];
}

/** What is wrong with a port of a rule: a number, a range, a name. */
export function portProblems(value: string | number | bigint | boolean, at: FieldPath): RuleProblem[] {
  const text = String(value);
  const [, low, high] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (low === undefined) {
    if (/^[a-zA-Z0-9_.-]{1,128}$/.test(text)) {
      if (isPortName(text)) return [];
      const reason = 'Reason: failed to validate Field: PortName because of Tag: portName ';
      return [problem(at, portWords, { field: 'PortName', value: text, reason })];
    }
    return [{ path: at, message: portWords }];
  }
  const [from, to] = [Number(low), Number(high ?? low)];
  const found: RuleProblem[] = [];
  if (from > to) return [{ path: at, message: `must be a range from the lower to the higher port` }];
  for (const wrong of new Set([from, to])) {
    if (wrong >= 1 && wrong <= 65535) continue;
    const reason = 'port range invalid, port number must be between 1 and 65535';
    found.push(problem(at, 'must be from 1 to 65535', { field: 'Port', value: wrong, reason }));
  }
  return found;
}

const portWords = 'must be a port from 1 to 65535, a range like 8000:8080, or the name of a port';
