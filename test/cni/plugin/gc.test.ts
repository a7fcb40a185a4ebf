// GC: which addresses it takes for those of containers that are gone.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gc } from '../../../src/cni/plugin/gc.ts';
import { CniError } from '../../../src/cni/protocol/cni-error.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { newBlock, parseOwner } from '../../../src/ipam/block/block.ts';
import { assigned } from '../../../src/ipam/block/block-assign.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import { IntervalSet } from '../../../src/net/interval-set.ts';
import type { IPAMBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { firstSequence, handleWith, holders, marked } from '../../support/clusters/ipam-state.ts';
import { pluginContext } from '../../support/lab/plugin-context.ts';
import { testFolder } from '../../support/program/test-folder.ts';
import { type TestWorld, testWorld } from '../../support/program/world.ts';

const files = testFolder();
afterAll(() => files.remove());

const cidr = '10.244.0.0/26';

/** A block of node-a with one address for each handle, and who they are of. */
function blockOf(handles: Readonly<Record<string, Readonly<Record<string, string>>>>): IPAMBlock {
  return Object.entries(handles).reduce(
    (block, [handle, owner]) => {
      const holder = { handle, secondary: { node: 'node-a', ...owner } };
      return assigned(block, 1, holder, IntervalSet.of([])).block;
    },
    newBlock(parseCidr(cidr) as Cidr, parseOwner('host:node-a'), firstSequence),
  );
}

const web = { namespace: 'a', pod: 'web' };

async function collect(datastore: MemoryDatastore, world: TestWorld = testWorld()): Promise<string[]> {
  const conf = {
    'cni.dev/valid-attachments': [{ containerID: 'kept', ifname: 'eth0' }],
    ipam_lock_file: join(files.path, 'ipam.lock'),
  };
  await gc(await pluginContext(world, { datastore, conf, request: { command: 'GC' } }));
  return [...holders(datastore).values()];
}

describe('GC of the network a', () => {
  it('releases the addresses of its containers that are not listed', async () => {
    const block = blockOf({ 'a.kept': web, 'a.gone': web, 'b.gone': web, 'a.far': { ...web, node: 'node-b' } });
    expect(await collect(new MemoryDatastore([block]))).toEqual(['a.kept', 'b.gone', 'a.far']);
  });

  it('keeps the addresses of the network a.b, whose handles begin in the same way', async () => {
    const block = blockOf({ 'a.b.container': web, 'a.gone': web });
    expect(await collect(new MemoryDatastore([block]))).toEqual(['a.b.container']);
  });

  it('keeps the addresses of virtual machines', async () => {
    const block = blockOf({ 'a.vmi.default.machine': web, 'a.gone': web });
    expect(await collect(new MemoryDatastore([block]))).toEqual(['a.vmi.default.machine']);
  });

  it('keeps addresses whose handle is an old one, namespace and pod, in a namespace called like the network', async () => {
    const block = blockOf({ 'a.web': web, 'a.web.2': { ...web, pod: 'web.2' }, 'a.gone': web });
    expect(await collect(new MemoryDatastore([block]))).toEqual(['a.web', 'a.web.2']);
  });

  it('fails with each address of a block whose deletion was not completed, after the other blocks', async () => {
    const block = blockOf({ 'a.gone': web });
    const other = { ...blockOf({ 'a.gone': web }), metadata: { name: '10-244-0-64-26' } };
    const held = marked(block);
    const datastore = new MemoryDatastore([
      held,
      { ...other, spec: { ...other.spec, cidr: '10.244.0.64/26' } },
      handleWith('a.gone', { [cidr]: 1, '10.244.0.64/26': 1 }),
    ]);
    const world = testWorld();
    const failure = await collect(datastore, world).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CniError);
    expect(failure).toMatchObject({
      message: 'addresses were not released',
      details: '10.244.0.0: the deletion of the block was not completed',
    });
    expect([...holders(datastore).keys()]).toEqual(['10-244-0-0-26/0']);
    const lines = world.io.stderr.text.split('\n').filter((line) => line.includes('10.244.0.'));
    expect(lines.map((line) => line.replace(/^.*?\]\[\d+\] /, ''))).toEqual([
      'an address of a container that is gone was not released address="10.244.0.0" ' +
        'why="the deletion of the block was not completed"',
      'released the addresses of containers that are gone released=["10.244.0.64"]',
    ]);
  });
});
