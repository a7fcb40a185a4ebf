// --request-timeout over exec: the list of pods and the opening of the connection each end after it, and say so.
import { afterEach, describe, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import { openKubeExec } from '../../../src/node-exec/kube/kube-exec.ts';
import { testWorld } from '../../support/program/world.ts';
import { type Answer, type StandIn, sendJson, startStandIn } from '../../support/servers/tls-stand-in.ts';

let standIn: StandIn | undefined;
afterEach(async () => {
  await standIn?.stop();
  standIn = undefined;
});

async function failureOf(answer: Answer): Promise<unknown> {
  standIn = await startStandIn(answer);
  const world = testWorld();
  const settings = { k8sAPIEndpoint: standIn.url, k8sCAFile: standIn.caFile, requestTimeoutMs: 100 };
  const exec = openKubeExec(await kubeConnection(settings, world), world);
  try {
    return await exec
      .run({ name: 'node-a', addresses: [] }, ['true'], { timeoutMs: 10_000 })
      .catch((error: unknown) => error);
  } finally {
    await exec.close();
  }
}

const pods = {
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: {},
  items: [
    {
      metadata: { name: 'calico-node-a', namespace: 'kube-system', labels: { 'k8s-app': 'calico-node' } },
      spec: { nodeName: 'node-a', containers: [{ name: 'calico-node' }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
  ],
};

describe('--request-timeout of an exec', () => {
  it.each<[string, Answer]>([
    ['the list of pods', () => undefined],
    [
      'the opening of the connection',
      ({ path }, response) => {
        if (!path.includes('/exec?')) sendJson(response, 200, pods);
      },
    ],
  ])('%s ends after --request-timeout and says so', async (_, answer) => {
    const begin = performance.now();
    expect(await failureOf(answer)).toMatchObject({
      message: expect.stringContaining('it took longer than --request-timeout, 0.1 seconds'),
    });
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(standIn?.requests.length).toBeGreaterThan(0);
  });
});
