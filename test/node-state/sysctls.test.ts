// Kernel settings: the output of the probe's own command on this machine, interface names with dots, and other lines.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kernelProbes } from '../../src/node-state/probes.ts';
import { parseSysctls } from '../../src/node-state/sysctls.ts';
import { answerOf, problemOf } from '../support/recorded/recordings.ts';

describe('parseSysctls', () => {
  it('settings keep the dots of interface names and their values as printed', () => {
    const text = [
      '/proc/sys/net/ipv4/conf/all/forwarding:1',
      '/proc/sys/net/ipv4/conf/vxlan.calico/rp_filter:0',
      '/proc/sys/net/ipv4/tcp_rmem:4096\t131072\t6291456',
      '/proc/sys/net/ipv4/conf/eth0/empty:',
      '',
    ].join('\r\n');
    expect([...answerOf(parseSysctls(text))]).toEqual([
      ['net/ipv4/conf/all/forwarding', '1'],
      ['net/ipv4/conf/vxlan.calico/rp_filter', '0'],
      ['net/ipv4/tcp_rmem', '4096\t131072\t6291456'],
      ['net/ipv4/conf/eth0/empty', ''],
    ]);
  });

  it('lines that are not settings are listed as skipped', () => {
    expect(
      parseSysctls('grep: x: Permission denied\n/proc/sys/net/ipv4/ip_forward:1\n/proc/sys/net/ipv4\n'),
    ).toMatchObject({
      ok: true,
      skipped: ['grep: x: Permission denied', '/proc/sys/net/ipv4'],
    });
  });

  it.each([
    ['', 'no setting found'],
    ['1\n', 'no setting found: 1'],
    ['net.ipv4.ip_forward = 1\n', 'no setting found: net.ipv4.ip_forward = 1'],
  ])('settings that are not understood: %j', (text, problem) => {
    expect(problemOf(parseSysctls(text))).toBe(problem);
  });

  it.skipIf(!existsSync('/proc/sys/net/ipv4/ip_forward'))('the settings of this machine are read', () => {
    const [program = '', ...args] = kernelProbes.sysctls.alternatives[0] ?? [];
    const settings = answerOf(parseSysctls(spawnSync(program, args, { encoding: 'utf8' }).stdout));
    for (const path of ['net/ipv4/ip_forward', 'net/ipv4/conf/lo/rp_filter', 'net/ipv4/neigh/lo/proxy_delay']) {
      expect(settings.get(path)).toBe(readFileSync(`/proc/sys/${path}`, 'utf8').trim());
    }
  });
});
