// The contract of transports, through a real API server and a stand-in for its kubelets.

import { randomUUID } from 'node:crypto';
import { kubeConnection } from '../../src/connect/kube-config.ts';
import { openKubeExec } from '../../src/node-exec/kube/kube-exec.ts';
import { isRunning } from '../support/program/processes.ts';
import { TestClock } from '../support/program/world.ts';
import { describeWithKubelets } from '../support/servers/kubelet.ts';
import { nodeExecContract } from './node-exec-contract.ts';

describeWithKubelets('kube', (server, kubelets) => {
  nodeExecContract('exec', async () => {
    await kubelets().addNodes([{ name: 'node-a' }]);
    const connection = await kubeConnection(
      { kubeconfig: server().kubeconfig },
      { env: {}, platform: 'linux', signal: new AbortController().signal },
    );
    const exec = openKubeExec(connection, {
      clock: new TestClock('2025-06-15T16:00:00Z'),
      random: { uuid: randomUUID, float: Math.random },
    });
    return { exec, node: { name: 'node-a', addresses: ['192.0.2.1'] }, isRunning };
  });
});
