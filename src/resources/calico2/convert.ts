// Objects of Calico 2's own API (apiVersion: v1) to projectcalico.org/v3. Rules: docs/reference/conversion.md.
import type { FieldTable } from '../field.ts';
import { omitEmpty, orderMetadata } from '../field-order.ts';
import { v3ApiVersion } from '../kind.ts';
import { kindNamed } from '../kinds.ts';
import { blockName } from '../names.ts';
import type { KubeObject, ObjectMeta } from '../object.ts';
import type { RuleProblem } from '../rules/rule-problem.ts';
import { tableProblems } from '../rules/values.ts';
import * as fields from './fields.ts';
import { addressName, normalName, profileName, uniqueName } from './names.ts';
import { policy, profile } from './policies.ts';
import * as rules from './rules.ts';
import {
  addressText,
  type Calico2Object,
  type ConversionOptions,
  type Converted,
  listOf,
  type Members,
  membersOf,
  networkText,
  protocolOf,
  textOf,
  unconvertible,
} from './values.ts';
import { workloadEndpoint } from './workload-endpoint.ts';

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
