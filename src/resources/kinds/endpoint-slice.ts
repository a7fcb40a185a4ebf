// EndpointSlice: the addresses and ports behind a service, by which policies name services. Its endpoints and ports are
// fields of the object itself.
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

export interface EndpointSlice extends KubeObject {
  /** `IPv4`, `IPv6` or `FQDN`. */
  addressType?: string;
  endpoints?: { addresses?: string[]; nodeName?: string | null }[] | null;
  ports?: { name?: string; protocol?: string | null; port?: number | null }[] | null;
}

export const endpointSlice: Kind<EndpointSlice> = {
  kind: 'EndpointSlice',
  about: 'Some of the endpoints of a Kubernetes service.',
  aliases: [],
  namespaced: true,
  api: { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' },
  fields: {},
  columns: { default: [nameColumn], wide: [nameColumn] },
};
