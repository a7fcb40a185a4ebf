// CHECK: what ADD made is still there.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePlugin, hostInterface } from '../../support/lab/plugin-lab.ts';
import { printedBy } from '../../support/program/run-program.ts';

describePlugin('CHECK of the CNI plugin', ({ here, files, call, inPod }) => {
  it('CHECK is OK after ADD, and names what was removed since', async () => {
    await inPod(async (netns) => {
      const { stdout } = await call('ADD', netns);
      const conf = { prevResult: JSON.parse(stdout) };
      expect(await call('CHECK', netns, { conf })).toMatchObject({ exit: 0, stdout: 'OK\n' });
      await printedBy(['ip', '-n', here().netns, 'route', 'del', '10.244.174.128/32']);
      const checked = await call('CHECK', netns, { conf });
      expect(checked.exit).toBe(1);
      expect(JSON.parse(checked.stdout)).toMatchObject({
        code: 999,
        details: `missing: ip route add 10.244.174.128/32 dev ${hostInterface} scope link`,
      });
    });
  });

  it('CHECK fails with the words of the program when it cannot look, instead of calling things missing', async () => {
    await inPod(async (netns) => {
      const { stdout } = await call('ADD', netns);
      files.write('netns', '');
      const path = join(files.path, 'netns');
      const checked = await call('CHECK', path, { conf: { prevResult: JSON.parse(stdout) } });
      expect(checked.exit).toBe(1);
      const { msg, details } = JSON.parse(checked.stdout) as { msg: string; details: string };
      expect(msg).toBe('the state of eth0 could not be read');
      expect(details).toContain('nsenter: ');
    });
  });

  it('CHECK lists everything as missing when the pod has lost its interface', async () => {
    await inPod(async (netns) => {
      const { stdout } = await call('ADD', netns);
      await printedBy(['ip', '-n', netns.split('/').at(-1) ?? '', 'link', 'del', 'dev', 'eth0']);
      const checked = await call('CHECK', netns, { conf: { prevResult: JSON.parse(stdout) } });
      expect(checked.exit).toBe(1);
      const { msg, details } = JSON.parse(checked.stdout) as { msg: string; details: string };
      expect(msg).toBe('the network of the pod is not as ADD made it');
      expect(details).toContain(`sysctl -qw net/ipv4/conf/${hostInterface}/proxy_arp=1`);
      expect(details).toContain('in the pod: ip route add default via 169.254.1.1 dev eth0');
    });
  });
});
