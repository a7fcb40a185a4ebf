// Rules for workload endpoints: docs/reference/validation.md#endpoints-and-sets.
import { cidrContains, parseCidrOrIp } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { FieldPath } from '../field-path.ts';
import type { Rules, Write } from '../kind.ts';
import { endpointName } from '../names.ts';
import type { KubeObject } from '../object.ts';
import { endpointPortProblems } from './endpoint.ts';
import { problem, type RuleProblem } from './rule-problem.ts';

type Members = Readonly<Record<string, unknown>>;

interface WorkloadEndpoint extends KubeObject {
  spec: Members;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

/** The parts of the spec that the name of an endpoint is made of. */
function endpointIdentifiers({ orchestrator }: Members): readonly string[] {
  const own = { k8s: ['pod'], cni: ['containerID'], libnetwork: [] }[String(orchestrator)];
  return ['node', 'orchestrator', ...(own ?? ['workload']), 'endpoint'];
}

function nameOfSpec(spec: Members): string {
  const { node, orchestrator, endpoint } = spec;
  const own = endpointIdentifiers(spec)[2] ?? '';
  const workload = orchestrator === 'libnetwork' ? 'libnetwork' : spec[own];
  return endpointName(String(node), String(orchestrator), String(workload), String(endpoint));
}

/** An endpoint without a name gets the one that its spec makes. */
function named(object: WorkloadEndpoint): never {
  const { metadata, spec } = object;
  const isNamed = metadata.name !== '' || endpointIdentifiers(spec).some((field) => !spec[field]);
  return (isNamed ? object : { ...object, metadata: { ...metadata, name: nameOfSpec(spec) } }) as never;
}

/** calicoctl names an endpoint by its spec, and refuses any other name. */
function endpointNameProblems({ object: { metadata, spec } }: Write<WorkloadEndpoint>): RuleProblem[] {
  for (const field of endpointIdentifiers(spec)) {
    const value = String(spec[field] ?? '');
    const fault = (message: string, reason: string): RuleProblem[] => {
      const isPrinted = value !== '' || field !== 'node';
      return [problem(['spec', field], message, { field, ...(isPrinted && { value }), reason })];
    };
    if (value === '') return fault('is missing', 'field should be assigned');
    if (value.startsWith('-')) return fault('must not begin with a dash', "field must not begin with a '-'");
    if (value.endsWith('-')) return fault('must not end with a dash', "field must not end with a '-'");
  }
  const expected = nameOfSpec(spec);
  if (metadata.name === '' || metadata.name === expected) return [];
  const reason = `the WorkloadEndpoint name does not match the primary identifiers assigned in the Spec: expected name ${expected}`;
  return [problem(['metadata', 'name'], `must be ${expected}`, { field: 'Name', value: metadata.name, reason })];
}

/** A port with a name for policies, or one that a port of the node is forwarded to. */
export function workloadPortProblems(port: Members, at: FieldPath): RuleProblem[] {
  const found = endpointPortProblems(port, at, 'WorkloadEndpointPort');
  const { name = '', hostPort = 0 } = port;
  if (name !== '' || hostPort !== 0) return found;
  const reason = 'WorkloadEndpointPort name must not be empty if no HostPort is specified';
  const details = { field: 'WorkloadEndpointPort.Name', value: '', reason };
  return [...found, problem([...at, 'name'], 'is missing, and hostPort too', details)];
}

/** Both addresses of a NAT are of one family, and neither is missing. */
export function natProblems({ internalIP = '', externalIP = '' }: Members, at: FieldPath): RuleProblem[] {
  const [internal, external] = [internalIP, externalIP].map((one) => parseCidrOrIp(String(one))?.version);
  if (internal === external) return [];
  const details = { field: 'ExternalIP', value: externalIP, reason: 'mismatched IP versions' };
  return [problem([...at, 'externalIP'], 'must be of the same family as internalIP', details)];
}

function networkProblems(networks: readonly string[]): RuleProblem[] {
  return networks.flatMap((network, index) => {
    const cidr = parseCidrOrIp(network);
    if (cidr === undefined || cidr.prefix === (cidr.version === 4 ? 32 : 128)) return [];
    const details = { field: 'IPNetworks', value: networks, reason: 'IP network contains multiple addresses' };
    return [problem(['spec', 'ipNetworks', index], 'must be one address: /32 or /128', details)];
  });
}

function gatewayProblems(spec: Members): RuleProblem[] {
  return ([4, 6] as const).flatMap((version) => {
    const gateway = spec[`ipv${version}Gateway`];
    if (typeof gateway !== 'string' || gateway === '' || parseIp(gateway)?.version === version) return [];
    const reason = `invalid IPv${version} gateway address specified`;
    const details = { field: `IPv${version}Gateway`, value: gateway, reason };
    return [problem(['spec', `ipv${version}Gateway`], `must be an IPv${version} address`, details)];
  });
}

/** calicoctl reports the first NAT that is not of the endpoint. */
function foreignNat(nats: readonly Members[], networks: readonly string[]): RuleProblem[] {
  const index = nats.findIndex(({ internalIP }) => {
    const internal = parseIp(String(internalIP ?? ''));
    return !networks.some((network) => {
      const cidr = parseCidrOrIp(network);
      return cidr !== undefined && internal !== undefined && cidrContains(cidr, internal);
    });
  });
  if (index === -1) return [];
  const shown = nats.map(({ internalIP = '', externalIP = '' }) => `{${String(internalIP)} ${String(externalIP)}}`);
  const details = { field: 'IPNATs', value: `[${shown.join(' ')}]`, reason: 'NAT is not in the endpoint networks' };
  return [problem(['spec', 'ipNATs', index, 'internalIP'], 'must be one of ipNetworks', details)];
}

export const workloadEndpointRules: Rules<never> = {
  defaulted: named,
  writeProblems: endpointNameProblems as never,
  problems: ({ spec }: WorkloadEndpoint) => {
    const networks = listOf(spec['ipNetworks']).map(String);
    const nats = listOf(spec['ipNATs']).map(membersOf);
    return [...networkProblems(networks), ...gatewayProblems(spec), ...foreignNat(nats, networks)];
  },
};
