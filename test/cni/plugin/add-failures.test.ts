// What is left when a step of ADD fails.
import { expect, it } from 'vitest';
import { describePlugin, hostInterface, webPod } from '../../support/lab/plugin-lab.ts';
import { printedBy, runProgram } from '../../support/program/run-program.ts';
import type { AskedRight } from '../../support/servers/recording-proxy.ts';

describePlugin('a failed ADD of the CNI plugin', ({ server, here, proxy, call, inPod, stored, podAnnotations }) => {
  it('a host route that another interface holds ends ADD with its name, and nothing of the pod is left', async () => {
    await printedBy(['ip', '-n', here().netns, 'route', 'add', '10.244.174.128/32', 'dev', 'up0', 'scope', 'link']);
    try {
      await inPod(async (netns) => {
        const { exit, stdout } = await call('ADD', netns, { conf: { ipam: { type: 'calico-ipam' } } });
        expect(exit).toBe(1);
        expect((JSON.parse(stdout) as { msg: string }).msg.replace(/Ifindex: \d+/g, 'Ifindex: N')).toBe(
          `error adding host side routes for interface: ${hostInterface}, error: route (Ifindex: N, Dst: ` +
            `10.244.174.128/32, Scope: link) already exists for an interface other than '${hostInterface}': route ` +
            '(Ifindex: N, Dst: 10.244.174.128/32, Scope: link, Iface: up0)',
        );
        expect(await stored('ipamhandles')).toEqual([]);
        expect((await runProgram(['ip', '-n', here().netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(1);
      });
    } finally {
      await runProgram(['ip', '-n', here().netns, 'route', 'del', '10.244.174.128/32']);
    }
  });

  it('ADD fails when the kernel refuses required settings of the interface of the node', async () => {
    await inPod(async (netns) => {
      const ipv4 = { conf: { ipam: { type: 'calico-ipam' } }, readOnly: '/proc/sys/net/ipv4/conf' };
      const { exit, stdout } = await call('ADD', netns, ipv4);
      expect(exit, stdout).toBe(1);
      expect((JSON.parse(stdout) as { msg: string }).msg).toMatch(
        new RegExp(`^failed to set net/ipv4/conf/${hostInterface}/\\w+=1: permission denied`),
      );
      expect((await runProgram(['ip', '-n', here().netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(1);
      expect(await stored('ipamhandles')).toEqual([]);
    });
  });

  it('ADD warns when the kernel refuses a setting that the pod does without', async () => {
    await inPod(async (netns) => {
      const ipv4 = { conf: { ipam: { type: 'calico-ipam' } }, readOnly: '/proc/sys/net/ipv6/conf' };
      const { exit, stdout, stderr } = await call('ADD', netns, ipv4);
      expect(exit, stdout).toBe(0);
      expect(stderr).toContain('a setting was not made; the pod works without it');
    });
  });

  const isAnnotating = ({ resource, verb }: AskedRight): boolean => resource === 'pods/status' && verb === 'patch';

  it('ADD whose annotations fail after the server has them leaves no interface, no annotated address and no handle', async () => {
    await inPod(async (netns) => {
      let lost = 0;
      let linksAtRelease: string | undefined;
      proxy().interfere = async (asked) => {
        if (isAnnotating(asked) && lost++ === 0) return 'lose';
        // The first write of IPAM after the failure releases the addresses: the pair must be gone by then.
        if (lost > 0 && asked.resource === 'ipamblocks' && asked.verb === 'update') {
          linksAtRelease ??= await printedBy(['ip', '-n', here().netns, '-br', 'link', 'show']);
        }
        return undefined;
      };
      const { exit, stdout } = await call('ADD', netns);
      expect(exit, stdout).toBe(1);
      expect(linksAtRelease).toContain('up0');
      expect(linksAtRelease).not.toContain(hostInterface);
      expect(await podAnnotations()).toMatchObject({
        'cni.projectcalico.org/podIP': '',
        'cni.projectcalico.org/podIPs': '',
      });
      expect(await stored('ipamhandles')).toEqual([]);
    });
  });

  it('ADD never annotates another pod that has got the same name meanwhile', async () => {
    await inPod(async (netns) => {
      let replaced = 0;
      proxy().interfere = async (asked) => {
        if (!isAnnotating(asked) || replaced++ > 0) return undefined;
        await server().admin.deleteAll('Pod');
        await server().admin.load([webPod]);
        return undefined;
      };
      const { exit, stdout } = await call('ADD', netns);
      expect(exit, stdout).toBe(1);
      expect(await podAnnotations()).toBeUndefined();
      expect(await stored('ipamhandles')).toEqual([]);
    });
  });
});
