// The fields of a WorkloadEndpoint. That of a pod is made in convert/workload-endpoint-of-pod.ts.

import {
  cidr,
  field,
  fields,
  integer,
  integerOrText,
  ipAddress,
  list,
  object,
  port,
  tagged,
  text,
  type Values,
} from '../field.ts';
import type { KubeObject } from '../object.ts';
import { needed, tags } from '../rules/tags.ts';
import { natProblems, workloadPortProblems } from '../rules/workload-endpoint.ts';
import { protocol } from './policy-rule-fields.ts';

const named = tagged(text, tags.name);

const bits = integer({ min: 1000, max: 10 ** 15 });
const packets = integer({ min: 1, max: 10_000 });
const connections = integer({ min: 1, max: 4294967295 });

const qosControls = fields(() => ({
  ingressBandwidth: field(bits, 'Limit of traffic to the workload, in bits per second.'),
  ingressBurst: field(
    integer({ min: 1000, max: 34_359_738_360 }),
    'Burst of traffic above ingressBandwidth, in bits.',
    {
      default: 4294967296,
    },
  ),
  ingressPeakrate: field(integer({ min: 1010, max: 1.01 * 10 ** 15 }), 'Limit within a burst, in bits per second.'),
  ingressMinburst: field(integer({ min: 1000, max: 10 ** 8 }), 'Size of a burst at the peak rate, in bytes.'),
  egressBandwidth: field(bits, 'Limit of traffic from the workload, in bits per second.'),
  egressBurst: field(integer({ min: 1000, max: 34_359_738_360 }), 'Burst of traffic above egressBandwidth, in bits.', {
    default: 4294967296,
  }),
  egressPeakrate: field(integer({ min: 1010, max: 1.01 * 10 ** 15 }), 'Limit within a burst, in bits per second.'),
  egressMinburst: field(integer({ min: 1000, max: 10 ** 8 }), 'Size of a burst at the peak rate, in bytes.'),
  ingressPacketRate: field(packets, 'Limit of packets to the workload, per second.'),
  ingressPacketBurst: field(packets, 'Burst of packets above ingressPacketRate.', { default: 5 }),
  egressPacketRate: field(packets, 'Limit of packets from the workload, per second.'),
  egressPacketBurst: field(packets, 'Burst of packets above egressPacketRate.', { default: 5 }),
  ingressMaxConnections: field(connections, 'Maximum number of connections to the workload at a time.'),
  egressMaxConnections: field(connections, 'Maximum number of connections from the workload at a time.'),
  dscp: field(
    { ...integerOrText, format: 'DSCP: a number or a name' },
    'DSCP value of packets that leave the cluster: a number from 0 to 63, or a name such as `AF11`.',
  ),
}));

export const workloadEndpointSpec = fields(() => ({
  orchestrator: field(named, 'Orchestrator that made the workload: `k8s`.'),
  workload: field(named, 'Name of the workload, for orchestrators other than Kubernetes.'),
  node: field(named, 'Node that the workload is on.'),
  containerID: field(tagged(text, tags.containerID), 'ID of the container, or of the sandbox of the pod.'),
  pod: field(named, 'Name of the pod.'),
  endpoint: field(named, 'Name of the interface in the workload: `eth0`.'),
  serviceAccountName: field(named, 'Service account that the pod runs as.'),
  ipNetworks: field(list(tagged(cidr, tags.net)), 'Addresses of the workload, each as a /32 or /128.'),
  ipNATs: field(
    list(
      object(
        {
          internalIP: field(tagged(ipAddress, tags.ip), 'Address of the workload.', { omit: 'never' }),
          externalIP: field(tagged(ipAddress, tags.ip), 'Floating address that is translated to it.', {
            omit: 'never',
          }),
        },
        { struct: 'IPNAT', check: natProblems },
      ),
    ),
    'Floating addresses: 1:1 NAT to addresses of the workload.',
  ),
  ipv4Gateway: field(tagged(ipAddress, tags.ipv4), 'IPv4 gateway of the workload.'),
  ipv6Gateway: field(tagged(ipAddress, tags.ipv6), 'IPv6 gateway of the workload.'),
  profiles: field(list(named), 'Profiles that apply to the workload.'),
  interfaceName: field(needed(tagged(text, tags.interface)), "Name of the host's end of the veth pair."),
  mac: field(tagged({ ...text, format: 'MAC address' }, tags.mac), 'MAC address of the interface in the workload.'),
  ports: field(
    list(
      object(
        {
          name: field(tagged(text, tags.portName), 'Name of the port, for policies.', { omit: 'never' }),
          protocol: field({ ...protocol, absent: 0 }, 'Protocol: `TCP`, `UDP`, `SCTP`, or a number.', {
            omit: 'never',
          }),
          port: field(needed(tagged(port, tags.positivePort)), 'Port in the workload.', { omit: 'never' }),
          hostPort: field(
            integer({ min: 0, max: 65535 }),
            'Port of the node that is forwarded to the port; 0 for none.',
            {
              omit: 'never',
            },
          ),
          hostIP: field(
            tagged(ipAddress, tags.net),
            'Address of the node at which the host port listens; all addresses when it is empty.',
            { omit: 'never' },
          ),
        },
        { struct: 'WorkloadEndpointPort', check: workloadPortProblems },
      ),
    ),
    'Ports with names, which policies can refer to.',
  ),
  allowSpoofedSourcePrefixes: field(
    list(tagged(cidr, tags.cidr)),
    'Source addresses that the workload may use besides its own.',
  ),
  qosControls: field(object(qosControls, { struct: 'QoSControls' }), 'Limits of the traffic of the workload.'),
}));

/** One interface of one workload. */
export interface WorkloadEndpoint extends KubeObject {
  spec: Values<typeof workloadEndpointSpec>;
}
