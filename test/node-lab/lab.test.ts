// The lab itself, seen with ping, birdc and ip alone: what other suites take for a healthy network is one.
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import { type Encapsulation, type Family, podOf } from '../support/lab/plan.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { runProgram } from '../support/program/run-program.ts';
import { run } from '../support/program/world.ts';

const pods = ['web-1', 'nginx', 'coredns-7db6d8ff4d-abcde', 'podname'];
const families: readonly Family[] = [4, 6];

interface Shape {
  readonly encapsulation: Encapsulation;
  readonly reflector: boolean;
  /** Device that node-a's packets to node-b's and to node-c's pods leave by. */
  readonly devices: Readonly<Record<Family, readonly [string, string]>>;
}

const shapes: readonly Shape[] = [
  { encapsulation: 'none', reflector: false, devices: { 4: ['eth0', 'eth0'], 6: ['eth0', 'eth0'] } },
  { encapsulation: 'none', reflector: true, devices: { 4: ['eth0', 'eth0'], 6: ['eth0', 'eth0'] } },
  {
    encapsulation: 'vxlan',
    reflector: false,
    devices: { 4: ['vxlan.calico', 'vxlan.calico'], 6: ['vxlan-v6.calico', 'vxlan-v6.calico'] },
  },
  {
    encapsulation: 'vxlan-crosssubnet',
    reflector: false,
    devices: { 4: ['eth0', 'vxlan.calico'], 6: ['eth0', 'vxlan-v6.calico'] },
  },
];

describeWithPrograms('a lab of nodes with BIRD', labPrograms, () => {
  describe.each(shapes)(
    'encapsulation $encapsulation, reflector: $reflector',
    ({ encapsulation, reflector, devices }) => {
      let lab: Lab;
      beforeAll(async () => {
        lab = await startLab({ name: encapsulation, encapsulation, reflector });
      });
      afterAll(() => lab?.stop());

      it.each(families)('all pods of the lab reach each other over IPv%i', async (family) => {
        const pairs = pods.flatMap((from) => pods.filter((to) => to !== from).map((to) => [from, to] as const));
        const pings = pairs.map(([from, to]) => {
          const { address } = podOf(lab.plan, to);
          return lab.execInPod(from, ['ping', '-c', '1', '-W', '5', address[family]]);
        });
        expect((await Promise.all(pings)).map(({ exit }) => exit)).toEqual(pairs.map(() => 0));
      });

      it.each(families)('packets over IPv%i to other nodes leave by the right device', async (family) => {
        const targets = ['coredns-7db6d8ff4d-abcde', 'podname'].map((name) => podOf(lab.plan, name).address[family]);
        const answers = targets.map((target) => lab.exec('node-a', ['ip', '-j', 'route', 'get', target]));
        const routes = (await Promise.all(answers)).flatMap(({ stdout }) => JSON.parse(stdout) as { dev: string }[]);
        expect(routes.map(({ dev }) => dev)).toEqual(devices[family]);
      });

      it.each(families)('the IPv%i sessions of the lab are established', async (family) => {
        const rows = (await lab.birdc('node-c', family, 'show', 'protocols'))
          .split('\n')
          .filter((row) => / BGP /.test(row));
        expect(rows).toHaveLength(reflector ? 1 : 2);
        for (const row of rows) expect(row).toMatch(/ up .* Established/);
      });

      it('each node of the lab has its own name and files', async () => {
        const { stdout } = await lab.exec('node-b', [
          'sh',
          '-c',
          'hostname; cat /var/lib/calico/nodename; ls /var/run/calico',
        ]);
        expect(stdout.split('\n')).toEqual(['node-b', 'node-bbird.ctl', 'bird.pid', 'bird6.ctl', 'bird6.pid', '']);
        expect(existsSync(`${lab.folder}/node-b/run/bird.ctl`)).toBe(true);
      });

      it('the objects of the lab are consistent', async () => {
        const checked = await run('ipam check', { objects: lab.objects() });
        expect(checked.stdout).toContain('No problems found');
        expect(checked.code).toBe(0);
      });

      it('the nodes of the lab accept TCP from the host, on both sides of the router', async () => {
        for (const { address } of lab.plan.nodes) {
          for (const family of families) {
            await new Promise<void>((resolve, reject) => {
              const socket = connect(179, address[family], () => {
                socket.destroy();
                resolve();
              });
              socket.on('error', reject);
            });
          }
        }
      });
    },
  );

  it('a removed lab leaves nothing behind', async () => {
    const lab = await startLab({ name: 'short-lived', families: [4] });
    const pid = lab.prefix('node-a')[2];
    await lab.stop();
    expect(existsSync(lab.folder)).toBe(false);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect((await runProgram(['ip', 'netns', 'list'])).stdout).not.toContain(`${lab.plan.prefix}-`);
    expect((await runProgram(['ip', 'link', 'show', lab.plan.prefix])).exit).not.toBe(0);
  });
});
