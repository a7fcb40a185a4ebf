// HostEndpoint: interfaces of a node, so that policies apply to them.
import { column, joined, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { field, fields, ipAddress, list, object, port, tagged, text, type Values } from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { endpointPortProblems, hostEndpointRules } from '../rules/endpoint.ts';
import { needed, tags } from '../rules/tags.ts';
import { protocol } from './policy-rule-fields.ts';

const spec = fields(() => ({
  node: field(tagged(text, tags.name), 'Node that has the interface.'),
  interfaceName: field(tagged(text, tags.interface), 'Name of the interface; `*` for all interfaces of the node.'),
  expectedIPs: field(
    list(tagged(ipAddress, tags.ip)),
    'Addresses of the interface: Felix finds it by them when interfaceName is empty, and policies match them.',
  ),
  profiles: field(list(tagged(text, tags.name)), 'Profiles that apply to the endpoint.'),
  ports: field(
    list(
      object(
        {
          name: field(needed(tagged(text, tags.portName)), 'Name of the port, for policies.', { omit: 'never' }),
          protocol: field({ ...protocol, absent: 0 }, 'Protocol of the port.', { omit: 'never' }),
          port: field(needed(tagged(port, tags.positivePort)), 'Number of the port.', { omit: 'never' }),
        },
        { struct: 'EndpointPort', check: (port, at) => endpointPortProblems(port, at) },
      ),
    ),
    'Ports with names, which policies can refer to.',
  ),
}));

export interface HostEndpoint extends KubeObject {
  spec: Values<typeof spec>;
}

const node = column<HostEndpoint>('NODE', ({ spec }) => spec.node ?? '');

export const hostEndpoint: Kind<HostEndpoint> = {
  kind: 'HostEndpoint',
  about: 'One interface of a node, or all of them, to which policies apply.',
  aliases: ['hostendpoint', 'hostendpoints', 'hep', 'heps'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'hostendpoints' },
  fields: { spec },
  rules: hostEndpointRules,
  codec: customResource,
  columns: {
    default: [nameColumn, node],
    wide: [
      nameColumn,
      node,
      column('INTERFACE', ({ spec }) => spec.interfaceName ?? ''),
      column('IPS', ({ spec }) => joined(spec.expectedIPs)),
      column('PROFILES', ({ spec }) => joined(spec.profiles)),
    ],
  },
};
