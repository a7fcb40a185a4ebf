// Annotations written by a patch of an object's status, as a CNI plugin writes them: with and without conditions.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { Datastore } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import { type Pod, pod } from '../../../src/resources/kinds/pod.ts';
import { testWorld } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

describeWithApiServer('annotations by a patch of the status', (server) => {
  const ref = { name: 'web-1', namespace: 'default' };
  let store: Datastore;

  beforeEach(async () => {
    await server().admin.reset();
    await server().admin.load([
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...ref, annotations: { kept: 'yes' } },
        spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'web' }] },
      },
    ]);
    const world = testWorld();
    store = await openKube(await kubeConnection({ kubeconfig: server().kubeconfig }, world), world, { asPlugin: true });
  });
  afterEach(() => store.close());

  const annotate = (change: Parameters<NonNullable<Datastore['annotateStatus']>>[2]): Promise<void> | undefined =>
    store.annotateStatus?.(pod, ref, change);
  const stored = (): Promise<Pod> => store.get(pod, ref);

  it('without conditions are added to those that there are, whatever the revision', async () => {
    await annotate({ annotations: { added: '1' } });
    await annotate({ annotations: { added: '2' } });
    expect((await stored()).metadata.annotations).toEqual({ kept: 'yes', added: '2' });
  });

  it('with a revision are refused as a conflict once the pod has changed', async () => {
    const { resourceVersion } = (await stored()).metadata;
    await annotate({ annotations: { added: '1' } });
    await expect(annotate({ annotations: { added: '2' }, resourceVersion })).rejects.toMatchObject({
      reason: 'conflict',
    });
    expect((await stored()).metadata.annotations).toEqual({ kept: 'yes', added: '1' });
  });

  it('with the uid of an earlier pod of the same name are refused', async () => {
    const uid = '11111111-2222-4333-8444-555555555555';
    await expect(annotate({ annotations: { added: '1' }, uid })).rejects.toThrow();
    expect((await stored()).metadata.annotations).toEqual({ kept: 'yes' });
  });
});
