// WorkloadEndpoint: one interface of one pod. In a Kubernetes datastore it is derived from the Pod; only folders and etcd
// store it. Its fields are in workload-endpoint-fields.ts.

import { column, joined, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { withoutCalicoAddresses } from '../convert/pod-addresses.ts';
import { malformedEndpointName, podOfEndpoint, workloadEndpointOf } from '../convert/workload-endpoint-of-pod.ts';
import type { Kind } from '../kind.ts';
import { notSupported } from '../refusals.ts';
import { workloadEndpointRules } from '../rules/workload-endpoint.ts';
import { type Pod, pod } from './pod.ts';
import { type WorkloadEndpoint, workloadEndpointSpec } from './workload-endpoint-fields.ts';

const ofPods = 'an endpoint follows its pod: change that with kubectl';

const workload = column<WorkloadEndpoint>('WORKLOAD', ({ spec }) => spec.workload || spec.pod || '');
const node = column<WorkloadEndpoint>('NODE', ({ spec }) => spec.node ?? '');
const networks = column<WorkloadEndpoint>('NETWORKS', ({ spec }) => joined(spec.ipNetworks));
const networkInterface = column<WorkloadEndpoint>('INTERFACE', ({ spec }) => spec.interfaceName ?? '');

export const workloadEndpoint: Kind<WorkloadEndpoint> = {
  kind: 'WorkloadEndpoint',
  about: 'One network interface of one workload, for example of a pod.',
  aliases: ['workloadendpoint', 'workloadendpoints', 'wep', 'weps'],
  namespaced: true,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'workloadendpoints' },
  fields: { spec: workloadEndpointSpec },
  rules: workloadEndpointRules,
  codec: customResource,
  derived: {
    sources: [
      {
        from: pod,
        derive: (source: Pod, { interfacePrefix }) => workloadEndpointOf(source, interfacePrefix),
        sourceOf: ({ name, namespace }) => {
          const podName = podOfEndpoint(name);
          return podName === undefined ? undefined : { name: podName, namespace };
        },
        withdrawn: withoutCalicoAddresses,
      },
    ],
    malformedName: malformedEndpointName,
  },
  refusals: [notSupported(['create', 'update'], 'sent', ofPods, 'unsupported PatchMode: patchModeUnspecified')],
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
};
