// calictl node capture with a real tcpdump in a network namespace: the right interface, a readable file, no stray process.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostInterfaceName } from '../../../src/resources/convert/workload-endpoint-of-pod.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { node } from '../../support/clusters/ipam-state.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { isRunning } from '../../support/program/processes.ts';
import { until } from '../../support/program/until.ts';
import { run } from '../../support/program/world.ts';

const podOn = (name: string, spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'shop', name },
  spec,
});
const objects = [
  node('node-a'),
  podOn('cart-0', { nodeName: 'node-a' }),
  podOn('proxy', { nodeName: 'node-a', hostNetwork: true }),
  podOn('waiting', {}),
];
const capture = (args: readonly string[], options = {}) => run(['node', 'capture', ...args], { objects, ...options });

describe('node capture', () => {
  it.each([
    [['shop/nobody', '--via', 'local'], 1, 'nobody'],
    [['cart-0', '--via', 'local'], 1, 'a pod is written as NAMESPACE/NAME'],
    [['shop/waiting', '--via', 'local'], 1, 'is not scheduled to a node yet'],
    [['shop/proxy', '--via', 'local'], 1, 'uses the host network'],
    [['shop/', '--via', 'local'], 2, 'invalid pod for WHAT: shop/'],
    [['node-a', '-c', '0', '--via', 'local'], 2, 'invalid number for --count: 0'],
    [['node-a', '-i', '', '--via', 'local'], 2, '--interface is empty'],
    [['node-a', '--image', 'x', '--via', 'local'], 2, '--image requires a pod'],
    [['shop/cart-0', '--image', 'x', '--via', 'local'], 2, '--image requires --via kube'],
    [['node-a', '--via', 'local', '-o', 'json'], 2, '-o json requires a file for the packets'],
  ])('node capture %j exits %i', async (args, code, text) => {
    const ran = await capture(args);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(text);
  });

  it('node capture writes no packets to a terminal', async () => {
    const { code, stdout, stderr } = await capture(['node-a', '--via', 'local', '-w', '-'], { terminal: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('packets are not written to a terminal');
  });
});

describeWithPrograms('node capture in a network namespace', ['ip', 'tcpdump', 'ping', 'nsenter'], () => {
  const namespace = `calictl-${process.pid}-node-a`;
  const peer = `calictl-${process.pid}-pod`;
  const device = hostInterfaceName('shop', 'cart-0');
  const folder = mkdtempSync(join(tmpdir(), 'calictl-capture-'));
  const via = ['--via', `netns:calictl-${process.pid}-{node}`];
  const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' });

  beforeAll(() => {
    ip('netns', 'add', namespace);
    ip('netns', 'add', peer);
    ip('-n', namespace, 'link', 'add', device, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', peer);
    ip('-n', namespace, 'addr', 'add', '192.0.2.1/24', 'dev', device);
    ip('-n', namespace, 'link', 'set', device, 'up');
    ip('-n', peer, 'addr', 'add', '192.0.2.2/24', 'dev', 'eth0');
    ip('-n', peer, 'link', 'set', 'eth0', 'up');
  });
  afterAll(() => {
    for (const name of [namespace, peer]) ip('netns', 'del', name);
    rmSync(folder, { recursive: true });
  });

  /** Pings from the pod for as long as the captures take. */
  async function whilePinging<T>(work: () => Promise<T>): Promise<T> {
    const ping = spawn('ip', ['netns', 'exec', peer, 'ping', '-i', '0.1', '192.0.2.1'], { stdio: 'ignore' });
    try {
      return await work();
    } finally {
      ping.kill('SIGKILL');
    }
  }
  const packetsIn = (file: string): string[] =>
    execFileSync('tcpdump', ['-n', '-r', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .trim()
      .split('\n');

  it("node capture writes packets of the pod's interface into a file", async () => {
    const file = join(folder, 'cart.pcap');
    const { code, stdout } = await whilePinging(() =>
      capture(['shop/cart-0', ...via, '-c', '4', '-w', file, '-o', 'json', '--', 'icmp[icmptype]', '==', 'icmp-echo']),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ kind: 'NodeCapture', node: 'node-a', device, exit: 0, file });
    const packets = packetsIn(file);
    expect(packets).toHaveLength(4);
    for (const packet of packets) expect(packet).toContain('192.0.2.2 > 192.0.2.1: ICMP echo request');
    expect(isRunning(`-i ${device}`)).toBe(false);
  });

  it('node capture prints packets as text without -w', async () => {
    const { code, stdout } = await whilePinging(() =>
      capture(['node-a', ...via, '-i', device, '-c', '2', '--', 'icmp']),
    );
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stdout).toContain('ICMP echo');
  });

  it('node capture ends on Ctrl-C with a whole file and no tcpdump left running', async () => {
    const file = join(folder, 'interrupted.pcap');
    const stop = new AbortController();
    const { code } = await whilePinging(async () => {
      const ended = capture(['shop/cart-0', ...via, '-w', file, '--', 'icmp'], { signal: stop.signal });
      await until(() => existsSync(file) && packetsOrNone(file) >= 2, 'two packets are in the file');
      stop.abort();
      return ended;
    });
    expect(code).toBe(130);
    expect(packetsIn(file).length).toBeGreaterThanOrEqual(2);
    expect(isRunning(`-i ${device}`)).toBe(false);
  });

  function packetsOrNone(file: string): number {
    try {
      return packetsIn(file).length;
    } catch {
      // Not even the head of the file is there.
      return 0;
    }
  }

  it('node capture never overwrites a file', async () => {
    const file = join(folder, 'mine.pcap');
    writeFileSync(file, 'mine');
    const { code, stderr } = await capture(['shop/cart-0', ...via, '-c', '1', '-w', file]);
    expect(code).toBe(4);
    expect(stderr).toContain('already exists');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('node capture leaves no empty file when nothing was captured', async () => {
    const file = join(folder, 'none.pcap');
    expect((await capture(['node-a', ...via, '-i', 'nosuch0', '-w', file])).code).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  it('node capture accepts no tcpdump option as a filter', async () => {
    const { code, stderr } = await capture(['node-a', ...via, '-c', '1', '--', '-w', join(folder, 'sly')]);
    expect(code).toBe(1);
    expect(stderr).toContain('syntax error');
    expect(existsSync(join(folder, 'sly'))).toBe(false);
  });
});
