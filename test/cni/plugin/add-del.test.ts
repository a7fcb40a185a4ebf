// ADD and DEL: a pod is connected, and nothing of it stays.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePlugin, hostInterface } from '../../support/lab/plugin-lab.ts';
import { partPath } from '../../support/program/parts.ts';
import { printedBy, runProgram } from '../../support/program/run-program.ts';
import { until } from '../../support/program/until.ts';

describePlugin('ADD and DEL of the CNI plugin', ({ here, proxy, files, call, inPod, stored, podAnnotations }) => {
  it('ADD connects a dual-stack pod with its node, and DEL leaves nothing of it but the block', async () => {
    await inPod(async (netns) => {
      const added = await call('ADD', netns);
      expect(added.exit, added.stdout + added.stderr).toBe(0);
      const { ips } = JSON.parse(added.stdout) as { ips: { address: string }[] };
      expect(ips.map(({ address }) => address)).toEqual([
        '10.244.174.128/32',
        'fd00:244:0:6d15:74ba:80e:4835:8080/128',
      ]);
      for (const { address } of ips) {
        const ping = ['ping', '-c1', '-W5', address.replace(/\/.*/, '')];
        expect((await here().run(ping, { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' })).exit).toBe(0);
      }
      expect(await podAnnotations()).toMatchObject({
        'cni.projectcalico.org/containerID': 'c1',
        'cni.projectcalico.org/podIP': '10.244.174.128/32',
        'cni.projectcalico.org/podIPs': '10.244.174.128/32,fd00:244:0:6d15:74ba:80e:4835:8080/128',
      });
      expect(await call('DEL', netns)).toMatchObject({ exit: 0, stdout: '' });
      expect(await call('DEL', netns)).toMatchObject({ exit: 0, stdout: '' });
      expect(await stored('ipamhandles')).toEqual([]);
      expect(await stored('ipamblocks')).toHaveLength(2);
      expect(await podAnnotations()).toMatchObject({ 'cni.projectcalico.org/podIP': '' });
      expect((await runProgram(['ip', '-n', here().netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(1);
    });
  });

  it('ADD and DEL need no right that the role of the plugin lacks, and no more requests than the plugin of Calico', async () => {
    await inPod(async (netns) => {
      const ipv4 = { conf: { ipam: { type: 'calico-ipam' } } };
      await call('ADD', netns, ipv4);
      expect(proxy().asked.filter(({ status }) => status === 403)).toEqual([]);
      expect(proxy().asked.length).toBeGreaterThan(8);
      // Recorded of Calico's: 23 requests for the first ADD of a node, 16 for later ones, 13 for DEL.
      expect(proxy().asked.length).toBeLessThanOrEqual(23);
      proxy().asked.length = 0;
      await call('ADD', netns, { ...ipv4, containerId: 'c2' });
      expect(proxy().asked.length).toBeLessThanOrEqual(16);
      proxy().asked.length = 0;
      expect(await call('DEL', netns, { ...ipv4, containerId: 'c2' })).toMatchObject({ exit: 0 });
      expect(proxy().asked.length).toBeLessThanOrEqual(13);
      expect(proxy().asked.filter(({ status }) => status === 403)).toEqual([]);
    });
  });

  it('DEL of an earlier container releases its address, and leaves the endpoint to the later one', async () => {
    await inPod(async (netns) => {
      await call('ADD', netns, { containerId: 'first' });
      const later = await here().pod('later');
      try {
        expect(await call('ADD', later, { containerId: 'second' })).toMatchObject({ exit: 0 });
        const before = await podAnnotations();
        expect(await call('DEL', netns, { containerId: 'first' })).toMatchObject({ exit: 0 });
        expect(await podAnnotations()).toEqual(before);
        expect((await stored('ipamhandles')).map(({ metadata }) => metadata.name)).toEqual(['k8s-pod-network.second']);
        expect((await runProgram(['ip', '-n', here().netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(0);
      } finally {
        await here().removePod(later);
      }
    });
  });

  it('DEL releases the addresses when the file of the network namespace is no longer one', async () => {
    await inPod(async (netns) => {
      expect(await call('ADD', netns)).toMatchObject({ exit: 0 });
      files.write('netns', '');
      expect(await call('DEL', join(files.path, 'netns'))).toMatchObject({ exit: 0, stdout: '' });
      expect(await stored('ipamhandles')).toEqual([]);
    });
  });

  it.skipIf(!existsSync(partPath('host-local')))(
    'host-local assigns from the range of the node, its routes replace the default route, and DEL gives the address back (skipped unless host-local is provisioned)',
    async () => {
      const networks = '/var/lib/calico/networks';
      const ipam = { type: 'host-local', dataDir: networks, subnet: 'usePodCidr', routes: [{ dst: '10.0.0.0/8' }] };
      await inPod(async (netns) => {
        const added = await call('ADD', netns, { conf: { ipam } });
        expect(added.exit, added.stdout).toBe(0);
        expect((JSON.parse(added.stdout) as { ips: unknown }).ips).toEqual([{ address: '10.76.0.2/32', interface: 1 }]);
        const routes = await printedBy(['ip', '-n', netns.split('/').at(-1) ?? '', '-4', 'route']);
        expect(routes.trim().split(/ *\n/)).toEqual([
          '10.0.0.0/8 via 169.254.1.1 dev eth0',
          '169.254.1.1 dev eth0 scope link',
        ]);
        const directory = here().pathOf(join(networks, 'k8s-pod-network'));
        expect(readdirSync(directory)).toContain('10.76.0.2');
        expect(await call('DEL', netns, { conf: { ipam } })).toMatchObject({ exit: 0, stdout: '' });
        expect(readdirSync(directory)).not.toContain('10.76.0.2');
        expect(await stored('ipamblocks')).toEqual([]);
      });
    },
  );

  it('ADD waits for the IPAM lock that another plugin of the node holds', async () => {
    await inPod(async (netns) => {
      const lock = here().pathOf('/var/run/calico/ipam.lock');
      const holder = spawn('flock', ['-x', lock, 'sh', '-c', 'echo held; read line'], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      try {
        await new Promise((resolve) => holder.stdout.once('data', resolve));
        const adding = call('ADD', netns);
        // The kernel lists who waits for a lock with an arrow, and the lock by the inode of its file.
        const inode = statSync(lock).ino;
        const waiting = (): boolean => new RegExp(`-> FLOCK .*:${inode} `).test(readFileSync('/proc/locks', 'utf8'));
        await until(waiting, 'the plugin waits for the lock');
        expect(await stored('ipamhandles')).toEqual([]);
        holder.stdin.end('\n');
        expect((await adding).exit).toBe(0);
        expect(await stored('ipamhandles')).toHaveLength(1);
      } finally {
        holder.kill();
      }
    });
  });

  it('logs go to the file and to standard error, and the answer alone to standard output', async () => {
    await inPod(async (netns) => {
      const { stdout, stderr } = await call('ADD', netns);
      expect(() => JSON.parse(stdout)).not.toThrow();
      expect(stderr).toContain('[INFO]');
      expect(files.read('cni.log')).toContain(stderr.split('\n')[0]);
    });
  });
});
