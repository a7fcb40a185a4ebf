// calictl ipam release --node and --pod over a folder: all that is recorded for an owner, and the blocks of a node that is gone.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { parseJson, printJson } from '../../../src/text/json.ts';
import { type BlockSpec, cluster } from '../../support/clusters/seeded-cluster.ts';
import { type Ran, type RunOptions, run } from '../../support/program/world.ts';

let top = '';
let folder = '';
let objects: KubeObject[] = [];

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-release-owner-'));
  ({ objects } = cluster({
    seed: 7,
    nodes: 2,
    podsPerNode: 3,
    madeAt: new Date('2025-06-01T00:00:00Z'),
    pools: [{ name: 'pool-1', cidr: '10.60.0.0/24', blockSize: 29 }],
  }));
  store(objects);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function store(items: readonly KubeObject[]): void {
  folder = mkdtempSync(join(top, 'store-'));
  writeFileSync(join(folder, 'objects.json'), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
}

const text = (): string => readFileSync(join(folder, 'objects.json'), 'utf8');
const stored = (): KubeObject[] => (parseJson(text()) as unknown as { items: KubeObject[] }).items;
const release = (flags: string, options: RunOptions = {}): Promise<Ran> =>
  run(`ipam release ${flags}`, { folder, ...options });

async function unchanged(flags: string, options?: RunOptions): Promise<Ran> {
  const before = text();
  const ran = await release(flags, options);
  expect(text()).toBe(before);
  return ran;
}

const podsOn = (node: string) =>
  objects.filter((object) => object.kind === 'Pod' && (object.spec as { nodeName: string }).nodeName === node);
const addressOf = (pod: KubeObject): string => (pod.status as { podIP: string }).podIP;
const isOf = (node: string) => (object: KubeObject) =>
  (object.kind === 'Node' && object.metadata.name === node) || podsOn(node).includes(object);

/** The cluster after a node went, with its pods; what IPAM recorded for it is left. */
const withoutNode = (node: string): KubeObject[] => objects.filter((object) => !isOf(node)(object));

/** Addresses that blocks record for a node, ascending by text. */
function recordedFor(node: string): string[] {
  const found: string[] = [];
  for (const { kind, spec } of stored()) {
    if (kind !== 'IPAMBlock') continue;
    const { cidr, allocations, attributes } = spec as BlockSpec;
    const base = cidr.split('/')[0]?.split('.').map(Number) as number[];
    allocations.forEach((index, ordinal) => {
      if (index === null || attributes[index]?.secondary?.['node'] !== node) return;
      found.push(`${base.slice(0, 3).join('.')}.${(base[3] as number) + ordinal}`);
    });
  }
  return found.sort();
}

const blocksOf = (node: string): string[] =>
  stored()
    .filter(({ kind, spec }) => kind === 'BlockAffinity' && (spec as { node: string }).node === node)
    .map(({ spec }) => (spec as { cidr: string }).cidr);

const releasedIn = (stdout: string): string[] =>
  [...stdout.matchAll(/^Successfully released ([\d.]+)$/gm)].map(([, address]) => address as string).sort();

describe('ipam release --node for a deleted node', () => {
  beforeEach(() => store(withoutNode('node-a')));

  it('release --node releases all that is recorded for a deleted node, and lists its remaining claims', async () => {
    const recorded = recordedFor('node-a');
    // Its pods and its tunnel.
    expect(recorded).toHaveLength(4);
    const others = recordedFor('node-b');
    const blocks = blocksOf('node-a');
    const { code, stdout, stderr } = await release('--node node-a');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(releasedIn(stdout)).toEqual(recorded);
    expect(stdout).toContain(
      `node-a does not exist and still claims ${blocks.join(', ')}; release with: calictl ipam affinity release --node node-a\n`,
    );
    expect(recordedFor('node-a')).toEqual([]);
    expect(recordedFor('node-b')).toEqual(others);
    expect(blocksOf('node-a')).toEqual(blocks);
    expect(await unchanged('--node node-a')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no address is allocated for node node-a (NOT_ASSIGNED)'),
    });
  });

  it('release --node --affinities also releases the blocks, so that nothing of the node remains', async () => {
    const blocks = blocksOf('node-a');
    expect(blocks.length).toBeGreaterThan(0);
    const { code, stdout } = await release('--node node-a --affinities');
    expect(code).toBe(0);
    for (const block of blocks) expect(stdout).toContain(`Successfully released ${block}\n`);
    expect(stdout).not.toContain('still claims');
    expect(text()).not.toContain('node-a');
    expect(await run('ipam check', { folder })).toMatchObject({ code: 0 });
    expect(await unchanged('--node node-a --affinities')).toMatchObject({ code: 1, stdout: '' });
  });

  it('release --affinities finishes after a first run without it', async () => {
    await release('--node node-a');
    expect((await release('--node node-a --affinities')).code).toBe(0);
    expect(text()).not.toContain('node-a');
  });

  it('release --node --dry-run prints the plan, as JSON too', async () => {
    const blocks = blocksOf('node-a');
    const dry = await unchanged('--node node-a --affinities --dry-run');
    expect(dry.code).toBe(0);
    for (const address of recordedFor('node-a')) expect(dry.stdout).toContain(`would release ${address}  was for `);
    for (const block of blocks) expect(dry.stdout).toContain(`would release the block ${block}\n`);
    const left = JSON.parse((await unchanged('--node node-a --dry-run -o json')).stdout);
    expect(left).toMatchObject({ kind: 'IPAMRelease', affinitiesLeft: blocks });
    expect(left.planned.map(({ address }: { address: string }) => address).sort()).toEqual(recordedFor('node-a'));
    const gone = JSON.parse((await release('--node node-a --affinities -o json')).stdout);
    expect(gone).toMatchObject({ affinities: blocks });
    expect(gone.outcomes.slice(-blocks.length)).toEqual(blocks.map((subject) => ({ subject, outcome: 'applied' })));
  });

  it("release --node includes allocations in the node's blocks that name no node", async () => {
    const unnamed = stored();
    for (const { kind, spec } of unnamed) {
      if (kind !== 'IPAMBlock') continue;
      for (const attribute of (spec as BlockSpec).attributes) {
        if (attribute.secondary?.['type'] !== undefined && attribute.secondary['node'] === 'node-a') {
          delete attribute.secondary;
        }
      }
    }
    store(unnamed);
    expect(recordedFor('node-a')).toHaveLength(3);
    const { stdout } = await release('--node node-a --affinities');
    expect(releasedIn(stdout)).toHaveLength(4);
    expect(blocksOf('node-a')).toEqual([]);
  });

  it('release --node asks for confirmation on a terminal, and accepts no', async () => {
    const ran = await unchanged('--node node-a --affinities', { terminal: true, stdin: 'n\n' });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(`  block ${blocksOf('node-a')[0]}\n`);
    expect(ran.stderr).toMatch(/Release these 4 addresses and 1 block affinity\? \[y\/N\]/);
  });

  it('release --node is refused while a pod is still listed on the deleted node', async () => {
    const [pod] = podsOn('node-a') as [KubeObject];
    store([...withoutNode('node-a'), pod]);
    const { code, stderr } = await unchanged('--node node-a --affinities');
    expect(code).toBe(4);
    expect(stderr).toContain(`${addressOf(pod)} is in use by Pod ${pod.metadata.namespace}/${pod.metadata.name}`);
  });
});

