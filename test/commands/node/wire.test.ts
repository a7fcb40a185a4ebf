// calictl node wire and unwire in real namespaces: what they make, what they leave alone, and how they undo it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listingChanges } from '../../support/lab/full-listing.ts';
import { makeNamespace } from '../../support/lab/network-namespace.ts';
import { type Cut, WiringPlace, wiringPrograms } from '../../support/lab/wiring-place.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { type Ran, type RunOptions, run } from '../../support/program/world.ts';

const addresses = ['--ip', '10.65.0.2', '--ip', '10.65.0.3', '--ip', 'fd00:65::2'];
const host = 'cali0123456789a';

interface Report {
  readonly interrupted: string;
  readonly steps: readonly { side: string; command: string[]; outcome: string; why?: string }[];
}

const reportOf = ({ stdout }: Ran): Report => JSON.parse(stdout) as Report;
const outcomes = (ran: Ran): string[] => [...new Set(reportOf(ran).steps.map(({ outcome }) => outcome))];

/** Before the first step of each process, after its first and after its last. */
const atEnds = (cuts: readonly Cut[]): readonly Cut[] =>
  cuts.filter(
    ({ process, done }) => done <= 1 || !cuts.some((other) => other.process === process && other.done > done),
  );

describeWithPrograms('node wire', wiringPrograms, () => {
  let place: WiringPlace;
  const calictl = (command: string, more: readonly string[] = [], options: RunOptions = {}): Promise<Ran> =>
    run(place.argv(command, ...more), { env: { PATH: process.env['PATH'] ?? '' }, ...options });
  beforeAll(() => {
    place = new WiringPlace('wire');
  });
  afterAll(() => place.remove());
  beforeEach(() => place.replacePod());

  describe('in a bare namespace', () => {
    it('gives the pod its addresses, routes and gateway, and the node the settings and routes of docs/reference/pod-wiring.md', async () => {
      const { code, stdout, stderr } = await calictl('wire', [...addresses, '--mtu', '1410']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^\d+ changes made\.$/m);
      const inPod = (...argv: string[]): string => place.pod.run('ip', ...argv).replaceAll(/ +$/gm, '');
      expect(inPod('-4', 'route', 'show')).toBe('default via 169.254.1.1 dev eth0\n169.254.1.1 dev eth0 scope link\n');
      expect(inPod('-6', 'route', 'show', 'default')).toContain('via fe80::ecee:eeff:feee:eeee dev eth0');
      expect(inPod('-o', 'addr', 'show', 'dev', 'eth0', 'scope', 'global').match(/inet6? \S+/g)).toEqual([
        'inet 10.65.0.2/32',
        'inet 10.65.0.3/32',
        'inet6 fd00:65::2/128',
      ]);
      expect(place.node.run('ip', 'route', 'show').match(/^\S+ dev \S+ scope link/gm)).toEqual([
        `10.65.0.2 dev ${host} scope link`,
        `10.65.0.3 dev ${host} scope link`,
      ]);
      expect(place.node.run('ip', '-6', 'route', 'show', 'fd00:65::2')).toContain(`dev ${host}`);
      const link = place.node.run('ip', '-d', 'link', 'show', 'dev', host);
      expect(link).toMatch(/mtu 1410[\s\S]*link\/ether ee:ee:ee:ee:ee:ee/);
      const settings = ['ipv4/conf/X/proxy_arp', 'ipv4/conf/X/forwarding', 'ipv4/conf/X/route_localnet']
        .concat([
          'ipv6/conf/X/proxy_ndp',
          'ipv6/conf/X/forwarding',
          'ipv4/neigh/X/proxy_delay',
          'ipv6/conf/X/accept_ra',
        ])
        .map((path) => place.node.run('cat', `/proc/sys/net/${path.replace('X', host)}`).trim());
      expect(settings).toEqual(['1', '1', '1', '1', '1', '0', '0']);
    });

    it('lets pod and node reach each other over both families', async () => {
      await calictl('wire', addresses);
      // Proxy ARP answers for the gateway only when the node has a route to it through another interface.
      place.node.ip(
        'link add up0 type veth peer name up1\nlink set up0 up\nlink set up1 up\naddr add 192.0.2.1/24 dev up0\nroute add default dev up0\n',
      );
      try {
        for (const target of ['10.65.0.2', '10.65.0.3', 'fd00:65::2']) place.node.run('ping', '-c1', '-W5', target);
        place.pod.run('ping', '-c1', '-W5', '192.0.2.1');
      } finally {
        place.node.ip('link del up0\n');
      }
    });

    it('with --dry-run shows each step with its command and its reason, and changes nothing', async () => {
      const before = await place.listings();
      const { code, stdout } = await calictl('wire', [...addresses, '--dry-run']);
      expect(code).toBe(0);
      expect(stdout).toContain(
        `planned     ip route add 10.65.0.2/32 dev ${host} scope link\n            the node sends packets for the pod to it\n`,
      );
      expect(stdout).toMatch(/^\d+ changes to make; nothing was changed\.$/m);
      expect(await place.listings()).toEqual(before);
      expect(place.entries()).toEqual([]);
    });

    it('run again finds every step in place, and writes nothing', async () => {
      expect(outcomes(await calictl('wire', [...addresses, '-o', 'json']))).toEqual(['made']);
      const [before, entries] = [await place.listings(), place.entries()];
      const again = await calictl('wire', [...addresses, '-o', 'json']);
      expect(again.code).toBe(0);
      expect(outcomes(again)).toEqual(['in place']);
      expect(await place.listings()).toEqual(before);
      expect(place.entries()).toEqual(entries);
    });

    it('makes only what a wired pod lost', async () => {
      await calictl('wire', addresses);
      const before = await place.listings();
      place.node.run('sysctl', '-qw', `net/ipv4/conf/${host}/proxy_arp=0`, `net/ipv4/neigh/${host}/proxy_delay=80`);
      place.node.run('ip', 'route', 'del', '10.65.0.3/32');
      place.pod.run('ip', 'route', 'del', 'default');
      const { steps } = reportOf(await calictl('wire', [...addresses, '-o', 'json']));
      expect(
        steps.filter(({ outcome }) => outcome === 'made').map(({ command }) => command.slice(-4).join(' ')),
      ).toEqual([
        `sysctl -qw net/ipv4/neigh/${host}/proxy_delay=0`.split(' ').slice(-4).join(' '),
        `sysctl -qw net/ipv4/conf/${host}/proxy_arp=1`,
        'via 169.254.1.1 dev eth0',
        `dev ${host} scope link`,
      ]);
      expect(listingChanges(before.node, (await place.listings()).node)).toEqual([]);
    });

    it('adds an address to a wired pod, and keeps the MTU that it has', async () => {
      await calictl('wire', ['--ip', '10.65.0.2', '--mtu', '1380']);
      const { steps } = reportOf(await calictl('wire', ['--ip', '10.65.0.2', '--ip', '10.65.0.4', '-o', 'json']));
      const made = steps.filter(({ outcome }) => outcome === 'made').map(({ command }) => command.join(' '));
      expect(made).toEqual([
        expect.stringContaining('ip addr add 10.65.0.4/32 dev eth0'),
        `ip route add 10.65.0.4/32 dev ${host} scope link`,
      ]);
    });
  });

  describe('what is in the way', () => {
    it('an interface of the node that leads to another pod is refused, and stays', async () => {
      place.node.ip(`link add ${host} type veth peer name other\n`);
      try {
        const before = await place.listings();
        const { code, stderr } = await calictl('wire', addresses);
        expect(code).toBe(4);
        expect(stderr).toContain(`the node already has an interface ${host}, and eth0 of the pod is not its other end`);
        expect(await place.listings()).toEqual(before);
      } finally {
        place.node.ip(`link del ${host}\n`);
      }
    });

    it('an interface of the pod that leads elsewhere is refused, and stays', async () => {
      place.pod.ip('link add eth0 type bridge\n');
      const { code, stderr } = await calictl('wire', addresses);
      expect(code).toBe(4);
      expect(stderr).toContain('the pod already has an interface eth0');
      expect(place.pod.run('ip', 'link', 'show', 'dev', 'eth0')).toContain('eth0');
    });

    it('a route of the node to the address that leads elsewhere is refused, and stays', async () => {
      place.node.ip('link add up0 type bridge\nlink set up0 up\nroute add 10.65.0.3/32 dev up0\n');
      try {
        const { code, stderr } = await calictl('wire', addresses);
        expect(code).toBe(4);
        expect(stderr).toContain('the node already has a route to 10.65.0.3/32 through up0');
        expect(place.node.run('ip', 'route', 'show', '10.65.0.3')).toContain('dev up0');
      } finally {
        place.node.ip('link del up0\n');
      }
    });

    it('an MTU other than that of a wired pod is refused when it is named', async () => {
      await calictl('wire', ['--ip', '10.65.0.2', '--mtu', '1380']);
      const { code, stderr } = await calictl('wire', ['--ip', '10.65.0.2', '--mtu', '1400']);
      expect(code).toBe(4);
      expect(stderr).toContain('the pod is wired with MTU 1380 instead of 1400');
    });

    it('the namespace of the node itself is refused', async () => {
      const argv = [
        'node',
        'wire',
        '--netns',
        place.node.name,
        '--via',
        `netns:${place.node.name}`,
        '--ip',
        '10.65.0.2',
      ];
      const { code, stderr } = await run(argv, { env: { PATH: process.env['PATH'] ?? '' }, cwd: place.folder });
      expect(code).toBe(4);
      expect(stderr).toContain('is the network namespace of');
    });

    it('a namespace that does not exist is named, and no journal is begun', async () => {
      const argv = ['node', 'wire', '--netns', 'no-such-pod', '--via', `netns:${place.node.name}`, '--ip', '10.65.0.2'];
      const { code, stderr } = await run(argv, { env: { PATH: process.env['PATH'] ?? '' } });
      expect(code).toBe(1);
      expect(stderr).toContain('/var/run/netns/no-such-pod cannot be entered');
    });
  });

  describe('a step that fails', () => {
    it('is undone with everything before it, wherever the run is cut', async () => {
      expect((await calictl('wire', addresses)).code).toBe(0);
      const cuts = place.cuts('failure');
      expect(cuts.length).toBeGreaterThan(30);
      for (const cut of process.env['LONG'] ? cuts : atEnds(cuts)) {
        place.replacePod();
        const before = await place.listings();
        const ran = await calictl('wire', addresses, { env: { PATH: place.cutPath(cut) } });
        expect({ cut, code: ran.code }).toEqual({ cut, code: 1 });
        expect(ran.stderr).toContain('everything was undone');
        expect({ cut, ...(await place.listings()) }).toEqual({ cut, ...before });
        expect(place.entries().at(-1)).toMatchObject({ phase: 'end', outcome: 'undone' });
      }
    }, 300_000);

    it('leaves an earlier wiring as it was', async () => {
      const one = ['--ip', '10.65.0.2', '--ip', 'fd00:65::2'];
      await calictl('wire', one);
      place.node.run('sysctl', '-qw', `net/ipv4/conf/${host}/proxy_arp=0`);
      const before = await place.listings();
      // The setting, the address in the pod, the route of the node.
      const ran = await calictl('wire', [...one, '--ip', '10.65.0.9'], {
        env: { PATH: place.cutPath({ process: 3, done: 1, how: 'failure' }) },
      });
      expect(ran.code).toBe(1);
      expect(await place.listings()).toEqual(before);
    });

    it('that the kernel refuses because another made it meanwhile is not undone', async () => {
      await calictl('wire', ['--ip', '10.65.0.2']);
      const path = place.cutPath({ process: 99, done: 0, how: 'failure' });
      const [folder = ''] = path.split(':');
      writeFileSync(
        join(folder, 'nsenter'),
        `#!/bin/sh\nPATH=${path.slice(folder.length + 1)}\nexport PATH\ncase "$*" in *"addr add 10.65.0.7"*) nsenter --net=/var/run/netns/${place.node.name} ip route add 10.65.0.7/32 dev ${host} scope link ;; esac\nexec nsenter "$@"\n`,
      );
      const ran = await calictl('wire', ['--ip', '10.65.0.2', '--ip', '10.65.0.7'], { env: { PATH: path } });
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain('File exists');
      expect(place.node.run('ip', 'route', 'show', '10.65.0.7')).toContain(`dev ${host} scope link`);
      expect(place.pod.run('ip', 'addr', 'show', 'dev', 'eth0')).not.toContain('10.65.0.7');
    });
  });

  describe('consent', () => {
    it('is required on a terminal, and a no changes nothing', async () => {
      const before = await place.listings();
      const { code, world } = await calictl('wire', addresses, {
        terminal: true,
        stdin: 'n\n',
        env: { PATH: process.env['PATH'] ?? '' },
      });
      expect(code).toBe(4);
      expect(world.io.stderr.text).toMatch(/Make \d+ changes on testhost\? \[y\/N\]/);
      expect(await place.listings()).toEqual(before);
    });
  });

  describe('unwire', () => {
    /** The links of the node by name, each with its other end. */
    const links = (): string => place.node.run('ip', '-br', 'link', 'show');
    const refusal = async (
      netns = place.pod.name,
      ends: readonly string[] = ['--interface', host],
    ): Promise<string> => {
      const before = links();
      const words = ['--netns', netns, '--via', `netns:${place.node.name}`, '--journal', place.journal, ...ends];
      const { code, stderr } = await run(['node', 'unwire', ...words], { env: { PATH: process.env['PATH'] ?? '' } });
      expect({ code, links: links() }).toEqual({ code: 4, links: before });
      return stderr;
    };

    it('refuses an interface of the node whose other end is not in the namespace that was named', async () => {
      place.node.ip(`link add ${host} type veth peer name up1\n`);
      try {
        expect(await refusal()).toContain(`the other end of ${host} is not eth0 in the namespace`);
      } finally {
        place.node.ip(`link del ${host}\n`);
      }
    });

    it('refuses an interface that was named, and may be that of another pod, when the namespace is gone', async () => {
      const other = makeNamespace('wire-other-pod');
      try {
        const mac = 'address ee:ee:ee:ee:ee:ee';
        place.node.ip(`link add ${host} ${mac} type veth peer name eth0 netns ${other.name}\n`);
        expect(await refusal('calictl-gone')).toContain(`nothing shows which pod ${host} on the node belongs to`);
      } finally {
        other.remove();
      }
    });

    it('refuses an interface of the namespace whose other end is not that of a pod', async () => {
      place.node.ip(`link add bridged0 type veth peer name eth0 netns ${place.pod.name}\n`);
      expect(await refusal()).toContain('the other end of eth0 in the namespace is not the interface of a pod');
    });

    it("removes a pair by the pod's end when the node has its own end under another name", async () => {
      await calictl('wire', addresses);
      place.node.ip(`link set dev ${host} down\nlink set dev ${host} name cali-renamed\n`);
      expect(await calictl('unwire')).toMatchObject({ code: 0, stderr: '' });
      expect(links()).not.toContain('cali-renamed');
    });

    it('refuses the namespace of the node itself', async () => {
      place.node.ip('link add up0 type veth peer name up1\n');
      try {
        const ends = ['--interface', 'up0', '--pod-interface', 'up1'];
        expect(await refusal(place.node.name, ends)).toContain('is the network namespace of');
      } finally {
        place.node.ip('link del up0\n');
      }
    });

    it('removes both ends with all that they had, and is done when it is run again', async () => {
      const before = (await place.listings()).node;
      await calictl('wire', addresses);
      const gone = await calictl('unwire');
      expect(gone).toMatchObject({ code: 0, stderr: '' });
      expect((await place.listings()).node).toEqual(before);
      expect(place.pod.run('ip', 'link', 'show')).not.toContain('eth0');
      const again = await calictl('unwire');
      expect(again.code).toBe(0);
      expect(again.stdout).toContain('There is nothing to remove.');
    });

    it('refuses an interface that is not a veth, or whose other end is in another namespace', async () => {
      place.node.ip(`link add ${host} type bridge\n`);
      try {
        const { code, stderr } = await calictl('unwire');
        expect(code).toBe(4);
        expect(stderr).toContain(`${host} on the node is not one end of a veth pair`);
      } finally {
        place.node.ip(`link del ${host}\n`);
      }
      place.node.ip(`link add ${host} type veth peer name other\n`);
      place.pod.ip('link add eth0 type veth peer name eth1\n');
      try {
        const { code, stderr } = await calictl('unwire');
        expect(code).toBe(4);
        expect(stderr).toContain('are not the two ends of one pair');
        expect(place.node.run('ip', 'link', 'show', 'dev', host)).toContain(host);
      } finally {
        place.node.ip(`link del ${host}\n`);
      }
    });
  });
});

