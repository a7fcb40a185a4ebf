// The steps that connect a pod: what Calico's own plugin was seen to set, in its order, made and read back in real namespaces.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, batchesOf, failureIn } from '../../../src/datapath/wire/batches.ts';
import { argvOf, type Side, type Step } from '../../../src/datapath/wire/effect.ts';
import { mtuOfFile, podMtuOf } from '../../../src/datapath/wire/mtu.ts';
import { defaultRoutes, type PodWiring, unwiringStep, wiringSteps } from '../../../src/datapath/wire/pod-wiring.ts';
import {
  type EndAnswer,
  endProbes,
  endState,
  missingSteps,
  saysAbsent,
  type WiringState,
} from '../../../src/datapath/wire/wiring-state.ts';
import { type Cidr, parseCidr } from '../../../src/net/cidr.ts';
import { type IpAddress, parseIp } from '../../../src/net/ip.ts';
import { makeNamespace, type Namespace } from '../../support/lab/network-namespace.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { runProgram } from '../../support/program/run-program.ts';
import { until } from '../../support/program/until.ts';

const netns = '/run/netns/pod1';
const ip = (text: string): IpAddress => parseIp(text) as IpAddress;

function wiring(addresses: readonly string[], changes: Partial<PodWiring> = {}): PodWiring {
  return {
    hostInterface: 'cali0761ccbeace',
    podInterface: 'eth0',
    addresses: addresses.map(ip),
    mtu: undefined,
    queues: 1,
    podMac: undefined,
    allowForwarding: false,
    routes: defaultRoutes,
    hasHostRoutes: true,
    nodePid: 4711,
    ...changes,
  };
}

const v4 = ['10.244.174.128'];
const v6 = ['fd00:244::8080'];
const lines = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => batchesOf([step], netns)).map(({ argv }) => argv.join(' '));
const settings = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => (step.type === 'setting' ? [`${step.side} ${step.path}=${step.value}`] : []));

describe('the steps of an IPv4 pod', () => {
  it('are those of the plugin: pair, settings, both ends up, routes before the address, host route last', () => {
    expect(lines(wiringSteps(wiring(v4, { mtu: 1450 }), true))).toEqual([
      'nsenter --net=/run/netns/pod1 ip link add name eth0 mtu 1450 numtxqueues 1 numrxqueues 1 type veth peer name cali0761ccbeace address ee:ee:ee:ee:ee:ee mtu 1450 numtxqueues 1 numrxqueues 1 netns 4711',
      'nsenter --net=/run/netns/pod1 sysctl -qw net/ipv4/ip_forward=0',
      'sysctl -qw net/ipv4/conf/cali0761ccbeace/route_localnet=1',
      'sysctl -qw net/ipv4/neigh/cali0761ccbeace/proxy_delay=0',
      'sysctl -qw net/ipv4/conf/cali0761ccbeace/proxy_arp=1',
      'sysctl -qw net/ipv4/conf/cali0761ccbeace/forwarding=1',
      'sysctl -qw net/ipv6/conf/cali0761ccbeace/accept_ra=0',
      'ip link set dev cali0761ccbeace up',
      'nsenter --net=/run/netns/pod1 ip link set dev eth0 up',
      'nsenter --net=/run/netns/pod1 ip route add 169.254.1.1/32 dev eth0 scope link',
      'nsenter --net=/run/netns/pod1 ip route add default via 169.254.1.1 dev eth0',
      'nsenter --net=/run/netns/pod1 ip addr add 10.244.174.128/32 dev eth0',
      'ip route add 10.244.174.128/32 dev cali0761ccbeace scope link',
    ]);
  });

  it('leave rp_filter and every IPv6 setting but accept_ra alone', () => {
    const paths = settings(wiringSteps(wiring(v4), true));
    expect(paths.filter((path) => path.includes('ipv6'))).toEqual(['node net/ipv6/conf/cali0761ccbeace/accept_ra=0']);
    expect(paths.filter((path) => path.includes('rp_filter'))).toEqual([]);
  });

  it('remove an interface of the same name first when there is one', () => {
    expect(lines(wiringSteps(wiring(v4), false))[0]).toBe('ip link del dev cali0761ccbeace');
  });

  it('name no MTU when neither configuration nor file has one: the kernel decides', () => {
    expect(lines(wiringSteps(wiring(v4), true))[0]).not.toContain('mtu');
  });

  it('send what host-local IPAM lists through the gateway instead of everything', () => {
    const routes = [parseCidr('10.0.0.0/8') as Cidr, parseCidr('fd00::/8') as Cidr];
    const added = lines(wiringSteps(wiring(v4, { routes }), true)).filter((line) => line.includes('route add'));
    expect(added).toEqual([
      'nsenter --net=/run/netns/pod1 ip route add 169.254.1.1/32 dev eth0 scope link',
      'nsenter --net=/run/netns/pod1 ip route add 10.0.0.0/8 via 169.254.1.1 dev eth0',
      'ip route add 10.244.174.128/32 dev cali0761ccbeace scope link',
    ]);
  });

  it('let the pod forward only when the configuration allows it', () => {
    const forward = settings(wiringSteps(wiring(v4, { allowForwarding: true }), true));
    expect(forward).toContain('pod net/ipv4/ip_forward=1');
  });

  it('give the target of a live migration no host route', () => {
    const steps = wiringSteps(wiring(v4, { hasHostRoutes: false }), true);
    expect(steps.filter(({ type, side }) => type === 'route' && side === 'node')).toEqual([]);
  });
});

