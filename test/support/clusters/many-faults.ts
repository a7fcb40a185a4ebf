// A cluster with many findings of the two most frequent kinds: stray handles and leaked addresses.
import { createHash } from 'node:crypto';
import { handleName } from '../../../src/resources/names.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { cluster, uidOf } from './seeded-cluster.ts';

const madeAt = new Date('2026-01-01T00:00:00Z');

/** A cluster that is consistent except for `strays` handles without addresses and `leaks` addresses without pods. */
export function manyFaults(strays: number, leaks: number): KubeObject[] {
  const podsPerNode = 60;
  const { objects } = cluster({
    seed: 7,
    nodes: Math.ceil((leaks + 20) / podsPerNode),
    podsPerNode,
    pools: [{ name: 'pool-1', cidr: '10.64.0.0/12', blockSize: 26 }],
    madeAt,
  });
  let gone = 0;
  const kept = objects.filter(({ kind }) => kind !== 'Pod' || ++gone > leaks);
  const handles = Array.from({ length: strays }, (_, n): KubeObject => {
    const handleID = `k8s-pod-network.${createHash('sha256').update(`stray ${n}`).digest('hex')}`;
    return {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPAMHandle',
      metadata: {
        name: handleName(handleID),
        uid: uidOf(handleID),
        resourceVersion: '7',
        creationTimestamp: madeAt.toISOString().replace('.000', ''),
      },
      spec: { handleID, block: { '10.64.0.0/26': 1 }, deleted: false },
    };
  });
  return [...kept, ...handles];
}
