// Commands that a plugin does not have.
import { describe, expect, it } from 'vitest';
import { calictlVersions } from '../../src/cni/protocol/versions.ts';
import { runPlugin } from '../../src/cni/run-plugin.ts';
import { testWorld } from '../support/program/world.ts';

describe('calico-ipam', () => {
  it.each(['GC', 'STATUS'])('refuses %s, and never takes it for DEL', async (command) => {
    const world = testWorld({
      env: { CNI_COMMAND: command, CNI_CONTAINERID: 'c1', CNI_NETNS: '/n', CNI_IFNAME: 'eth0', CNI_PATH: '/opt' },
      stdin: JSON.stringify({ cniVersion: '1.1.0', name: 'a', ipam: { type: 'calico-ipam' } }),
    });
    const plugin = { name: 'calico-ipam', release: 'v3.31.4', versions: calictlVersions } as const;
    const { exit, stdout } = await runPlugin(plugin, [], world);
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ code: 4, msg: `calico-ipam does not support ${command}` });
  });
});
