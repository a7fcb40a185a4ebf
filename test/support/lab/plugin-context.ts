// What the parts of the CNI plugin work with, over a datastore in memory.
import { callContext, type PluginContext } from '../../../src/cni/plugin-context.ts';
import { netConfOf } from '../../../src/cni/protocol/net-conf.ts';
import type { CniRequest } from '../../../src/cni/protocol/request.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import type { World } from '../../../src/world/world.ts';

export interface PluginSetup {
  readonly datastore?: MemoryDatastore;
  readonly request?: Partial<CniRequest>;
  /** Changes of the configuration: of node-a and the network `a`, with calico-ipam. */
  readonly conf?: Readonly<Record<string, unknown>>;
}

export async function pluginContext(world: World, setup: PluginSetup = {}): Promise<PluginContext> {
  const { datastore = new MemoryDatastore(), request = {}, conf = {} } = setup;
  const asked = {
    command: 'ADD',
    containerId: 'c1',
    netns: '',
    ifName: 'eth0',
    args: '',
    path: [],
    ...request,
  } as const;
  const raw = { cniVersion: '1.1.0', name: 'a', nodename: 'node-a', ipam: { type: 'calico-ipam' }, ...conf };
  return { ...(await callContext(world, asked, netConfOf(raw))), datastore };
}
