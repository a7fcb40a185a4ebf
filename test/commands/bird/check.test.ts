// calictl bird check with the real BIRD: what it accepts and refuses, and programs that are not BIRD 1.6.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { bgpConfig, bgpNode, bgpPeerOf } from '../../support/clusters/bgp-objects.ts';
import { describeWithPrograms, programPath } from '../../support/program/parts.ts';
import { folderOf, run } from '../../support/program/world.ts';

const nodes: KubeObject[] = [bgpNode('node-a', { ip: '10.90.0.1/24' }), bgpNode('node-b', { ip: '10.90.0.2/24' })];
const bird = programPath('bird') ?? 'bird';
const good = folderOf(nodes);
const bad = folderOf([
  ...nodes,
  bgpPeerOf('tor', { node: 'node-b', peerIP: '10.90.0.254', asNumber: 65001, reachableBy: 'fd00::1' }),
  bgpConfig({ nodeToNodeMeshEnabled: true }),
]);
const programs = mkdtempSync(join(tmpdir(), 'calictl-not-bird-'));
afterAll(() => {
  for (const folder of [good, bad, programs]) rmSync(folder, { recursive: true });
});

describeWithPrograms('calictl bird check', ['bird', 'bird6'], () => {
  it('bird check has a row for each node, and exits with 0 when BIRD accepts all', async () => {
    const { code, stdout, stderr } = await run(['bird', 'check', '--bird', bird], { folder: good });
    expect(stdout).toMatch(
      /^NODE +IPV4 +IPV6\nnode-a +ok +ok\nnode-b +ok +ok\nBIRD 1\.6\S* accepts the configuration of 2 of 2 nodes\n$/,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('bird check says where BIRD refuses a configuration, and exits with 3', async () => {
    const { code, stdout, stderr } = await run(['bird', 'check', '--bird', bird], { folder: bad });
    expect(stdout).toMatch(/^node-b +refused +ok$/m);
    expect(stdout).toMatch(/^refused node-b: bird_aggr\.cfg:\d+:\d+ /m);
    expect(stderr).toContain('warning: node-b: reachableBy fd00::1 cannot be the gateway to 10.90.0.254');
    expect(code).toBe(3);
  });

  it('bird check -o json has the verdict of each family', async () => {
    const { stdout } = await run(['bird', 'check', 'node-b', '--bird', bird, '-o', 'json'], { folder: bad });
    const { kind, items } = JSON.parse(stdout);
    expect(kind).toBe('BirdCheckList');
    expect(items).toEqual([
      {
        node: 'node-b',
        verdicts: [
          { ipVersion: 4, accepted: false, refused: expect.stringContaining('bird_aggr.cfg:') },
          { ipVersion: 6, accepted: true },
        ],
      },
    ]);
  });
});

it('bird check refuses a program that is not BIRD, is BIRD 2, or does not exist', async () => {
  const program = (name: string, text: string): string => {
    const path = join(programs, name);
    writeFileSync(path, `#!/bin/sh\necho '${text}' >&2\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const check = async (path: string): Promise<string> =>
    (await run(['bird', 'check', '--bird', path], { folder: good })).stderr;
  expect(await check(program('two', 'BIRD version 2.0.12'))).toContain('is BIRD 2.0.12, and Calico');
  expect(await check(program('other', 'hello'))).toContain('is not BIRD: it ended with exit code 0 and said "hello"');
  expect(await check(join(programs, 'absent'))).toContain('absent is not BIRD: it ended with exit code 127');
});
