// ClusterInformation `default`: identity and version of the cluster, and whether the datastore is locked.

import { column, nameColumn, yesNo } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { field, fields, flag, text, type Values } from '../field.ts';
import type { Kind, Refusal, WriteVerb } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { clusterInformationRules } from '../rules/configuration.ts';

const spec = fields(() => ({
  clusterGUID: field(text, 'Unique ID of the cluster, generated when it was set up.'),
  clusterType: field(text, 'What the cluster runs on, comma-separated, e.g. `k8s,bgp,kubeadm`.'),
  calicoVersion: field(text, 'Version of Calico that the nodes run.'),
  datastoreReady: field(flag, 'Whether the datastore may be used; false while it is locked.', { omit: 'unset' }),
  variant: field(text, 'Edition of Calico.'),
}));

export interface ClusterInformation extends KubeObject {
  spec: Values<typeof spec>;
}

function readOnly(verb: WriteVerb, words: string, when: Refusal['when'] = 'asked'): Refusal {
  return {
    verbs: [verb],
    when,
    message: () => `operation ${words}`,
    hint: 'Calico itself writes it',
  };
}

const refusals = [
  readOnly('create', 'create or apply is not supported on ClusterInformation'),
  readOnly('apply', 'apply is not supported on ClusterInformation: resource is readonly'),
  readOnly('update', 'apply or replace is not supported on ClusterInformation', 'written'),
  readOnly('delete', 'delete is not supported on ClusterInformation'),
];

const columns = [
  nameColumn,
  column<ClusterInformation>('CLUSTERGUID', ({ spec }) => spec.clusterGUID ?? ''),
  column<ClusterInformation>('CLUSTERTYPE', ({ spec }) => spec.clusterType ?? ''),
  column<ClusterInformation>('CALICOVERSION', ({ spec }) => spec.calicoVersion ?? ''),
  column<ClusterInformation>('DATASTOREREADY', ({ spec }) => yesNo(spec.datastoreReady, '<nil>')),
];

export const clusterInformation: Kind<ClusterInformation> = {
  kind: 'ClusterInformation',
  about: 'Identity and version of the cluster, and whether its datastore is locked; one object, `default`.',
  aliases: ['clusterinformation', 'clusterinformations', 'clusterinfo', 'clusterinfos'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'clusterinformations' },
  fields: { spec },
  rules: clusterInformationRules,
  codec: customResource,
  refusals,
  columns: { default: columns, wide: columns },
};
