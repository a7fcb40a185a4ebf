// calictl ipam affinity list over a folder: its columns, what it calls wrong, and the same as JSON and YAML.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/resources/object.ts';
import { affinityTo, blockWith, marked, node, pool } from '../../../support/clusters/ipam-state.ts';
import { run } from '../../../support/program/world.ts';

const pools = [pool('pool-1', '10.60.0.0/24', 29), pool('pool-6', 'fd00::/120', 122)];
const base = [node('node-a'), node('node-b'), ...pools];
const cidr = '10.60.0.0/29';
const good = [blockWith(cidr, 'host:node-a', ['x', 3]), affinityTo('node-a', cidr, 'confirmed')];
const list = (objects: readonly KubeObject[], flags = '') =>
  run(`ipam affinity list ${flags}`, { objects: [...base, ...objects] });

function virtual(): KubeObject[] {
  const affinity = affinityTo('load-balancer', '10.60.0.16/29', 'confirmed');
  affinity.spec.type = 'virtual';
  affinity.metadata.labels = { ...affinity.metadata.labels, 'projectcalico.org/affinity-type': 'virtual' };
  return [blockWith('10.60.0.16/29', 'virtual:load-balancer'), affinity];
}

describe('affinity list as a table', () => {
  it('affinity list shows each claim with its pool and how full its block is', async () => {
    const { code, stdout, stderr } = await list([
      ...good,
      ...virtual(),
      blockWith('fd00::40/122', 'host:node-b'),
      affinityTo('node-b', 'fd00::40/122', 'confirmed'),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
      ['NODE', 'TYPE', 'CIDR', 'POOL', 'STATE', 'USED', 'FREE', 'PROBLEM'],
      ['node-a', 'host', '10.60.0.0/29', 'pool-1', 'confirmed', '3', '5'],
      ['node-b', 'host', 'fd00::40/122', 'pool-6', 'confirmed', '0', '64'],
      ['load-balancer', 'virtual', '10.60.0.16/29', 'pool-1', 'confirmed', '0', '8'],
      [''],
    ]);
  });

  it('affinity list -o wide adds borrowed addresses and the object name', async () => {
    const [block, affinity] = good as [(typeof good)[0], (typeof good)[0]];
    const spec = block.spec as { attributes: { secondary?: object }[] };
    const lent = {
      ...block,
      spec: { ...spec, attributes: [{ ...spec.attributes[0], secondary: { node: 'node-b' } }] },
    };
    const { stdout } = await list([lent, affinity], '-o wide');
    expect(stdout.split('\n').map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
      ['NODE', 'TYPE', 'CIDR', 'POOL', 'STATE', 'USED', 'FREE', 'BORROWED', 'NAME', 'PROBLEM'],
      ['node-a', 'host', '10.60.0.0/29', 'pool-1', 'confirmed', '3', '5', '3', 'node-a-10-60-0-0-29'],
      [''],
    ]);
  });

  it('affinity list --node shows a single node, and reports on stderr that it has none', async () => {
    const other = [blockWith('10.60.0.8/29', 'host:node-b'), affinityTo('node-b', '10.60.0.8/29', 'confirmed')];
    const { stdout } = await list([...good, ...other], '--node node-b');
    expect(stdout).toContain('10.60.0.8/29');
    expect(stdout).not.toContain(cidr);
    for (const terminal of [true, false]) {
      const none = await run('ipam affinity list --node node-b', { objects: [...base, ...good], terminal });
      expect(none).toMatchObject({ code: 0, stderr: 'No block affinities found for node node-b.\n' });
    }
  });

  it('affinity list --node fails for a node that does not exist and owns nothing', async () => {
    const { code, stdout, stderr } = await list([...good], '--node nosuch');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('node nosuch does not exist in this datastore');
  });
});

it('affinity list orders the blocks of a node by address', async () => {
  const cidrs = ['10.60.0.64/29', '10.60.0.128/29', '10.60.0.8/29'];
  const { stdout } = await list(
    cidrs.flatMap((text) => [blockWith(text, 'host:node-a'), affinityTo('node-a', text, 'confirmed')]),
  );
  const listed = stdout.match(/10\.60\.\d+\.\d+\/29/g);
  expect(listed).toEqual(['10.60.0.8/29', '10.60.0.64/29', '10.60.0.128/29']);
});

