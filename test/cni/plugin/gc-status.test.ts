// GC and STATUS, which only calictl cni has.
import { expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { describePlugin } from '../../support/lab/plugin-lab.ts';

describePlugin('GC and STATUS of calictl cni', ({ server, call, inPod, stored }) => {
  it('GC of calictl cni releases the addresses of containers that are not listed, and no others', async () => {
    await inPod(async (netns) => {
      await call('ADD', netns, { containerId: 'gone' });
      await call('ADD', netns, { containerId: 'kept' });
      await call('ADD', netns, { containerId: 'other', conf: { name: 'other-network' } });
      await call('ADD', netns, { containerId: 'longer', conf: { name: 'k8s-pod-network.2' } });
      const conf = { cniVersion: '1.1.0', 'cni.dev/valid-attachments': [{ containerID: 'kept', ifname: 'eth0' }] };
      expect(await call('GC', netns, { conf, program: 'calictl' })).toMatchObject({ exit: 0, stdout: '' });
      expect((await stored('ipamhandles')).map(({ metadata }) => metadata.name)).toEqual([
        'k8s-pod-network.2.longer',
        'k8s-pod-network.kept',
        'other-network.other',
      ]);
    });
  });

  it('GC without a list of containers releases nothing', async () => {
    await inPod(async (netns) => {
      await call('ADD', netns);
      const { exit, stdout } = await call('GC', netns, { conf: { cniVersion: '1.1.0' }, program: 'calictl' });
      expect(exit).toBe(1);
      expect(JSON.parse(stdout)).toEqual({ code: 7, msg: 'GC needs the list cni.dev/valid-attachments' });
      expect(await stored('ipamhandles')).toHaveLength(1);
    });
  });

  it('STATUS of calictl cni is an error 50 while the datastore is locked', async () => {
    await inPod(async (netns) => {
      const status = () => call('STATUS', netns, { conf: { cniVersion: '1.1.0' }, program: 'calictl' });
      expect(await status()).toMatchObject({ exit: 0, stdout: '' });
      const path = '/apis/crd.projectcalico.org/v1/clusterinformations/default';
      const { metadata, ...object } = JSON.parse((await server().admin.request('GET', path)).body) as KubeObject;
      await server().admin.request('PUT', path, { ...object, metadata, spec: { datastoreReady: false } });
      const locked = await status();
      expect(locked.exit).toBe(1);
      expect(JSON.parse(locked.stdout)).toEqual({
        code: 50,
        msg: 'Calico is currently not ready to process requests',
      });
    });
  });
});
