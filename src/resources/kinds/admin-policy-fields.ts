// The fields of the policies of administrators (policy.networking.k8s.io), as far as Calico enforces them.
import { cidr, field, fields, integer, list, object, oneOf, port, text } from '../field.ts';
import { labelSelector } from './kubernetes-policy-fields.ts';

const namespacedPods = object({
  namespaceSelector: field(labelSelector, 'Namespaces of the pods; all when it is empty.'),
  podSelector: field(labelSelector, 'Pods; all when it is empty.'),
});

const subject = field(
  object({
    namespaces: field(labelSelector, 'Namespaces whose pods the policy applies to.'),
    pods: field(namespacedPods, 'Pods that the policy applies to.'),
  }),
  'What the policy applies to: namespaces or pods.',
);

const namespaces = field(labelSelector, 'Namespaces whose pods match.');
const pods = field(namespacedPods, 'Pods that match.');
const sources = list(object({ namespaces, pods }));
const destinations = list(object({ namespaces, pods, networks: field(list(cidr), 'Addresses that match.') }));

const protocol = field(oneOf('TCP', 'UDP', 'SCTP'), 'Protocol.', { default: 'TCP' });
const range = fields(() => ({
  start: field(port, 'First port.', { required: true }),
  end: field(port, 'Last port.', { required: true }),
}));

const ports = field(
  list(
    object({
      portNumber: field(object({ protocol, port: field(port, 'The port.') }), 'One port.'),
      portRange: field(object({ protocol, ...range() }), 'A range of ports.'),
      namedPort: field(text, 'Name of a port of the pod.'),
    }),
  ),
  'Ports of the traffic; all when there are none.',
);

const name = field(text, 'Name of the rule.');
const action = field(oneOf('Allow', 'Deny', 'Pass'), 'What happens to traffic that matches.', { required: true });

function rules(direction: 'from' | 'to') {
  const peers =
    direction === 'from'
      ? { from: field(sources, 'Where it comes from.') }
      : { to: field(destinations, 'Where it goes.') };
  return { name, action, ...peers, ports };
}

/** The fields of an AdminNetworkPolicy; a BaselineAdminNetworkPolicy has all but the priority. */
export const adminPolicyFields = () => ({
  priority: field(integer({ min: 0, max: 1000 }), 'Place among the policies: the lowest is evaluated first.'),
  subject,
  ingress: field(list(object(rules('from'))), 'Rules for traffic to the subject, in order.'),
  egress: field(list(object(rules('to'))), 'Rules for traffic from the subject, in order.'),
});

const destinationPort = field(
  object({ number: field(port, 'The port.'), range: field(object(range), 'A range of ports.') }),
  'Port of the destination; all when it is not given.',
);

const protocols = field(
  list(
    object({
      tcp: field(object({ destinationPort }), 'TCP.'),
      udp: field(object({ destinationPort }), 'UDP.'),
      sctp: field(object({ destinationPort }), 'SCTP.'),
      destinationNamedPort: field(text, 'Name of a port of the pod.'),
    }),
  ),
  'Protocols and ports of the traffic; all when there are none.',
);

function clusterRules(direction: 'from' | 'to') {
  const { ports: _, ...fieldsOfRule } = rules(direction);
  const accept = field(oneOf('Accept', 'Deny', 'Pass'), 'What happens to traffic that matches.', { required: true });
  return { ...fieldsOfRule, action: accept, protocols };
}

/** The fields of a ClusterNetworkPolicy. */
export const clusterPolicyFields = () => ({
  tier: field(oneOf('Admin', 'Baseline'), 'Before or after the policies of namespaces.', { required: true }),
  priority: field(
    integer({ min: 0, max: 1000 }),
    'Place among the policies of the tier: the lowest is evaluated first.',
  ),
  subject,
  ingress: field(list(object(clusterRules('from'))), 'Rules for traffic to the subject, in order.'),
  egress: field(list(object(clusterRules('to'))), 'Rules for traffic from the subject, in order.'),
});