describe('the STATE column of affinity list', () => {
  const problems = async (...objects: readonly KubeObject[]): Promise<string[][]> => {
    const { stdout } = await list(objects, '-o json');
    const { items } = JSON.parse(stdout) as { items: { problems: string[] }[] };
    return items.map((item) => item.problems);
  };
  const claim = affinityTo('node-a', cidr, 'confirmed');

  it.each<[string, readonly KubeObject[], string]>([
    ['no block', [claim], 'its block is missing'],
    ['a block that is nobody’s', [blockWith(cidr, undefined), claim], 'its block has no owner'],
    [
      'a half-deleted block',
      [marked(blockWith(cidr, 'host:node-a')), claim],
      'the deletion of its block was not completed',
    ],
    ['a half-deleted claim', [blockWith(cidr, 'host:node-a'), marked(claim)], 'its deletion was not completed'],
    ['a pending claim', [blockWith(cidr, 'host:node-a'), affinityTo('node-a', cidr, 'pending')], 'not confirmed'],
    [
      'a claim half released',
      [blockWith(cidr, 'host:node-a'), affinityTo('node-a', cidr, 'pendingDeletion')],
      'its release was not completed',
    ],
    ['no affinity', [blockWith(cidr, 'host:node-a')], 'its affinity is missing'],
    ['no node', [blockWith(cidr, 'host:gone'), affinityTo('gone', cidr, 'confirmed')], 'its node does not exist'],
    [
      'no labels',
      [blockWith(cidr, 'host:node-a'), { ...claim, metadata: { name: claim.metadata.name } }],
      'its type or labels are wrong',
    ],
    [
      'another name',
      [blockWith(cidr, 'host:node-a'), { ...claim, metadata: { ...claim.metadata, name: 'other' } }],
      'its name is wrong',
    ],
    [
      'no pool',
      [blockWith('10.99.0.0/29', 'host:node-a'), affinityTo('node-a', '10.99.0.0/29', 'confirmed')],
      'no pool contains it',
    ],
    [
      'another size',
      [blockWith('10.60.0.0/30', 'host:node-a'), affinityTo('node-a', '10.60.0.0/30', 'confirmed')],
      'not the block size of pool pool-1',
    ],
  ])('affinity list reports the problem: %s', async (_what, objects, problem) => {
    expect(await problems(...objects)).toEqual([[problem]]);
  });

  it('affinity list marks the one of two claims on a block that the block contradicts', async () => {
    expect(await problems(...good, affinityTo('node-b', cidr, 'pending'))).toEqual([
      [],
      ['its block belongs to host:node-a', 'not confirmed'],
    ]);
  });

  it('affinity list marks claims in a disabled pool', async () => {
    const disabled = {
      ...pool('off', '10.70.0.0/24', 29),
      spec: { cidr: '10.70.0.0/24', blockSize: 29, disabled: true },
    };
    const at = '10.70.0.0/29';
    expect(await problems(disabled, blockWith(at, 'host:node-a'), affinityTo('node-a', at, 'confirmed'))).toEqual([
      ['pool off is disabled'],
    ]);
  });
});

it('affinity list prints JSON and YAML without absent fields', async () => {
  const { stdout } = await list([...good, affinityTo('node-b', '10.99.0.0/29', 'pending')], '-o json');
  expect(JSON.parse(stdout)).toEqual({
    kind: 'IPAMAffinityList',
    items: [
      {
        name: 'node-a-10-60-0-0-29',
        node: 'node-a',
        type: 'host',
        cidr,
        pool: 'pool-1',
        state: 'confirmed',
        inUse: 3,
        free: 5,
        borrowed: 0,
        problems: [],
      },
      {
        name: 'node-b-10-99-0-0-29',
        node: 'node-b',
        type: 'host',
        cidr: '10.99.0.0/29',
        state: 'pending',
        problems: ['its block is missing', 'not confirmed', 'no pool contains it'],
      },
    ],
  });
  const yaml = await list(good, '-o yaml');
  expect(yaml.stdout).toContain('kind: IPAMAffinityList\n');
  expect(yaml.stdout).toContain('cidr: 10.60.0.0/29\n');
});

it('affinity list refuses an empty node, an unknown format, a misspelt command', async () => {
  expect(await run(['ipam', 'affinity', 'list', '--node', ''], { objects: base })).toMatchObject({ code: 2 });
  expect(await list([], '-o csv')).toMatchObject({ code: 2 });
  const misspelt = await run('ipam affinity lst', { objects: base });
  expect(misspelt.code).toBe(2);
  expect(misspelt.stderr).toContain('Did you mean list?');
  const help = await run('help ipam affinity', {});
  expect(help.stdout).toMatch(/claim .*\n.*list .*\n.*release /);
});

it('affinity list names a block that cannot be counted', async () => {
  const broken = { ...blockWith(cidr, 'host:node-a'), spec: { cidr } };
  const { code, stderr } = await list([broken]);
  expect(code).toBe(1);
  expect(stderr).toContain('IPAMBlock 10-60-0-0-29 is malformed');
});
