// ClusterInformation `default`: identity and version of the cluster, and whether the datastore is locked.
import * as z from 'zod/mini';
import { column, nameColumn, yesNo } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { flag, objectSchema, text } from '../schema.ts';

const spec = z.looseObject({
  clusterGUID: text,
  clusterType: text,
  calicoVersion: text,
  /** False while the datastore is locked. */
  datastoreReady: flag,
  variant: text,
});

export interface ClusterInformation extends KubeObject {
  spec: z.infer<typeof spec>;
}

const columns = [
  nameColumn,
  column<ClusterInformation>('CLUSTERGUID', ({ spec }) => spec.clusterGUID ?? ''),
  column<ClusterInformation>('CLUSTERTYPE', ({ spec }) => spec.clusterType ?? ''),
  column<ClusterInformation>('CALICOVERSION', ({ spec }) => spec.calicoVersion ?? ''),
  column<ClusterInformation>('DATASTOREREADY', ({ spec }) => yesNo(spec.datastoreReady, '<nil>')),
];

export const clusterInformation: Kind<ClusterInformation> = {
  kind: 'ClusterInformation',
  aliases: ['clusterinformation', 'clusterinformations', 'clusterinfo', 'clusterinfos'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'clusterinformations' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec }),
  int64: [],
  columns: { default: columns, wide: columns },
  fieldOrder: { spec: ['clusterGUID', 'clusterType', 'calicoVersion', 'datastoreReady?', 'variant'] },
};
