// node repair on a lab: every fault that it claims is put right, to the last line of a full listing, and nothing else is
// touched; what it does not claim stays as it is.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { breakLab, type FaultPlace, type LabFault, labFaults } from '../support/lab/faults.ts';
import { fullListing, type Listing, listingChanges } from '../support/lab/full-listing.ts';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import { sysctl } from '../support/lab/network.ts';
import { nodeOf, workers } from '../support/lab/plan.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { folderOf, type Ran, run } from '../support/program/world.ts';

const a: FaultPlace = { node: 'node-a', peer: 'node-b' };
const a6: FaultPlace = { ...a, family: 6 };

/** Faults of the lab that are repaired. */
const repaired: readonly (readonly [LabFault, FaultPlace])[] = [
  ['noProxyArp', a],
  ['noForwarding', a],
  ['noHostRoute', a],
  ['noHostRoute', a6],
  ['staleNeighbour', a],
  ['noIpForward', a],
  ['uplinkNotForwarding', a],
  ['noForwardingEntry', a],
  ['noForwardingEntry', a6],
  ['wrongTunnelNeighbour', a],
  ['wrongTunnelNeighbour', a6],
];

/** Faults that are left to Felix, BIRD or a person. */
const left: readonly (readonly [LabFault, FaultPlace])[] = [
  ['noBlockRoute', a],
  ['noBlackhole', a],
  ['foreignRoute', a],
  ['tunnelMtu', a],
  ['podMtu', a],
  ['noGatewayRoute', a],
];

/** Settings of the pod's interface that no fault of the lab changes, with the values that they have. */
const settings = [
  ['F13', 'net/ipv4/conf/X/route_localnet', 1],
  ['F13', 'net/ipv4/neigh/X/proxy_delay', 0],
  ['F13', 'net/ipv6/conf/X/proxy_ndp', 1],
  ['F13', 'net/ipv6/conf/X/accept_ra', 0],
  ['F02', 'net/ipv6/conf/X/forwarding', 1],
] as const;

interface Report {
  readonly found: readonly { id: string }[];
  readonly problems: readonly { id: string }[];
  readonly fix: {
    readonly journal?: string;
    readonly items: readonly { node: string; id: string; command: string[]; outcome: string }[];
  };
}

