// Objects of Calico 2's own API (apiVersion: v1) to projectcalico.org/v3. Rules: docs/reference/conversion.md.
import { formatCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { formatIp, parseIp } from '../../net/ip.ts';
import { CalictlError } from '../../world/errors.ts';
import type { FieldTable } from '../field.ts';
import { omitEmpty, orderMetadata } from '../field-order.ts';
import { v3ApiVersion } from '../kind.ts';
import { kindNamed } from '../kinds.ts';
import { blockName } from '../names.ts';
import type { KubeObject, ObjectMeta } from '../object.ts';
import { defaultTier, TIER_LABEL } from '../policy-names.ts';
import type { RuleProblem } from '../rules/rule-problem.ts';
import { tableProblems } from '../rules/values.ts';
import * as fields from './fields.ts';
import { addressName, normalName, policyName, profileName, uniqueName } from './names.ts';
import * as rules from './rules.ts';

type Members = Readonly<Record<string, unknown>>;

/** An object of Calico 2: there is always a spec. */
export interface Calico2Object {
  readonly metadata: Members;
  readonly spec: Members;
}

export interface ConversionOptions {
  /** As calicoctl: with its mistakes. */
  readonly asCalicoctl?: boolean;
}

/** What an object becomes: the rest of it is the same for all. */
interface Converted {
  readonly metadata: Omit<ObjectMeta, 'creationTimestamp'>;
  readonly spec: Members;
}

export interface Calico2Kind {
  /** As in manifests: `ipPool`. */
  readonly kind: string;
  /** The name of its type in Go: `IPPool`. */
  readonly goKind: string;
  /** The kind that its objects become. */
  readonly becomes: string;
  readonly fields: fields.Calico2Fields;
  readonly problems?: (object: Calico2Object) => RuleProblem[];
  /** Errors: CalictlError for an object that has no place in the new API. */
  readonly convert: (object: Calico2Object, options: ConversionOptions) => Converted;
}

export const calico2ApiVersion = 'v1';

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

function unconvertible(message: string): CalictlError {
  return new CalictlError(message, { code: 'UNCONVERTIBLE' });
}

/** The address in its usual spelling; a text that is none stays. */
function addressText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const read = parseIp(textOf(value));
  return read === undefined ? textOf(value) : formatIp(read);
}

/** The range in its usual spelling, without host bits. */
function networkText(value: unknown): string {
  const read = parseCidrOrIp(textOf(value));
  return read === undefined ? textOf(value) : formatCidr(read);
}

const namespaceLabel = (key: string): string => key.replaceAll('calico/k8s_ns', 'projectcalico.org/namespace');