describe('the steps of an IPv6 pod', () => {
  it('turn IPv6 on in the pod, answer for neighbours, and lead to the link-local address of the host end', () => {
    const steps = wiringSteps(wiring(v6), true);
    expect(settings(steps)).toEqual([
      'pod net/ipv6/conf/eth0/accept_dad=0',
      'pod net/ipv6/conf/all/disable_ipv6=0',
      'pod net/ipv6/conf/default/disable_ipv6=0',
      'pod net/ipv6/conf/lo/disable_ipv6=0',
      'pod net/ipv6/conf/all/forwarding=0',
      'node net/ipv6/conf/cali0761ccbeace/accept_dad=0',
      'node net/ipv6/conf/cali0761ccbeace/disable_ipv6=0',
      'node net/ipv6/conf/cali0761ccbeace/proxy_ndp=1',
      'node net/ipv6/conf/cali0761ccbeace/forwarding=1',
      'node net/ipv6/conf/cali0761ccbeace/accept_ra=0',
    ]);
    expect(lines(steps)).toContain(
      'nsenter --net=/run/netns/pod1 ip route add default via fe80::ecee:eeff:feee:eeee dev eth0',
    );
    expect(lines(steps).at(-1)).toBe('ip route add fd00:244::8080/128 dev cali0761ccbeace');
  });
});

describe('processes', () => {
  it('an IPv4 pod takes six of them, each with the neighbouring steps of one program', () => {
    const batches = batchesOf(wiringSteps(wiring(v4), true), netns);
    expect(batches.map(({ argv }) => argv.join(' ').slice(0, 45))).toEqual([
      'nsenter --net=/run/netns/pod1 ip link add nam',
      'nsenter --net=/run/netns/pod1 sysctl -qw net/',
      'sysctl -qw net/ipv4/conf/cali0761ccbeace/rout',
      'ip link set dev cali0761ccbeace up',
      'nsenter --net=/run/netns/pod1 ip -batch -',
      'ip route add 10.244.174.128/32 dev cali0761cc',
    ]);
    expect(batches.flatMap(({ steps }) => steps)).toEqual(wiringSteps(wiring(v4), true));
  });

  it('an interface name that ip -batch would read as a comment is never part of a batch', () => {
    const batches = batchesOf(wiringSteps(wiring(v4, { podInterface: 'e#0' }), true), netns);
    expect(batches.filter(({ stdin }) => stdin?.includes('#'))).toEqual([]);
    expect(batches.filter(({ argv }) => argv.includes('e#0')).length).toBeGreaterThan(3);
  });

  it('a failure names the step whose line failed, and the reason of the kernel', () => {
    const [batch] = batchesOf(wiringSteps(wiring(v4), true), netns).filter(({ stdin }) => stdin !== undefined);
    const stderr = 'RTNETLINK answers: File exists\nCommand failed -:2\n';
    expect(batch && failureIn(batch, stderr)).toMatchObject({
      step: { type: 'route', side: 'pod', device: 'eth0' },
      text: 'File exists',
    });
  });
});

/** The process that makes the settings of the node's end of an IPv4 pod. */
function nodeSettings(changes: Partial<PodWiring> = {}): Batch {
  const batches = batchesOf(wiringSteps(wiring(v4, changes), true), netns);
  return batches.find(({ side, argv }) => side === 'node' && argv[0] === 'sysctl') as Batch;
}

