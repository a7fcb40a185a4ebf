// The fields of a NetworkPolicy of Kubernetes, which StagedKubernetesNetworkPolicy has too.
import { cidr, field, fields, integer, integerOrText, list, map, object, oneOf, text, type Values } from '../field.ts';

const labelSelectorFields = fields(() => ({
  matchLabels: field(map(text), 'Labels that the object must have, with these values.'),
  matchExpressions: field(
    list(
      object(
        {
          key: field(text, 'Key of the label.', { required: true, omit: 'never' }),
          operator: field(
            { ...oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), go: 'v1.LabelSelectorOperator' },
            'How the value of the label compares to the values.',
            { required: true, omit: 'never' },
          ),
          values: field(list(text), 'Values, for `In` and `NotIn`.'),
        },
        { struct: 'LabelSelectorRequirement', go: 'v1.LabelSelectorRequirement' },
      ),
    ),
    'Conditions on labels; all must hold.',
  ),
}));

/** A label selector of Kubernetes. */
export type LabelSelector = Values<typeof labelSelectorFields>;

export const labelSelector = object(labelSelectorFields, { struct: 'LabelSelector', go: 'v1.LabelSelector' });

const ports = field(
  list(
    object(
      {
        protocol: field({ ...oneOf('TCP', 'UDP', 'SCTP'), go: 'v1.Protocol' }, 'Protocol.', {
          omit: 'unset',
          default: 'TCP',
        }),
        port: field(
          { ...integerOrText, format: 'Kubernetes port' },
          'Number or name of the port; all ports when it is not given.',
          { omit: 'unset' },
        ),
        endPort: field(
          { ...integer({ min: 1, max: 65535 }), go: 'int32' },
          'Last port of a range that begins with port.',
          {
            omit: 'unset',
          },
        ),
      },
      { struct: 'NetworkPolicyPort', go: 'v1.NetworkPolicyPort' },
    ),
  ),
  'Ports of the traffic; all when the list is empty.',
);

const peers = list(
  object(
    {
      podSelector: field(labelSelector, 'Pods: of the namespace of the policy, or of those of namespaceSelector.'),
      namespaceSelector: field(labelSelector, 'Namespaces whose pods match.'),
      ipBlock: field(
        object(
          {
            cidr: field(cidr, 'Range of addresses.', { required: true, omit: 'never' }),
            except: field(list(cidr), 'Ranges within it that do not match.'),
          },
          { struct: 'IPBlock', go: 'v1.IPBlock' },
        ),
        'Addresses that match.',
      ),
    },
    { struct: 'NetworkPolicyPeer', go: 'v1.NetworkPolicyPeer' },
  ),
);

/** Fields of the policy, in Kubernetes' order. */
export const kubernetesPolicyFields = () => ({
  podSelector: field(labelSelector, 'Pods that the policy applies to; all of the namespace when it is empty.', {
    omit: 'never',
  }),
  ingress: field(
    list(
      object(
        { ports, from: field(peers, 'Where the traffic comes from; anywhere when the list is empty.') },
        { struct: 'NetworkPolicyIngressRule', go: 'v1.NetworkPolicyIngressRule' },
      ),
    ),
    'Traffic to the pods that is allowed.',
  ),
  egress: field(
    list(
      object(
        { ports, to: field(peers, 'Where the traffic goes; anywhere when the list is empty.') },
        { struct: 'NetworkPolicyEgressRule', go: 'v1.NetworkPolicyEgressRule' },
      ),
    ),
    'Traffic from the pods that is allowed.',
  ),
  policyTypes: field(
    list({ ...oneOf('Ingress', 'Egress'), go: 'v1.PolicyType' }),
    'Directions that the policy applies to.',
    {
      default: { about: '`Ingress`, and `Egress` when there are egress rules' },
    },
  ),
});

/** `{map[app:web] [{tier In [a b]}]}`: the selector as Go prints the struct. */
export function goLabelSelector({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.entries(matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}:${value}`);
  const expressions = (matchExpressions ?? []).map(
    ({ key, operator, values }) => `{${key} ${operator} [${(values ?? []).join(' ')}]}`,
  );
  return `{map[${labels.join(' ')}] [${expressions.join(' ')}]}`;
}
