import { kubeConnection } from '../../src/connect/kube-config.ts';
import { openKube } from '../../src/datastore/kube/kube-datastore.ts';
import type { CalicoApi } from '../../src/resources/kind.ts';
import { testWorld } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';
import { datastoreContract } from './datastore-contract.ts';

const apis: readonly CalicoApi[] = ['crd.projectcalico.org/v1', 'projectcalico.org/v3'];

for (const calicoApi of apis) {
  describeWithApiServer(
    `over a real API server with ${calicoApi}`,
    (server) => {
      datastoreContract(
        `kubernetes (${calicoApi})`,
        async () => {
          const world = testWorld();
          const open = async () => openKube(await kubeConnection({ kubeconfig: server().kubeconfig }, world), world);
          const [store, second] = await Promise.all([open(), open()]);
          return {
            store,
            second,
            async stop() {
              await Promise.all([store.close(), second.close()]);
            },
          };
        },
        calicoApi,
      );
    },
    calicoApi,
  );
}
