// The fields of a Profile. Those of namespaces and service accounts are made in convert/profile.ts.
import { field, fields, map, text, type Values } from '../field.ts';
import type { KubeObject } from '../object.ts';
import { labelsTag } from '../rules/policy.ts';
import { rules } from './policy-rule-fields.ts';

/** The profile that every cluster has. */
export const defaultProfileName = 'projectcalico-default-allow';

export const profileSpec = fields(() => ({
  ingress: field(rules, 'Rules for packets to the endpoints.'),
  egress: field(rules, 'Rules for packets from the endpoints.'),
  labelsToApply: field(map(text, labelsTag), 'Labels that the endpoints inherit.'),
}));

export interface Profile extends KubeObject {
  spec: Values<typeof profileSpec>;
}
