// WorkloadEndpoint: one interface of one pod. In Kubernetes it is made from the Pod (workload-endpoint-of-pod.ts);
// only folders and etcd store it.
import * as z from 'zod/mini';
import { column, joined, nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { integer, objectSchema, text, texts } from '../schema.ts';

const spec = z.looseObject({
  orchestrator: text,
  workload: text,
  node: text,
  containerID: text,
  pod: text,
  endpoint: text,
  serviceAccountName: text,
  /** Addresses with /32 or /128. */
  ipNetworks: texts,
  ipNATs: z.optional(z.array(z.looseObject({ internalIP: text, externalIP: text }))),
  ipv4Gateway: text,
  ipv6Gateway: text,
  profiles: texts,
  interfaceName: text,
  mac: text,
  ports: z.optional(
    z.array(
      z.looseObject({
        name: text,
        protocol: z.optional(z.union([z.string(), z.int()])),
        port: integer,
        hostPort: integer,
        hostIP: text,
      }),
    ),
  ),
  allowSpoofedSourcePrefixes: texts,
  qosControls: z.optional(z.looseObject({})),
});

export interface WorkloadEndpoint extends KubeObject {
  spec: z.infer<typeof spec>;
}

const workload = column<WorkloadEndpoint>('WORKLOAD', ({ spec }) => spec.workload || spec.pod || '');
const node = column<WorkloadEndpoint>('NODE', ({ spec }) => spec.node ?? '');
const networks = column<WorkloadEndpoint>('NETWORKS', ({ spec }) => joined(spec.ipNetworks));
const networkInterface = column<WorkloadEndpoint>('INTERFACE', ({ spec }) => spec.interfaceName ?? '');

export const workloadEndpoint: Kind<WorkloadEndpoint> = {
  kind: 'WorkloadEndpoint',
  aliases: ['workloadendpoint', 'workloadendpoints', 'wep', 'weps'],
  namespaced: true,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'workloadendpoints' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  columns: {
    default: [workload, node, networks, networkInterface],
    wide: [
      nameColumn,
      workload,
      node,
      networks,
      networkInterface,
      column('PROFILES', ({ spec }) => joined(spec.profiles)),
      column('NATS', ({ spec }) =>
        joined((spec.ipNATs ?? []).map((nat) => `{${nat.internalIP ?? ''} ${nat.externalIP ?? ''}}`)),
      ),
    ],
    extra: [column('ORCHESTRATOR', ({ spec }) => spec.orchestrator ?? '')],
  },
  fieldOrder: {
    spec: [
      'orchestrator',
      'workload',
      'node',
      'containerID',
      'pod',
      'endpoint',
      'serviceAccountName',
      'ipNetworks',
      'ipNATs',
      'ipv4Gateway',
      'ipv6Gateway',
      'profiles',
      'interfaceName',
      'mac',
      'ports',
      'allowSpoofedSourcePrefixes',
      'qosControls',
    ],
    'spec.ipNATs': ['internalIP*', 'externalIP*'],
    'spec.ports': ['name*', 'protocol*', 'port*', 'hostPort*', 'hostIP*'],
    'spec.qosControls': [
      'ingressBandwidth',
      'ingressBurst',
      'ingressPeakrate',
      'ingressMinburst',
      'egressBandwidth',
      'egressBurst',
      'egressPeakrate',
      'egressMinburst',
      'ingressPacketRate',
      'ingressPacketBurst',
      'egressPacketRate',
      'egressPacketBurst',
      'ingressMaxConnections',
      'egressMaxConnections',
      'dscp',
    ],
  },
};
