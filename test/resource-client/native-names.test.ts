// Names of policies where Calico keeps its objects in projectcalico.org/v3: every name is its own.
import { describe, expect, it } from 'vitest';
import { openFolder } from '../../src/datastore/file/file-datastore.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { ResourceClient } from '../../src/resource-client/resource-client.ts';
import type { Kind } from '../../src/resources/kind.ts';
import { kindNamed } from '../../src/resources/kinds.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { testFolder } from '../support/program/test-folder.ts';
import { testWorld } from '../support/program/world.ts';

const v3 = 'projectcalico.org/v3';
const kind = kindNamed('GlobalNetworkPolicy') as Kind;
const policy = (name: string, order: number): KubeObject => ({
  apiVersion: v3,
  kind: 'GlobalNetworkPolicy',
  metadata: { name },
  spec: { order, tier: 'default', types: ['Ingress'] },
});
const handle = {
  apiVersion: v3,
  kind: 'IPAMHandle',
  metadata: { name: 'h' },
  spec: { handleID: 'h', block: {}, deleted: false },
};
const policies = [policy('foo', 1), policy('default.foo', 2)];

async function orders(client: ResourceClient): Promise<unknown[]> {
  const found = await Promise.all(['foo', 'default.foo'].map((name) => client.one(kind, { name })));
  return found.map(({ metadata, spec }) => [metadata.name, (spec as { order: number }).order]);
}

describe('policies in projectcalico.org/v3', () => {
  const expected = [
    ['foo', 1],
    ['default.foo', 2],
  ];

  it('in a store, foo and default.foo are two policies', async () => {
    const store = new MemoryDatastore(policies, { calicoApi: v3 });
    const client = new ResourceClient(store, testWorld());
    expect(await orders(client)).toEqual(expected);
    await expect(client.one(kind, { name: 'default.bar' })).rejects.toMatchObject({ reason: 'not-found' });
  });

  it('in a directory that was not read yet, foo and default.foo are two policies', async () => {
    const folder = testFolder();
    const items = [...policies, handle];
    folder.write('dump.json', printJson({ apiVersion: 'v1', kind: 'List', items } as never));
    const store = await openFolder(folder.path, testWorld());
    expect(await orders(new ResourceClient(store, testWorld()))).toEqual(expected);
    await store.close();
    folder.remove();
  });
});