describe('ipam release --node for a node that exists', () => {
  it('release --node is refused for an existing node with pods and a tunnel', async () => {
    const { code, stdout, stderr } = await unchanged('--node node-a');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('(3 more are in use); nothing was released (ADDRESS_IN_USE)');
    const pods = podsOn('node-a');
    store(objects.filter((object) => !pods.includes(object)));
    const ofTunnel = await unchanged('--node node-a');
    expect(ofTunnel.stderr).toContain('is in use by Node node-a; nothing was released');
    expect(ofTunnel.stderr).toContain('It is an address of the node itself');
  });

  it('release --node never releases the blocks of an existing node', async () => {
    for (const flags of ['', ' --force']) {
      const { code, stderr } = await unchanged(`--node node-a --affinities${flags}`);
      expect(code).toBe(4);
      expect(stderr).toContain('(NODE_EXISTS)');
      expect(stderr).toContain('calictl ipam affinity release --node node-a');
    }
  });

  it('release --node --force releases the addresses of an existing node', async () => {
    const { code, stdout } = await release('--node node-a --force');
    expect(code).toBe(0);
    expect(releasedIn(stdout)).toHaveLength(4);
    expect(stdout).not.toContain('still claims');
    expect(recordedFor('node-a')).toEqual([]);
  });
});

describe('ipam release --pod', () => {
  it('release --pod releases what is recorded for a deleted pod, and nothing else', async () => {
    const [pod, other] = podsOn('node-a') as [KubeObject, KubeObject];
    store(objects.filter((object) => object !== pod));
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    expect(await release(`--pod ${name}`)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `Successfully released ${addressOf(pod)}\n`,
    });
    expect(recordedFor('node-a')).toContain(addressOf(other));
    expect(recordedFor('node-a')).not.toContain(addressOf(pod));
    expect(await unchanged(`--pod ${name}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no address is allocated for pod ${name} (NOT_ASSIGNED)`),
    });
  });

  it('release --pod is refused while the pod has its address', async () => {
    const [pod] = podsOn('node-b') as [KubeObject];
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const { code, stderr } = await unchanged(`--pod ${name}`);
    expect(code).toBe(4);
    expect(stderr).toContain(`${addressOf(pod)} is in use by Pod ${name}`);
  });
});

it.each([
  ['--pod cart-0', 'invalid pod for --pod: cart-0'],
  ['--pod a/b/c', 'invalid pod for --pod: a/b/c'],
  ['--node node-a --pod shop/cart-0', '--node and --pod cannot be used together'],
  ['--ip 10.60.0.1 --affinities', '--affinities requires --node'],
  ['--affinities', 'no address selected'],
])('ipam release %j is wrong usage', async (flags, message) => {
  const { code, stderr } = await unchanged(flags);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

it('ipam release --node with an empty name is wrong usage', async () => {
  expect(await run(['ipam', 'release', '--node', ''], { folder })).toMatchObject({ code: 2 });
});

it('calicoctl has none of --node, --pod and --affinities', async () => {
  store(withoutNode('node-a'));
  expect(await unchanged('--node=node-a', { programName: 'calicoctl' })).toMatchObject({ code: 1, stdout: '' });
});
