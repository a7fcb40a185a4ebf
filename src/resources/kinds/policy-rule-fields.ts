// The rules of Calico's policies and profiles: one table for all kinds that have rules.

import {
  choice,
  cidr,
  field,
  fields,
  integer,
  integerOrText,
  list,
  map,
  object,
  selector as selectorText,
  tagged,
  text,
  type Values,
} from '../field.ts';
import { portProblems, protocolProblems } from '../rules/endpoint.ts';
import { entityProblems, httpProblems, icmpProblems, ruleProblems } from '../rules/policy-rule.ts';
import { needed, tags, within } from '../rules/tags.ts';

const selector = tagged(selectorText, tags.selector);
const net = tagged(cidr, tags.net);

/** A protocol: a name, or its number. */
export const protocol = {
  ...integerOrText,
  format: 'protocol: TCP, UDP, ICMP, ICMPv6, SCTP, UDPLite or a number from 1 to 255',
  problems: protocolProblems,
};

const ports = list({
  ...integerOrText,
  format: 'port: a number, a range like 8000:8080, or the name of a port',
  problems: portProblems,
});

const icmpDetails = { struct: 'ICMPFields', check: icmpProblems };
const entityDetails = { struct: 'EntityRule', check: entityProblems };

const icmpFields = fields(() => ({
  type: field(
    { ...integer({ min: 0, max: 254 }), problems: within('Type', 0, 254) },
    'ICMP type, e.g. 8 for an echo request.',
    { omit: 'unset' },
  ),
  code: field({ ...integer({ min: 0, max: 255 }), problems: within('Code', 0, 255) }, 'ICMP code; needs type.', {
    omit: 'unset',
  }),
}));

const entity = fields(() => ({
  nets: field(list(net), 'Addresses, as CIDRs; any of them matches.'),
  selector: field(selector, 'Labels of the endpoints and network sets that match.'),
  namespaceSelector: field(
    selector,
    'Labels of the namespaces in which selector matches; `global()` for objects that have no namespace.',
  ),
  services: field(
    object(
      {
        name: field(tagged(text, tags.name), 'Name of the service.'),
        namespace: field(tagged(text, tags.name), 'Namespace of the service; that of the policy when it is empty.'),
      },
      { struct: 'ServiceMatch' },
    ),
    'Service whose endpoints match.',
  ),
  ports: field(ports, 'Ports; any of them matches.'),
  notNets: field(list(net), 'Addresses that do not match, as CIDRs.'),
  notSelector: field(selector, 'Labels of the endpoints and network sets that do not match.'),
  notPorts: field(ports, 'Ports that do not match.'),
  serviceAccounts: field(
    object(
      {
        names: field(list(text), 'Names of service accounts; any of them matches.'),
        selector: field(selector, 'Labels of the service accounts that match.'),
      },
      { struct: 'ServiceAccountMatch' },
    ),
    'Service accounts of the pods that match.',
  ),
}));

const rule = fields(() => ({
  action: field(needed(choice('action', 'Allow', 'Deny', 'Log', 'Pass')), 'What happens to packets that match.', {
    required: true,
    omit: 'never',
  }),
  ipVersion: field(tagged(integer({ min: 4, max: 6 }), tags.ipVersion), 'IP version of the packets: 4 or 6.', {
    omit: 'unset',
  }),
  protocol: field(protocol, 'Protocol of the packets.', { omit: 'unset' }),
  icmp: field(object(icmpFields, icmpDetails), 'ICMP type and code of the packets.'),
  notProtocol: field(protocol, 'Protocol that packets must not have.', { omit: 'unset' }),
  notICMP: field(object(icmpFields, icmpDetails), 'ICMP type and code that packets must not have.'),
  source: field(object(entity, entityDetails), 'Where the packets come from.', { omit: 'never', omitFrom: '3.32' }),
  destination: field(object(entity, entityDetails), 'Where the packets go.', { omit: 'never', omitFrom: '3.32' }),
  http: field(
    object(
      {
        methods: field(list(text), 'Methods of the request; any of them matches.'),
        paths: field(
          list(
            object(
              {
                exact: field(text, 'Path of the request.'),
                prefix: field(text, 'Beginning of the path of the request.'),
              },
              { struct: 'HTTPPath' },
            ),
          ),
          'Paths of the request; any of them matches.',
        ),
      },
      { struct: 'HTTPMatch', check: httpProblems },
    ),
    'HTTP requests that match; for the application layer policy.',
  ),
  metadata: field(
    object(
      { annotations: field(map(text), 'Keys and values that programs store with the rule.') },
      { struct: 'RuleMetadata' },
    ),
    'What programs store with the rule.',
  ),
}));

/** A rule of a policy or of a profile. */
export type Rule = Values<typeof rule>;

/** Rules for packets in one direction; the first that matches decides. */
export const rules = list(object(rule, { struct: 'Rule', check: ruleProblems }));