const capital = (word: unknown): string => {
  const text = textOf(word);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

const protocols: Readonly<Record<string, string>> = {
  tcp: 'TCP',
  udp: 'UDP',
  icmp: 'ICMP',
  icmpv6: 'ICMPv6',
  sctp: 'SCTP',
  udplite: 'UDPLite',
};

const protocolOf = (value: unknown): unknown => (typeof value === 'string' ? (protocols[value] ?? value) : value);

/** A tag is a label without a value now. */
function withTag(selector: unknown, tag: unknown): string {
  const own = namespaceLabel(textOf(selector));
  if (textOf(tag) === '') return own;
  const test = `${textOf(tag)} == ''`;
  return own === '' ? test : `(${own}) && ${test}`;
}

function entityOf(value: unknown): Members {
  const entity = membersOf(value);
  const nets = (several: unknown, one: unknown): string[] =>
    [...listOf(several), ...(one === undefined ? [] : [one])].map(networkText);
  return {
    nets: nets(entity['nets'], entity['net']),
    selector: withTag(entity['selector'], entity['tag']),
    ports: entity['ports'],
    notNets: nets(entity['notNets'], entity['notNet']),
    notSelector: withTag(entity['notSelector'], entity['notTag']),
    notPorts: entity['notPorts'],
  };
}

const isEmpty = (value: unknown): boolean => Object.keys(membersOf(value)).length === 0;

function rulesOf(value: unknown): Members[] {
  return listOf(value)
    .map(membersOf)
    .map(({ icmp, notICMP, ...rule }) => ({
      ...rule,
      ...(!isEmpty(icmp) && { icmp }),
      ...(!isEmpty(notICMP) && { notICMP }),
      action: capital(rule['action']),
      protocol: protocolOf(rule['protocol']),
      notProtocol: protocolOf(rule['notProtocol']),
      source: entityOf(rule['source']),
      destination: entityOf(rule['destination']),
    }));
}

/** The directions of a policy that names none. */
function typesOf({ types, ingress, egress }: Members): string[] {
  if (listOf(types).length > 0) return listOf(types).map(capital);
  const hasEgress = listOf(egress).length > 0;
  return [...(listOf(ingress).length > 0 || !hasEgress ? ['Ingress'] : []), ...(hasEgress ? ['Egress'] : [])];
}

function bgpPeer({ metadata, spec }: Calico2Object): Converted {
  const { scope, node } = metadata;
  const peerIP = addressText(metadata['peerIP'] || undefined);
  if (peerIP === undefined) {
    const details = `PeerIP=<nil>, Scope=${textOf(scope)}, Node=${textOf(node)}`;
    throw unconvertible(`no PeerIP is set, invalid BGPPeer: BGPPeer(${details})`);
  }
  if (!scope) throw unconvertible("insufficient identifiers, missing 'scope'");
  if (scope === 'global') return { metadata: { name: addressName(peerIP) }, spec: { ...spec, peerIP } };
  if (!node) throw unconvertible(`With Node scope a Node must be defined: {{} node  ${peerIP}}`);
  const nodeName = normalName(textOf(node));
  return { metadata: { name: `${nodeName}.${addressName(peerIP)}` }, spec: { ...spec, node: nodeName, peerIP } };
}

function ipPool({ metadata, spec }: Calico2Object): Converted {
  // What Go prints for a range that is not given.
  const cidr = metadata['cidr'] === undefined ? '<nil>' : networkText(metadata['cidr']);
  const { enabled, mode } = membersOf(spec['ipip']);
  return {
    metadata: { name: blockName(cidr) },
    spec: {
      cidr,
      ipipMode: enabled !== true ? 'Never' : mode === 'cross-subnet' ? 'CrossSubnet' : 'Always',
      vxlanMode: 'Never',
      natOutgoing: spec['nat-outgoing'],
      disabled: spec['disabled'],
      blockSize: cidr.includes('.') ? 26 : 122,
      nodeSelector: 'all()',
      allowedUses: ['Workload', 'Tunnel'],
      assignmentMode: 'Automatic',
    },
  };
}

function node({ metadata, spec }: Calico2Object): Converted {
  const references = listOf(spec['orchRefs'])
    .map(membersOf)
    .map((one) => ({ ...one, orchestrator: textOf(one['orchestrator']) }));
  return { metadata: { name: normalName(textOf(metadata['name'])) }, spec: { ...spec, orchRefs: references } };
}

function hostEndpoint({ metadata, spec }: Calico2Object): Converted {
  const nodeName = normalName(textOf(metadata['node']));
  return {
    metadata: {
      name: uniqueName(`${nodeName}.${textOf(metadata['name'])}`),
      labels: metadata['labels'] as ObjectMeta['labels'],
    },
    spec: {
      ...spec,
      node: nodeName,
      expectedIPs: listOf(spec['expectedIPs']).map(addressText),
      profiles: listOf(spec['profiles']).map((name) => profileName(textOf(name))),
      ports: listOf(spec['ports'])
        .map(membersOf)
        .map((port) => ({ ...port, protocol: protocolOf(port['protocol']) })),
    },
  };
}

/** What names a workload in the new API, by the orchestrator that made it. */
function workloadOf(metadata: Members): { namespace: string; parts: Readonly<Record<string, string>> } {
  const [workload, orchestrator, containerID] = ['workload', 'orchestrator', 'activeInstanceID'].map((name) =>
    textOf(metadata[name]),
  ) as [string, string, string];
  const endpoint = uniqueName(textOf(metadata['name']));
  switch (orchestrator) {
    case 'k8s': {
      const dot = workload.indexOf('.');
      if (dot < 0) {
        const reason = 'workload was not added through the Calico CNI plugin and cannot be converted';
        throw unconvertible(`malformed k8s workload ID '${workload}': ${reason}`);
      }
      const parts = { orchestrator, pod: workload.slice(dot + 1), containerID, endpoint };
      return { namespace: workload.slice(0, dot), parts };
    }
    case 'cni':
      return { namespace: 'default', parts: { orchestrator, containerID: workload, endpoint } };
    case 'libnetwork':
      return { namespace: 'default', parts: { orchestrator, workload: 'libnetwork', containerID: '', endpoint } };
    default:
      return {
        namespace: 'default',
        parts: {
          orchestrator: uniqueName(orchestrator),
          workload: uniqueName(workload),
          containerID,
          endpoint,
        },
      };
  }
}

/** The parts of the name of an endpoint, in their order: dashes in them are doubled. */
function endpointName(parts: readonly (readonly [field: string, value: string])[]): string {
  return parts
    .map(([field, value]) => {
      const wrong =
        value === ''
          ? 'field should be assigned'
          : value.startsWith('-')
            ? "field must not begin with a '-'"
            : value.endsWith('-')
              ? "field must not end with a '-'"
              : undefined;
      if (wrong !== undefined) {
        const shown = field === 'node' && value === '' ? '' : ` = '${value}'`;
        throw unconvertible(`error with field ${field}${shown} (${wrong})`);
      }
      return value.replaceAll('-', '--');
    })
    .join('-');
}

function workloadEndpoint({ metadata, spec }: Calico2Object, { asCalicoctl }: ConversionOptions): Converted {
  const nodeName = normalName(textOf(metadata['node']));
  const { namespace, parts } = workloadOf(metadata);
  const { orchestrator = '', endpoint = '' } = parts;
  const owner = orchestrator === 'k8s' ? 'pod' : orchestrator === 'cni' ? 'containerID' : 'workload';
  const name = endpointName([
    ['node', nodeName],
    ['orchestrator', orchestrator],
    [owner, parts[owner] ?? ''],
    ['endpoint', endpoint],
  ]);
  const labels = Object.entries(membersOf(metadata['labels'])).map(([key, value]) => [
    key === 'calico/k8s_ns' ? namespaceLabel(key) : key,
    value,
  ]);
  const nets = listOf(spec['ipNetworks']).map(networkText);
  return {
    metadata: { name, namespace, ...(labels.length > 0 && { labels: Object.fromEntries(labels) }) },
    spec: {
      ...spec,
      ...parts,
      node: nodeName,
      ipNetworks: [...nets.filter((net) => !net.includes(':')), ...nets.filter((net) => net.includes(':'))],
      ipNATs: listOf(spec['ipNATs'])
        .map(membersOf)
        .map(({ internalIP, externalIP }) => ({
          internalIP: addressText(internalIP),
          externalIP: addressText(externalIP),
        })),
      ipv4Gateway: addressText(spec['ipv4Gateway']),
      ipv6Gateway: addressText(spec['ipv6Gateway']),
      profiles: listOf(spec['profiles']).map((profile) => profileName(textOf(profile))),
      ports: listOf(spec['ports'])
        .map(membersOf)
        .map(({ protocol, ...port }) => {
          // calicoctl leaves the name as it was, which it then refuses.
          return { ...port, protocol: asCalicoctl ? protocol : protocolOf(protocol), hostPort: 0, hostIP: '' };
        }),
    },
  };
}

function profile({ metadata, spec }: Calico2Object): Converted {
  const own = membersOf(metadata['labels']);
  const tags = listOf(metadata['tags']).map(textOf);
  const clash = tags.find((tag) => Object.hasOwn(own, tag));
  if (clash !== undefined) {
    const label = `Label '${clash} == ${textOf(own[clash])}'`;
    const where = `the same value for Profile: ${textOf(metadata['name'])}`;
    throw unconvertible(`Tag: '${clash}' and ${label} have ${where}. Change the Label key before proceeding`);
  }
  const labelsToApply = { ...own, ...Object.fromEntries(tags.map((tag) => [tag, ''])) };
  return {
    metadata: { name: profileName(textOf(metadata['name'])) },
    spec: { ingress: rulesOf(spec['ingress']), egress: rulesOf(spec['egress']), labelsToApply },
  };
}

function policy({ metadata, spec }: Calico2Object): Converted {
  const { doNotTrack, preDNAT } = spec;
  return {
    metadata: {
      name: `${defaultTier}.${policyName(textOf(metadata['name']))}`,
      labels: { [TIER_LABEL]: defaultTier },
      annotations: metadata['annotations'] as ObjectMeta['annotations'],
    },
    spec: {
      ...spec,
      tier: defaultTier,
      ingress: rulesOf(spec['ingress']),
      egress: rulesOf(spec['egress']),
      selector: namespaceLabel(textOf(spec['selector'])),
      types: typesOf(spec),
      applyOnForward: doNotTrack === true || preDNAT === true,
    },
  };
}

const kinds: readonly Calico2Kind[] = [
  {
    kind: 'bgpPeer',
    goKind: 'BGPPeer',
    becomes: 'BGPPeer',
    fields: fields.bgpPeer,
    problems: rules.bgpPeerProblems,
    convert: bgpPeer,
  },
  {
    kind: 'hostEndpoint',
    goKind: 'HostEndpoint',
    becomes: 'HostEndpoint',
    fields: fields.hostEndpoint,
    problems: rules.hostEndpointProblems,
    convert: hostEndpoint,
  },
  {
    kind: 'ipPool',
    goKind: 'IPPool',
    becomes: 'IPPool',
    fields: fields.ipPool,
    problems: rules.ipPoolProblems,
    convert: ipPool,
  },
  {
    kind: 'node',
    goKind: 'Node',
    becomes: 'Node',
    fields: fields.node,
    problems: rules.nodeProblems,
    convert: node,
  },
  {
    kind: 'policy',
    goKind: 'Policy',
    becomes: 'GlobalNetworkPolicy',
    fields: fields.policy,
    problems: rules.policyProblems,
    convert: policy,
  },
  { kind: 'profile', goKind: 'Profile', becomes: 'Profile', fields: fields.profile, convert: profile },
  {
    kind: 'workloadEndpoint',
    goKind: 'WorkloadEndpoint',
    becomes: 'WorkloadEndpoint',
    fields: fields.workloadEndpoint,
    problems: rules.workloadEndpointProblems,
    convert: workloadEndpoint,
  },
];

/** The kind of Calico 2 of this name. */
export function calico2Kind(apiVersion: string, kind: string): Calico2Kind | undefined {
  return apiVersion === calico2ApiVersion ? kinds.find((one) => one.kind === kind) : undefined;
}

/** Everything wrong with the values of an object whose types are right, in calicoctl's order. */
export function calico2Problems(kind: Calico2Kind, object: Calico2Object): RuleProblem[] {
  const of = (part: 'metadata' | 'spec'): RuleProblem[] =>
    tableProblems({}, kind.fields[part] as FieldTable, object[part], [part]);
  return [...of('metadata'), ...of('spec'), ...(kind.problems?.(object) ?? [])];
}

/** The object in projectcalico.org/v3. Errors: CalictlError, when it has no place there. */
export function fromCalico2(kind: Calico2Kind, object: Calico2Object, options: ConversionOptions = {}): KubeObject {
  const { metadata, spec } = kind.convert(object, options);
  return asV3(kind.becomes, metadata, spec);
}

/** A new object, without the fields that are empty. */
export function asV3(kindName: string, metadata: Omit<ObjectMeta, 'creationTimestamp'>, spec: Members): KubeObject {
  const kind = kindNamed(kindName);
  const given = Object.fromEntries(
    Object.entries({ ...metadata, creationTimestamp: null }).filter(([, value]) => value !== undefined && value !== ''),
  );
  const object = {
    apiVersion: v3ApiVersion,
    kind: kindName,
    metadata: orderMetadata(given) as unknown as ObjectMeta,
    spec,
  };
  return kind === undefined ? object : omitEmpty(kind, object);
}
