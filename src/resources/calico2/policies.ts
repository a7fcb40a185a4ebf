// Policies and profiles of Calico 2, with the rules that both have, in projectcalico.org/v3.
import type { ObjectMeta } from '../object.ts';
import { defaultTier, TIER_LABEL } from '../policy-names.ts';
import { policyName, profileName } from './names.ts';
import {
  type Calico2Object,
  type Converted,
  capital,
  listOf,
  type Members,
  membersOf,
  namespaceLabel,
  networkText,
  protocolOf,
  textOf,
  unconvertible,
} from './values.ts';

/** A tag is a label without a value now. */
function withTag(selector: unknown, tag: unknown): string {
  const own = namespaceLabel(textOf(selector));
  if (textOf(tag) === '') return own;
  const test = `${textOf(tag)} == ''`;
  return own === '' ? test : `(${own}) && ${test}`;
}

function entityOf(value: unknown): Members {
  const entity = membersOf(value);
  const nets = (several: unknown, one: unknown): string[] =>
    [...listOf(several), ...(one === undefined ? [] : [one])].map(networkText);
  return {
    nets: nets(entity['nets'], entity['net']),
    selector: withTag(entity['selector'], entity['tag']),
    ports: entity['ports'],
    notNets: nets(entity['notNets'], entity['notNet']),
    notSelector: withTag(entity['notSelector'], entity['notTag']),
    notPorts: entity['notPorts'],
  };
}

const isEmpty = (value: unknown): boolean => Object.keys(membersOf(value)).length === 0;

function rulesOf(value: unknown): Members[] {
  return listOf(value)
    .map(membersOf)
    .map(({ icmp, notICMP, ...rule }) => ({
      ...rule,
      ...(!isEmpty(icmp) && { icmp }),
      ...(!isEmpty(notICMP) && { notICMP }),
      action: capital(rule['action']),
      protocol: protocolOf(rule['protocol']),
      notProtocol: protocolOf(rule['notProtocol']),
      source: entityOf(rule['source']),
      destination: entityOf(rule['destination']),
    }));
}

/** The directions of a policy that names none. */
function typesOf({ types, ingress, egress }: Members): string[] {
  if (listOf(types).length > 0) return listOf(types).map(capital);
  const hasEgress = listOf(egress).length > 0;
  return [...(listOf(ingress).length > 0 || !hasEgress ? ['Ingress'] : []), ...(hasEgress ? ['Egress'] : [])];
}

/** A profile: its tags become labels. Errors: CalictlError when a tag and a label have one name. */
export function profile({ metadata, spec }: Calico2Object): Converted {
  const own = membersOf(metadata['labels']);
  const tags = listOf(metadata['tags']).map(textOf);
  const clash = tags.find((tag) => Object.hasOwn(own, tag));
  if (clash !== undefined) {
    const label = `Label '${clash} == ${textOf(own[clash])}'`;
    const where = `the same value for Profile: ${textOf(metadata['name'])}`;
    throw unconvertible(`Tag: '${clash}' and ${label} have ${where}. Change the Label key before proceeding`);
  }
  const labelsToApply = { ...own, ...Object.fromEntries(tags.map((tag) => [tag, ''])) };
  return {
    metadata: { name: profileName(textOf(metadata['name'])) },
    spec: { ingress: rulesOf(spec['ingress']), egress: rulesOf(spec['egress']), labelsToApply },
  };
}

/** A policy, in the default tier. */
export function policy({ metadata, spec }: Calico2Object): Converted {
  const { doNotTrack, preDNAT } = spec;
  return {
    metadata: {
      name: `${defaultTier}.${policyName(textOf(metadata['name']))}`,
      labels: { [TIER_LABEL]: defaultTier },
      annotations: metadata['annotations'] as ObjectMeta['annotations'],
    },
    spec: {
      ...spec,
      tier: defaultTier,
      ingress: rulesOf(spec['ingress']),
      egress: rulesOf(spec['egress']),
      selector: namespaceLabel(textOf(spec['selector'])),
      types: typesOf(spec),
      applyOnForward: doNotTrack === true || preDNAT === true,
    },
  };
}
