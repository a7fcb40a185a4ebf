// A valid object of any kind that people write, with a value in every field, made from the kind's table of fields.
import type { FieldTable, FieldType, ScalarType } from '../../../src/resources/field.ts';
import { type Kind, shownFields, v3ApiVersion } from '../../../src/resources/kind.ts';
import type { KubeObject } from '../../../src/resources/object.ts';

/** A value of each format that a text or a number may have. */
const samples: Readonly<Record<string, unknown>> = {
  CIDR: '192.0.2.0/24',
  'IP address': '192.0.2.1',
  duration: '1m30s',
  selector: "team == 'blue'",
  'regular expression': '^eth',
  'RFC 3339 time': '2026-01-02T03:04:05Z',
  'AS number': 64512,
  'MAC address': '66:2b:7c:00:11:22',
  protocol: 'TCP',
  port: '8000:8080',
};

function scalar({ json, format, values, range }: ScalarType): unknown {
  const [first] = values ?? [];
  if (first !== undefined) return first;
  const sample = samples[format?.split(':')[0] ?? ''];
  if (sample !== undefined) return sample;
  switch (json) {
    case 'boolean':
      return true;
    case 'boolean-or-string':
      return true;
    case 'integer':
    case 'int64':
    case 'number':
      return Math.max(range?.min ?? 1, 1);
    default:
      return json === 'string' ? 'a' : 1;
  }
}

function value(type: FieldType, recent: boolean): unknown {
  switch (type.form) {
    case 'scalar':
      return scalar(type);
    case 'list':
      return [value(type.items, recent)];
    case 'map':
      return { a: value(type.values, recent) };
    case 'object':
      return complete(type.fields(), recent);
  }
}

function complete(table: FieldTable, recent: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table)
      .filter(([, { since }]) => recent || since === undefined)
      .map(([name, { type }]) => [name, value(type, recent)]),
  );
}

type Members = Readonly<Record<string, unknown>>;

/** The object, with other values where its rules want them; null leaves a field out. */
function adapted(given: Members, change: Members): Record<string, unknown> {
  const made: Record<string, unknown> = { ...given };
  for (const [name, one] of Object.entries(change)) {
    const old = made[name];
    if (one === null) delete made[name];
    else if (typeof one === 'object' && !Array.isArray(one) && typeof old === 'object' && old !== null) {
      made[name] = adapted(old as Members, one as Members);
    } else made[name] = one;
  }
  return made;
}

const end = { nets: ['10.0.0.0/8'], notNets: ['10.1.0.0/16'], services: null, notPorts: [8001, 'metrics'] };
const rule = {
  icmp: null,
  notICMP: null,
  notProtocol: 'SCTP',
  source: end,
  destination: end,
  http: { methods: ['GET'], paths: [{ exact: '/a' }, { prefix: '/b' }] },
};
const rules = (made: unknown, change: Members): unknown =>
  Array.isArray(made) ? made.map((one) => adapted(one as Members, change)) : null;
const policy = (made: Members): Members => ({
  tier: 'default',
  types: ['Ingress', 'Egress'],
  ingress: rules(made['ingress'], rule),
  egress: rules(made['egress'], { ...rule, http: null }),
  performanceHints: ['AssumeNeededOnEveryNode'],
});
const globalPolicy = (made: Members): Members => ({ ...policy(made), preDNAT: null, doNotTrack: null });

/** What the rules between fields want, by kind. */
const changes: Readonly<Record<string, (spec: Members) => Members>> = {
  BGPConfiguration: () => ({
    localWorkloadPeeringIPV6: 'fd00::1',
    communities: [{ name: 'a', value: '64512:100' }],
    prefixAdvertisements: [{ cidr: '192.0.2.0/24', communities: ['a', '64512:200'] }],
    ignoredInterfaces: ['docker*'],
  }),
  BGPFilter: () => ({
    exportV4: [
      {
        action: 'Accept',
        cidr: '10.0.0.0/8',
        matchOperator: 'In',
        prefixLength: { min: 8, max: 24 },
        source: 'RemotePeers',
        interface: 'eth*',
      },
    ],
    importV4: [{ action: 'Reject' }],
    exportV6: [{ action: 'Accept', cidr: 'fd00::/8', matchOperator: 'Equal', prefixLength: { min: 8, max: 64 } }],
    importV6: [{ action: 'Reject', interface: 'eth0' }],
  }),
  BGPPeer: () => ({
    node: 'node-a',
    peerIP: '192.0.2.7:1790',
    nodeSelector: null,
    peerSelector: null,
    localWorkloadSelector: null,
    keepOriginalNextHop: null,
    ttlSecurity: 1,
    numAllowedLocalASNumbers: 1,
  }),
  FelixConfiguration: (made) => ({
    featureGates: 'A=b',
    featureDetectOverride: 'A=true',
    logActionRateLimit: '5/second',
    bpfConntrackTimeouts: Object.fromEntries(
      Object.keys(made['bpfConntrackTimeouts'] as Members).map((name) => [name, '1m']),
    ),
    routeTableRange: null,
    bpfConnectTimeLoadBalancingEnabled: null,
    deviceRouteSourceAddressIPv6: 'fd00::1',
  }),
  GlobalNetworkPolicy: globalPolicy,
  IPPool: () => ({
    cidr: '10.96.0.0/16',
    vxlanMode: 'Never',
    blockSize: 28,
    ipip: null,
    'nat-outgoing': null,
    allowedUses: ['Workload'],
  }),
  KubeControllersConfiguration: () => ({ logSeverityScreen: 'Info' }),
  NetworkPolicy: policy,
  StagedGlobalNetworkPolicy: globalPolicy,
  StagedNetworkPolicy: policy,
};

/** In projectcalico.org/v3 form, with metadata of every sort that people write. `recent`: with the fields of Calico 3.32. */
export function completeObject(kind: Kind, name: string, recent = false): KubeObject {
  const { spec } = shownFields(kind);
  const made = spec === undefined ? {} : complete(spec(), recent);
  return {
    apiVersion: v3ApiVersion,
    kind: kind.kind,
    metadata: {
      name,
      ...(kind.namespaced && { namespace: 'default' }),
      labels: { team: 'blue', 'example.com/zone': 'a' },
      annotations: { 'example.com/note': 'kept: "as it is"', 'projectcalico.org/note': 'too' },
    },
    spec: adapted(made, changes[kind.kind]?.(made) ?? {}),
  };
}