describe('a setting that cannot be made', () => {
  const device = 'net.ipv4.conf.cali0761ccbeace';

  it('is found by the key that sysctl prints, which has dots', () => {
    const denied = `sysctl: permission denied on key "${device}.proxy_arp"\n`;
    expect(failureIn(nodeSettings(), denied)).toMatchObject({
      step: { path: 'net/ipv4/conf/cali0761ccbeace/proxy_arp' },
      text: `permission denied on key "${device}.proxy_arp"`,
    });
    const refused = `sysctl: setting key "${device}.forwarding": Invalid argument\n`;
    expect(failureIn(nodeSettings(), refused).step).toMatchObject({
      path: 'net/ipv4/conf/cali0761ccbeace/forwarding',
    });
  });

  it('is found by its path, which sysctl prints when there is no such setting', () => {
    const missing =
      'sysctl: cannot stat /proc/sys/net/ipv6/conf/cali0761ccbeace/accept_ra: No such file or directory\n';
    expect(failureIn(nodeSettings(), missing).step).toMatchObject({ optional: true });
  });

  it('is a required one as soon as one line is about a required one, in any order', () => {
    const optional = 'sysctl: permission denied on key "net.ipv4.neigh.cali0761ccbeace.proxy_delay"';
    const required = `sysctl: permission denied on key "${device}.proxy_arp"`;
    const steps = [`${optional}\n${required}\n`, `${required}\n${optional}\n`, `${optional}\n`].map(
      (stderr) => failureIn(nodeSettings(), stderr).step,
    );
    expect(steps.map((step) => step?.optional === true)).toEqual([false, false, true]);
  });

  it('is unknown, and so not optional, when a line names none or nothing was printed', () => {
    const optional = 'sysctl: permission denied on key "net.ipv4.neigh.cali0761ccbeace.proxy_delay"';
    expect(failureIn(nodeSettings(), `${optional}\nnsenter: killed\n`).step).toBeUndefined();
    expect(failureIn(nodeSettings(), '').step).toBeUndefined();
  });
});

describe('probes of an end', () => {
  const routes = (steps: readonly Step[], side: Side): string[] =>
    endProbes('x', steps, side)
      .map(({ argv }) => argv.join(' '))
      .filter((argv) => argv.includes(' route '));

  it('ask for each route that the steps make, and for no other', () => {
    const steps = wiringSteps(wiring(['10.0.0.1', '10.0.0.2', 'fd00::1']), true);
    expect(routes(steps, 'node')).toEqual([
      'ip -j -d -4 route show exact 10.0.0.1/32',
      'ip -j -d -4 route show exact 10.0.0.2/32',
      'ip -j -d -6 route show exact fd00::1/128',
    ]);
    expect(routes(steps, 'pod')).toEqual([
      'ip -j -d -4 route show exact 169.254.1.1/32',
      'ip -j -d -4 route show exact 0.0.0.0/0',
      'ip -j -d -6 route show exact ::/0',
    ]);
    expect(routes(wiringSteps(wiring([]), true), 'node')).toEqual([]);
  });

  it('ask for no settings when the steps need none: grep without files would read standard input', () => {
    const subjects = endProbes('x', wiringSteps(wiring([]), true), 'node').map(({ subject }) => subject);
    expect(subjects).toEqual(['link', 'addresses']);
  });

  it('that fail say absent only when every line is about something that does not exist', () => {
    const gone = 'Device "eth0" does not exist.\n';
    const setting = 'grep: /proc/sys/net/ipv4/conf/eth0/forwarding: No such file or directory\n';
    const denied = 'grep: /proc/sys/net/ipv4/ip_forward: Permission denied\n';
    const noNamespace = 'nsenter: cannot open /run/netns/pod1: No such file or directory\n';
    expect([gone, setting, setting + setting].map(saysAbsent)).toEqual([true, true, true]);
    expect([denied, setting + denied, noNamespace, ''].map(saysAbsent)).toEqual([false, false, false, false]);
  });
});

describe('MTU', () => {
  it('of the configuration wins over the file, and 0 in either means not set', () => {
    expect([podMtuOf(1400, 1450), podMtuOf(0, 1450), podMtuOf(0, 0), podMtuOf(0, undefined)]).toEqual([
      1400,
      1450,
      undefined,
      undefined,
    ]);
  });

  it('of the file is an integer between blanks, and nothing else', () => {
    expect([' 1450\n', '14x0', '', '1450.0'].map(mtuOfFile)).toEqual([1450, undefined, undefined, undefined]);
  });
});