describeWithPrograms('node repair in a lab', labPrograms, () => {
  let lab: Lab;
  let folder: string;
  beforeAll(async () => {
    lab = await startLab({ name: 'repair', encapsulation: 'vxlan' });
    folder = folderOf(lab.objects());
  });
  afterAll(async () => {
    await lab?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  let runs = 0;
  const repair = (...more: readonly string[]): Promise<Ran> => {
    const journal = join(lab.folder, `repair-${++runs}.jsonl`);
    const flags = ['--via', lab.via, '--bird-dir', lab.birdFolder, '--journal', journal];
    return run(['node', 'repair', ...flags, ...more], { folder, env: { PATH: process.env['PATH'] ?? '' } });
  };
  const reportOf = ({ stdout }: Ran): Report => JSON.parse(stdout) as Report;
  const listings = async (): Promise<Record<string, Listing>> =>
    Object.fromEntries(
      await Promise.all(workers(lab.plan).map(async ({ name, netns }) => [name, await fullListing(netns)] as const)),
    );

  it('changes nothing on healthy nodes', async () => {
    const before = await listings();
    const { code, stdout } = await repair('-o', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ found: [], problems: [], fix: { planned: 0, items: [] } });
    expect(await listings()).toEqual(before);
  });

  describe.each(repaired)('%s at %j', (fault, place) => {
    it(`${fault} is put right, and everything else is as before`, async () => {
      const healthy = await listings();
      const heal = await breakLab(lab, fault, place);
      try {
        const broken = await listings();
        const plan = reportOf(await repair('--dry-run', '-o', 'json'));
        expect(plan.fix.items.map(({ node, id, outcome }) => [node, id, outcome])).toEqual([
          [place.node, labFaults[fault].id, 'planned'],
        ]);
        expect(await listings()).toEqual(broken);
        const { code, stdout } = await repair('-o', 'json');
        const report = JSON.parse(stdout) as Report;
        expect({ code, problems: report.problems }).toEqual({ code: 0, problems: [] });
        expect(report.found.map(({ id }) => id)).toEqual([labFaults[fault].id]);
        expect(report.fix.items).toEqual([{ ...plan.fix.items[0], outcome: 'applied' }]);
        expect(await listings()).toEqual(healthy);
        const journal = readFileSync(report.fix.journal ?? '', 'utf8')
          .trim()
          .split('\n');
        expect(journal.map((line) => (JSON.parse(line) as { phase: string }).phase)).toEqual(['before', 'after']);
      } finally {
        // What is repaired already cannot be added again.
        await heal().catch(() => lab.converged());
      }
    });
  });

  it.each(settings)('%s %s is set again, and everything else is as before', async (id, path, value) => {
    const { netns, pods } = nodeOf(lab.plan, 'node-a');
    const setting = path.replace('X', pods[0]?.hostInterface ?? '');
    const healthy = await listings();
    // The kernel rounds a small delay to 0.
    await sysctl(netns, `${setting}=${value === 1 ? 0 : setting.endsWith('delay') ? 80 : 1}`);
    const { code, stdout } = await repair('node-a', '-o', 'json');
    expect(reportOf({ stdout } as Ran).fix.items.map((item) => [item.id, item.command.join(' ')])).toEqual([
      [id, `sysctl -qw ${setting}=${value}`],
    ]);
    expect(code).toBe(0);
    expect(await listings()).toEqual(healthy);
  });

  it('F12 IPv6 that was disabled on an interface is enabled again, with the route to the pod', async () => {
    const { netns, pods } = nodeOf(lab.plan, 'node-a');
    const healthy = await listings();
    await sysctl(netns, `net/ipv6/conf/${pods[0]?.hostInterface}/disable_ipv6=1`);
    // The kernel removed the routes of the interface: they can be added once it has IPv6 again.
    await repair('node-a');
    const second = await repair('node-a', '-o', 'json');
    expect(second.code).toBe(0);
    const changes = listingChanges(healthy['node-a'] as Listing, await fullListing(netns));
    expect(changes.filter((line) => !/fe80:|ff00:|ff02:|33:33:|temp|anycast/.test(line))).toEqual([]);
  });

  describe.each(left)('%s at %j', (fault, place) => {
    it(`${fault} is found and left alone`, async () => {
      const heal = await breakLab(lab, fault, place);
      try {
        const before = await listings();
        const { code, stdout } = await repair('-o', 'json');
        const report = JSON.parse(stdout) as Report;
        expect(code).toBe(3);
        expect(report.problems.map(({ id }) => id)).toEqual([labFaults[fault].id]);
        expect(report.fix.items).toEqual([]);
        expect(await listings()).toEqual(before);
      } finally {
        await heal();
      }
    });
  });

  it('several faults of several nodes are repaired in one run, and the text says what was found, done and left', async () => {
    const heals = [
      await breakLab(lab, 'noProxyArp', { node: 'node-a' }),
      await breakLab(lab, 'noHostRoute', { node: 'node-b' }),
      await breakLab(lab, 'podMtu', { node: 'node-b' }),
    ];
    try {
      const { code, stdout } = await repair();
      expect(code).toBe(3);
      expect(stdout).toMatch(/^Found 3 problems:$/m);
      expect(stdout).toMatch(/^ {2}applied {2}node-a {2}F01 {2}sysctl -qw net\/ipv4\/conf\/cali\w+\/proxy_arp=1$/m);
      expect(stdout).toMatch(
        /^ {2}applied {2}node-b {2}F06 {2}ip route add 10\.244\.20\.\d+\/32 dev cali\w+ scope link$/m,
      );
      expect(stdout).toMatch(/^2 of 2 applied\. Journal: /m);
      expect(stdout).toMatch(/^Verified again: 3 nodes read; 1 problem\.$/m);
    } finally {
      for (const heal of heals) await heal().catch(() => lab.converged());
    }
  });

  it('--pod repairs what the pod depends on, and nothing of another pod', async () => {
    const { pods, netns } = nodeOf(lab.plan, 'node-a');
    const healthy = await listings();
    const paths = pods.map(({ hostInterface }) => `net/ipv4/conf/${hostInterface}/proxy_arp`);
    await sysctl(netns, ...paths.map((path) => `${path}=0`));
    const [first] = pods;
    const { stdout } = await repair('--pod', `${first?.namespace}/${first?.name}`, '-o', 'json');
    expect((JSON.parse(stdout) as Report).fix.items.map(({ command }) => command.join(' '))).toEqual([
      `sysctl -qw ${paths[0]}=1`,
    ]);
    await sysctl(netns, ...paths.map((path) => `${path}=1`));
    expect(await listings()).toEqual(healthy);
  });
});
