import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
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