describe('node wire refuses before it reads anything', () => {
  const refusalOf = async (...words: readonly string[]): Promise<string> => {
    const { code, stderr } = await run(['node', 'wire', '--netns', 'web', '--via', 'local', '--dry-run', ...words]);
    expect(code).toBe(2);
    return stderr;
  };

  it.each(['0.0.0.0', '127.0.0.1', '169.254.1.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'ff02::1'])(
    'the address %s, which no pod can have',
    async (address) => {
      expect(await refusalOf('--ip', '10.65.0.2', '--ip', address)).toContain(
        `${address} cannot be the address of a pod`,
      );
    },
  );

  it('an MTU that is too small for IPv6', async () => {
    expect(await refusalOf('--ip', 'fd00:65::2', '--mtu', '1279')).toContain('MTU 1279 is too small for IPv6');
  });

  it.each(['all', 'default', '.', '..', 'a/b', 'a:b', 'a b', 'cali%d', 'sixteen-bytes-xx', 'ünïcödé-ëth0'])(
    'the interface name %j, which the kernel refuses or takes for something else',
    async (name) => {
      for (const flag of ['--interface', '--pod-interface']) {
        expect(await refusalOf('--ip', '10.65.0.2', flag, name)).toContain('invalid name of an interface');
      }
    },
  );
});

it('the nodes of a snapshot cannot be wired', async () => {
  const { code, stderr } = await run('node wire --netns web --node worker-1 --ip 10.65.0.2 --via replay', {
    objects: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-1' } }],
  });
  expect(code).toBe(4);
  expect(stderr).toContain('are recordings and cannot be changed');
});
