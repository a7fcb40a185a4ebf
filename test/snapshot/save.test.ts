import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { pod } from '../../src/resources/kinds/pod.ts';
import { saveSnapshot } from '../../src/snapshot/save.ts';

it('a snapshot of a store that holds everything lists the kinds that it saved in full, also those without objects', async () => {
  const files = new Map<string, string>();
  const target = {
    write: async (path: string, text: string) => void files.set(path, text),
    finish: async () => undefined,
    abandon: async () => undefined,
  };
  await saveSnapshot(new MemoryDatastore(), target, undefined, {
    now: new Date('2026-01-02T03:04:05Z'),
    redact: false,
    signal: new AbortController().signal,
    progress: () => undefined,
  });
  expect([...files.keys()]).toEqual(['snapshot.json']);
  expect(JSON.parse(files.get('snapshot.json') ?? '')).toEqual({
    capturedAt: '2026-01-02T03:04:05.000Z',
    complete: expect.arrayContaining(['IPAMBlock', 'IPAMHandle', 'Namespace', 'Node', 'Pod', 'Service']),
  });
});

it('of the environment of containers a snapshot keeps the settings of calico-node alone, and nothing that may be secret', async () => {
  const files = new Map<string, string>();
  const target = {
    write: async (path: string, text: string) => void files.set(path, text),
    finish: async () => undefined,
    abandon: async () => undefined,
  };
  const store = new MemoryDatastore();
  const env = [
    { name: 'FELIX_VXLANPORT', value: '8472' },
    { name: 'IP_AUTODETECTION_METHOD', value: 'interface=eth1' },
    { name: 'FELIX_ETCDPASSWORD', value: 'hunter2' },
    { name: 'FELIX_VXLANPORT_FILE', value: '' },
  ];
  for (const name of ['calico-node', 'app']) {
    await store.create(
      pod,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'kube-system' },
        spec: { containers: [{ name, env }] },
      },
      {},
    );
  }
  await saveSnapshot(store, target, undefined, {
    now: new Date('2026-01-02T03:04:05Z'),
    redact: true,
    signal: new AbortController().signal,
    progress: () => undefined,
  });
  const { items } = JSON.parse(files.get('pods.json') ?? '') as { items: { spec: unknown }[] };
  expect(items.map(({ spec }) => spec)).toEqual([
    { containers: [{}] },
    {
      containers: [
        {
          name: 'calico-node',
          env: [
            { name: 'FELIX_VXLANPORT', value: '8472' },
            { name: 'IP_AUTODETECTION_METHOD', value: 'interface=eth1' },
          ],
        },
      ],
    },
  ]);
});
