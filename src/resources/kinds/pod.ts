// Pod: the few fields of a core/v1 Pod that say which addresses it uses. Its addresses are in pod-addresses.ts.
import { nameColumn } from '../cells.ts';
import { field, fields, flag, integer, ipAddress, list, nullable, object, text, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

const containers = nullable(
  list(
    object(
      fields(() => ({
        name: field(text, 'Name of the container.'),
        env: field(
          nullable(
            list(object({ name: field(text, 'Name of the variable.'), value: field(text, 'Value of the variable.') })),
          ),
          'Environment of the container; read only of calico-node.',
        ),
        ports: field(
          nullable(
            list(
              object({
                name: field(text, 'Name of the port.'),
                protocol: field(text, 'Protocol of the port.', { default: 'TCP' }),
                containerPort: field(integer(), 'Port in the pod.'),
                hostPort: field(integer(), 'Port of the node that is forwarded to the port.'),
                hostIP: field(ipAddress, 'Address of the node at which the host port listens.'),
              }),
            ),
          ),
          'Ports of the container.',
        ),
      })),
    ),
  ),
);

const spec = fields(() => ({
  nodeName: field(text, 'Node that the pod is on.'),
  hostNetwork: field(flag, 'Whether the pod uses the network of its node.'),
  serviceAccountName: field(text, 'Service account that the pod runs as.'),
  containers: field(containers, 'Containers of the pod.'),
  initContainers: field(containers, 'Containers that run before the others.'),
}));

const status = fields(() => ({
  phase: field(text, 'State of the pod: `Pending`, `Running`, `Succeeded` or `Failed`.'),
  reason: field(text, 'Why the pod is in its phase.'),
  podIP: field(ipAddress, 'First address of the pod.'),
  podIPs: field(nullable(list(object({ ip: field(ipAddress, 'An address.') }))), 'All addresses of the pod.'),
}));

export interface Pod extends KubeObject {
  spec?: Values<typeof spec>;
  status?: Values<typeof status>;
}

export const pod: Kind<Pod> = {
  kind: 'Pod',
  about: 'A Kubernetes pod.',
  aliases: [],
  namespaced: true,
  api: { group: '', version: 'v1', plural: 'pods' },
  fields: { spec, status },
  columns: { default: [nameColumn], wide: [nameColumn] },
};
