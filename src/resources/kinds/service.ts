// Service: the few fields of a core/v1 Service that say which addresses a load balancer uses.
import { nameColumn } from '../cells.ts';
import { field, fields, ipAddress, list, nullable, object, text, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

const spec = fields(() => ({
  type: field(text, 'How the service is published: `ClusterIP`, `NodePort`, `LoadBalancer` or `ExternalName`.'),
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
