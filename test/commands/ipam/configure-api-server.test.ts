// calictl ipam configure on real kube-apiservers: the setting that only CRDs of Calico 3.32 and later have.
import { beforeEach, expect, it } from 'vitest';
import { type Ran, run } from '../../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../../support/servers/api-server.ts';

const runOn =
  (server: () => ApiServer) =>
  (line: string): Promise<Ran> =>
    run(line, { env: { KUBECONFIG: server().kubeconfig } });

describeWithApiServer('ipam configure on CRDs of Calico 3.31', (server) => {
  const on = runOn(server);
  beforeEach(() => server().admin.reset());

  it('ipam configure reports that the server drops kubeVirtVMAddressPersistence', async () => {
    const done = await on('ipam configure --kubevirt-ip-persistence Disabled');
    expect(done).toMatchObject({ code: 1, stdout: '' });
    expect(done.stderr).toContain('the server did not keep spec.kubeVirtVMAddressPersistence');
    expect((await on('ipam configure show')).stdout).not.toContain('KubeVirt');
  });
});

describeWithApiServer(
  'ipam configure on native v3 CRDs',
  (server) => {
    const on = runOn(server);
    beforeEach(() => server().admin.reset());

    it('a VM keeps its addresses by default, and --kubevirt-ip-persistence changes it', async () => {
      expect((await on('ipam configure show')).stdout).toContain('| KubeVirtVMAddressPersistence | Enabled |');
      expect(await on('ipam configure --kubevirt-ip-persistence Disabled')).toMatchObject({ code: 0, stderr: '' });
      expect((await on('ipam configure show')).stdout).toContain('| KubeVirtVMAddressPersistence | Disabled |');
    });

    it('an object that ipam configure creates has the default of 3.32 for VMs', async () => {
      expect(await on('ipam configure --strictaffinity true')).toMatchObject({ code: 0, stderr: '' });
      const { stdout } = await on('get ipamconfig default -o json');
      expect(JSON.parse(stdout)).toMatchObject({
        spec: { strictAffinity: true, kubeVirtVMAddressPersistence: 'Enabled' },
      });
    });
  },
  'projectcalico.org/v3',
);