describeWithPrograms('in real namespaces', ['ip', 'sysctl', 'nsenter', 'grep', 'unshare'], () => {
  const made: Namespace[] = [];
  let node: Namespace;
  let pod: Namespace;
  beforeAll(() => {
    node = makeNamespace('wire-node');
    pod = makeNamespace('wire-pod');
    made.push(node, pod);
  });
  afterAll(() => {
    for (const namespace of made) namespace.remove();
  });

  const inNode = (argv: readonly string[], stdin?: string): Promise<{ exit: number; stdout: string; stderr: string }> =>
    runProgram(['ip', 'netns', 'exec', node.name, ...argv], stdin);

  async function make(steps: readonly Step[]): Promise<void> {
    for (const { argv, stdin } of batchesOf(steps, `/var/run/netns/${pod.name}`)) {
      expect(await inNode(argv, stdin)).toMatchObject({ exit: 0, stderr: '' });
    }
  }

  async function state(steps: readonly Step[], wired: PodWiring): Promise<WiringState> {
    const end = async (side: Side, device: string, namespace: Namespace) => {
      const answers: EndAnswer[] = [];
      for (const { subject, argv } of endProbes(device, steps, side)) {
        const { exit, stdout, stderr } = await runProgram(['ip', 'netns', 'exec', namespace.name, ...argv]);
        expect(exit === 0 || saysAbsent(stderr), stderr).toBe(true);
        answers.push({ subject, stdout });
      }
      const read = endState(device, answers);
      expect(read.problems).toEqual([]);
      return read.state;
    };
    return {
      node: await end('node', wired.hostInterface, node),
      pod: await end('pod', wired.podInterface, pod),
    };
  }

  it('a dual-stack pod has nothing missing after its steps, what is broken afterwards is missing, and unwiring leaves nothing', async () => {
    const wired = wiring([...v4, ...v6], { nodePid: 0, mtu: 1450, podMac: '02:00:00:00:00:07' });
    const sleeper = node.start('sleep', '60');
    await until(
      () => readFileSync(`/proc/${sleeper.pid}/comm`, 'utf8') === 'sleep\n',
      'a process runs in the namespace of the node',
    );
    try {
      const here = { ...wired, nodePid: sleeper.pid ?? 0 };
      const steps = wiringSteps(here, true);
      expect(missingSteps(steps, await state(steps, here)).length).toBeGreaterThan(15);
      await make(steps);
      expect(missingSteps(steps, await state(steps, here))).toEqual([]);
      pod.run('ip', 'addr', 'flush', 'dev', 'eth0', 'scope', 'global');
      node.run('sysctl', '-qw', `net/ipv4/conf/${here.hostInterface}/proxy_arp=0`);
      node.run('ip', 'route', 'del', '10.244.174.128/32');
      const broken = missingSteps(steps, await state(steps, here));
      expect(broken.map((step) => argvOf(step).slice(0, 6).join(' '))).toEqual([
        'sysctl -qw net/ipv4/conf/cali0761ccbeace/proxy_arp=1',
        // With its last IPv4 address an interface loses its IPv4 routes.
        'ip route add 169.254.1.1/32 dev eth0',
        'ip route add default via 169.254.1.1',
        'ip addr add 10.244.174.128/32 dev eth0',
        'ip addr add fd00:244::8080/128 dev eth0',
        'ip route add 10.244.174.128/32 dev cali0761ccbeace',
      ]);
      await make([unwiringStep('pod', here.podInterface)]);
      expect((await state(steps, here)).node.link).toBeUndefined();
    } finally {
      sleeper.kill();
    }
  });

  it('settings of an interface with a dot that are read-only are required ones to sysctl itself', async () => {
    const batch = nodeSettings({ hostInterface: 'cali.5' });
    const readOnly = 'mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys';
    const script = `ip link add cali.5 type veth peer name peer && ${readOnly} && exec "$@"`;
    const { exit, stderr } = await runProgram(['unshare', '--net', '--mount', 'sh', '-c', script, 'sh', ...batch.argv]);
    expect(exit).not.toBe(0);
    expect(failureIn(batch, stderr).step, stderr).toMatchObject({ path: 'net/ipv4/conf/cali.5/route_localnet' });
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => failureIn(batch, line).step)).toEqual(batch.steps);
  });
});
