// Service: the few fields of a core/v1 Service that say which addresses it has, and which of them may be advertised.
import { nameColumn } from '../cells.ts';
import { field, fields, ipAddress, list, nullable, object, text, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

const spec = fields(() => ({
  type: field(text, 'How the service is published: `ClusterIP`, `NodePort`, `LoadBalancer` or `ExternalName`.'),
  clusterIP: field(text, 'First cluster address of the service; `None` for a headless one.'),
  clusterIPs: field(nullable(list(text)), 'All cluster addresses of the service.'),
  externalIPs: field(nullable(list(text)), 'Addresses at which nodes accept traffic for the service.'),
  loadBalancerIP: field(text, 'Address that is requested of the load balancer.'),
  externalTrafficPolicy: field(
    text,
    'Whether traffic from outside goes to all endpoints (`Cluster`) or to those of the node (`Local`).',
  ),
  ipFamilies: field(nullable(list(text)), 'Address families of the service: `IPv4`, `IPv6`.'),
  loadBalancerClass: field(text, 'Load balancer implementation that the service is for.'),
}));

const ingress = object({
  ip: field(ipAddress, 'Address of the load balancer.'),
  hostname: field(text, 'Name of the load balancer.'),
});

const status = fields(() => ({
  loadBalancer: field(
    object({ ingress: field(nullable(list(ingress)), 'Where the load balancer is reached.') }),
    'State of the load balancer.',
  ),
}));

export interface Service extends KubeObject {
  spec?: Values<typeof spec>;
  status?: Values<typeof status>;
}

export const service: Kind<Service> = {
  kind: 'Service',
  about: 'A Kubernetes service.',
  aliases: [],
  namespaced: true,
  api: { group: '', version: 'v1', plural: 'services' },
  fields: { spec, status },
  columns: { default: [nameColumn], wide: [nameColumn] },
};
