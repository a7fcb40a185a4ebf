// node verify and node routes on the lab: a healthy network is healthy, and each fault of a real kernel is found alone.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocolName } from '../support/lab/bird-config.ts';
import { breakLab, type FaultPlace, type LabFault, labFaults } from '../support/lab/faults.ts';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import { type Encapsulation, nodeOf } from '../support/lab/plan.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { folderOf, run } from '../support/program/world.ts';
import { recordedObjects } from '../support/recorded/network.ts';

interface Problem {
  readonly id: string;
  readonly node: string;
  readonly peer?: string;
  readonly message: string;
}

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly problems: readonly Problem[];
}

/** The commands on a lab, with its objects as the datastore. */
function commandsOn(lab: Lab, folder: string) {
  return async (command: string, ...more: readonly string[]): Promise<Answer> => {
    const flags = ['-o', 'json', '--via', lab.via, '--bird-dir', lab.birdFolder];
    const { code, stdout, stderr } = await run(['node', command, ...flags, ...more], { folder });
    const problems = stdout === '' ? [] : (JSON.parse(stdout) as { problems: Problem[] }).problems;
    return { code, stdout, stderr, problems };
  };
}

const ids = ({ problems }: Answer): string[] => problems.map(({ id, node }) => `${id} ${node}`);

/** Faults that need no tunnel; with VXLAN they are found in faults.test.ts. */
const ofAll: readonly [LabFault, FaultPlace][] = [
  ['noProxyArp', { node: 'node-a' }],
  ['noForwarding', { node: 'node-a' }],
  ['noGatewayRoute', { node: 'node-a' }],
  ['noHostRoute', { node: 'node-a' }],
  ['noHostRoute', { node: 'node-b', family: 6 }],
  ['staleNeighbour', { node: 'node-a' }],
  ['podMtu', { node: 'node-a' }],
  ['noIpForward', { node: 'node-b' }],
  ['uplinkNotForwarding', { node: 'node-b' }],
];

const shapes: readonly Encapsulation[] = ['none', 'vxlan', 'vxlan-crosssubnet'];

describeWithPrograms('the data path of a lab', labPrograms, () => {
  describe.each(shapes)('encapsulation %s', (encapsulation) => {
    let lab: Lab;
    let folder: string;
    let ask: ReturnType<typeof commandsOn>;
    beforeAll(async () => {
      lab = await startLab({ name: `verify ${encapsulation}`, encapsulation });
      folder = folderOf(lab.objects());
      ask = commandsOn(lab, folder);
    });
    afterAll(async () => {
      await lab?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('node verify finds a healthy lab as expected', async () => {
      const [routes, verify] = [await ask('routes', '--all'), await ask('verify', '--all')];
      expect(routes).toMatchObject({ code: 0, problems: [] });
      expect(verify).toMatchObject({ code: 0, problems: [] });
    });

    it('node verify knows every route to blocks and pods', async () => {
      const { stdout } = await ask('routes', '--all', 'node-a');
      const [item] = (JSON.parse(stdout) as { items: { routes: { destination: string; verdict: string }[] }[] }).items;
      expect(item?.routes.map(({ destination }) => destination).sort()).toEqual(
        [
          ...['10.244.10.0/26', '10.244.10.1/32', '10.244.10.2/32', '10.244.20.64/26', '10.244.30.128/26'],
          ...['fd00:244:0:a::/122', 'fd00:244:0:a::1/128', 'fd00:244:0:a::2/128'],
          ...['fd00:244:0:b::/122', 'fd00:244:0:c::/122'],
        ].sort(),
      );
      expect(new Set(item?.routes.map(({ verdict }) => verdict))).toEqual(new Set(['ok']));
    });

    const faults = encapsulation !== 'vxlan' && process.env['LONG'] ? ofAll : [];
    it.each(faults)('node verify finds %s at %j, and nothing else', async (fault, place) => {
      const heal = await breakLab(lab, fault, place);
      try {
        const answer = await ask('verify');
        expect(ids(answer)).toEqual([`${labFaults[fault].id} ${place.node}`]);
        expect(answer.code).toBe(3);
      } finally {
        await heal();
      }
    });

    it('node verify --pod reports only what concerns the pod', async () => {
      const heal = await breakLab(lab, 'noProxyArp', { node: 'node-a' });
      try {
        expect(ids(await ask('verify', '--pod', 'default/web-1'))).toEqual(['F01 node-a']);
        expect(ids(await ask('verify', '--pod', 'default/nginx'))).toEqual([]);
      } finally {
        await heal();
      }
    });

    it('node verify finds the lab healthy again when every fault is undone', async () => {
      expect(await ask('verify')).toMatchObject({ code: 0, problems: [] });
    });
  });

  describe('routes of BIRD', () => {
    let lab: Lab;
    let folder: string;
    let ask: ReturnType<typeof commandsOn>;
    beforeAll(async () => {
      lab = await startLab({ name: 'routes of BIRD', encapsulation: 'none' });
      folder = folderOf(lab.objects());
      ask = commandsOn(lab, folder);
    });
    afterAll(async () => {
      await lab?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('node verify explains the routes that a lost session removes', async () => {
      const session = protocolName(lab.plan, nodeOf(lab.plan, 'node-c').address[4]);
      await lab.birdc('node-a', 4, 'disable', session);
      try {
        const told = async (): Promise<string[]> =>
          (await ask('routes', 'node-a')).problems.map(({ id, peer, message }) => `${id} ${peer} ${message}`);
        await expect
          .poll(told, { timeout: 20_000 })
          .toEqual([
            expect.stringMatching(
              /^F44 node-c no route to 10\.244\.30\.128\/26 of node-c.*; BGP with node-c is not established \(Mesh.*: down\)$/,
            ),
          ]);
      } finally {
        await lab.birdc('node-a', 4, 'enable', session);
        await lab.converged();
      }
      expect((await ask('routes')).problems).toEqual([]);
    });
  });

  it('node verify reports an unreachable node as unreachable', async () => {
    const all = Object.values(recordedObjects({ mode: 'vxlan' })).flat();
    const { code, stdout, stderr } = await run('node routes --via netns:no-such-{node}', { objects: all });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^unreachable node-a: .*\n/);
    expect(stdout).not.toContain('missing');
  });
});
