// calictl ipam release over a folder: what is in use stays, the rest goes by address, by handle and from a report.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handleName } from '../../../src/resources/names.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { parseJson, printJson } from '../../../src/text/json.ts';
import { damageOnce } from '../../support/clusters/damage.ts';
import { type BlockSpec, cluster, seeded } from '../../support/clusters/seeded-cluster.ts';
import { type Ran, type RunOptions, run } from '../../support/program/world.ts';

let top = '';
let folder = '';
let objects: KubeObject[] = [];
/** Of a pod that is gone, and of one that lives. */
let leaked = '';
let used = '';
let user = '';
/** A handle without any address. */
let stray = '';

const addressOf = (pod: KubeObject): string => (pod.status as { podIP: string }).podIP;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-release-'));
  folder = join(top, 'store');
  const made = cluster({
    seed: 21,
    nodes: 2,
    podsPerNode: 3,
    madeAt: new Date('2025-06-01T00:00:00Z'),
    locked: true,
    pools: [{ name: 'pool-1', cidr: '10.60.0.0/24', blockSize: 29 }],
  });
  const random = seeded(2);
  leaked = damageOnce('leak', made, random)?.where ?? '';
  stray = damageOnce('strayHandle', made, random)?.where ?? '';
  objects = made.objects;
  const pod = objects.find(({ kind }) => kind === 'Pod') as KubeObject;
  used = addressOf(pod);
  user = `Pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  store(objects);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function store(items: readonly KubeObject[]): void {
  rmSync(folder, { recursive: true, force: true });
  folder = mkdtempSync(join(top, 'store-'));
  writeFileSync(join(folder, 'objects.json'), printJson({ apiVersion: 'v1', kind: 'List', items }, { indent: 1 }));
}

const text = (): string => readFileSync(join(folder, 'objects.json'), 'utf8');
const stored = (): KubeObject[] => (parseJson(text()) as unknown as { items: KubeObject[] }).items;
const release = (flags: string, options: RunOptions = {}): Promise<Ran> =>
  run(`ipam release ${flags}`, { folder, cwd: top, ...options });

/** True when the address is allocated according to `ipam show`. */
async function allocated(address: string): Promise<boolean> {
  const { stdout } = await run(`ipam show --ip ${address} -o json`, { folder });
  const { items } = JSON.parse(stdout) as { items: { allocated: boolean }[] };
  return items[0]?.allocated === true;
}

async function unchanged(flags: string, options?: RunOptions): Promise<Ran> {
  const before = text();
  const ran = await release(flags, options);
  expect(text()).toBe(before);
  return ran;
}

const blockWith = (address: string): BlockSpec => {
  const last = Number(address.split('.').at(-1));
  const found = stored().find(
    ({ kind, spec }) => kind === 'IPAMBlock' && (spec as BlockSpec).cidr === `10.60.0.${last - (last % 8)}/29`,
  );
  return found?.spec as BlockSpec;
};

describe('--ip', () => {
  it('release --ip releases an unused address, with its handle', async () => {
    const before = blockWith(leaked);
    const ordinal = Number(leaked.split('.').at(-1)) % 8;
    const handle = before.attributes[before.allocations[ordinal] ?? -1]?.handle_id ?? '';
    expect(stored().some(({ metadata }) => metadata.name === handleName(handle))).toBe(true);

    expect(await release(`--ip ${leaked}`)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `Successfully released ${leaked}\n`,
    });
    const after = blockWith(leaked);
    expect(after.allocations[ordinal]).toBeNull();
    expect(after.unallocated).toEqual([...before.unallocated, ordinal]);
    expect(after.attributes).toHaveLength(before.attributes.length - 1);
    expect(after.sequenceNumber).toBe(before.sequenceNumber + 1n);
    expect(stored().some(({ metadata }) => metadata.name === handleName(handle))).toBe(false);

    expect(await unchanged(`--ip ${leaked}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`IP address ${leaked} is not assigned (NOT_ASSIGNED)`),
    });
  });

  it('release --ip refuses an address in use and names its user', async () => {
    const { code, stdout, stderr } = await unchanged(`--ip ${used}`);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(`${used} is in use by ${user}; nothing was released (ADDRESS_IN_USE)`);
    expect(stderr).toContain('--force');
  });

  it('release --ip refuses the tunnel address of a node', async () => {
    const node = objects.find(({ kind }) => kind === 'Node') as KubeObject;
    const tunnel = node.metadata.annotations?.['projectcalico.org/IPv4VXLANTunnelAddr'] ?? '';
    const { code, stderr } = await unchanged(`--ip ${tunnel}`);
    expect(code).toBe(4);
    expect(stderr).toContain(`${tunnel} is in use by Node ${node.metadata.name}`);
  });

  it('release --ip refuses the address of a live container that its pod does not list', async () => {
    const pods = objects.map((object) =>
      object.kind === 'Pod' && addressOf(object) === used
        ? { ...object, status: { phase: 'Running', podIPs: [{ ip: '192.0.2.77' }], podIP: '192.0.2.77' } }
        : object,
    );
    store(pods);
    const { code, stderr } = await unchanged(`--ip ${used}`);
    expect(code).toBe(4);
    expect(stderr).toContain(`is in use by ${user}`);
  });

  it('release --ip refuses all addresses when one is in use', async () => {
    const { code, stderr } = await unchanged(`--ip ${leaked} --ip ${used}`);
    expect(code).toBe(4);
    expect(stderr).toContain(`${used} is in use by ${user}`);
  });

  it('release --ip releases the assigned addresses of several and reports the others', async () => {
    const { code, stdout } = await release(`--ip ${leaked} --ip 10.60.0.250 --ip 192.0.2.1`);
    expect(code).toBe(5);
    expect(stdout.split('\n')).toEqual([
      `Successfully released ${leaked}`,
      'IP address 10.60.0.250 is not assigned',
      'IP address 192.0.2.1 is not assigned',
      '',
    ]);
    expect(await allocated(leaked)).toBe(false);
  });

  it('release --ip counts a repeated address once', async () => {
    const { code, stdout } = await release(`--ip ${leaked} --ip ${leaked}`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Successfully released ${leaked}\n` });
  });

  it('release --ip --force releases an address in use', async () => {
    const { code, stdout } = await release(`--ip ${used} --force`);
    expect(code).toBe(0);
    expect(stdout).toContain(`Successfully released ${used}\n`);
    expect(await allocated(used)).toBe(false);
  });

  it('release --ip --dry-run prints the plan', async () => {
    expect(await unchanged(`--ip ${leaked} --dry-run`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^would release ${leaked} {2}was for Pod \\S+/\\S+ on node-[ab]\\n$`)),
    });
    expect(await unchanged(`--ip ${used} --dry-run`)).toMatchObject({ code: 4, stdout: '' });
  });

  it('release --ip prints JSON with exact sequence numbers', async () => {
    const { stdout } = await unchanged(`--ip ${leaked} --dry-run -o json`);
    const { planned, ...rest } = JSON.parse(stdout);
    const { spec } = { spec: blockWith(leaked) };
    const ordinal = Number(leaked.split('.').at(-1)) % 8;
    expect(rest).toEqual({
      ...{
        kind: 'IPAMRelease',
        dryRun: true,
        handles: [],
        inUse: [],
        unassigned: [],
        changed: [],
        alreadyFree: [],
        young: [],
        outcomes: [],
      },
    });
    expect(planned).toEqual([
      expect.objectContaining({
        address: leaked,
        sequenceNumber: String(spec.sequenceNumberForAllocation[String(ordinal)]),
      }),
    ]);
    expect(JSON.parse((await release(`--ip ${leaked} -o json`)).stdout)).toMatchObject({
      dryRun: false,
      outcomes: [{ subject: leaked, outcome: 'applied' }],
    });
  });

  it('release --ip asks for confirmation of more than one address on a terminal, and accepts no', async () => {
    const pods = objects.filter(({ kind }) => kind === 'Pod');
    const gone = pods.slice(0, 2);
    store(objects.filter((object) => !gone.includes(object)));
    const flags = gone.map((pod) => `--ip ${addressOf(pod)}`).join(' ');
    const { code, stderr } = await unchanged(flags, { terminal: true, stdin: 'n\n' });
    expect(code).toBe(4);
    expect(stderr).toContain('Release these 2 addresses?');
    expect(await release(flags, { terminal: true, stdin: 'y\n' })).toMatchObject({ code: 0 });
    for (const pod of gone) expect(await allocated(addressOf(pod))).toBe(false);
  });
});

describe('--handle', () => {
  it('release --handle releases all addresses of a handle', async () => {
    const node = objects.find(({ kind }) => kind === 'Node')?.metadata.name;
    const assigned = await run(`ipam assign --node ${node} --count 5 --handle db -o json`, { folder });
    const { addresses } = JSON.parse(assigned.stdout) as { addresses: { address: string; block: string }[] };
    expect(new Set(addresses.map(({ block }) => block)).size).toBe(2);
    expect(await release('--handle db --yes')).toMatchObject({
      code: 0,
      stdout:
        addresses.map(({ address }) => `Successfully released ${address}\n`).join('') +
        '5 of 5 addresses released. No journal is kept of releases.\n',
    });
    for (const { address } of addresses) expect(await allocated(address)).toBe(false);
    expect(await allocated(leaked)).toBe(true);
    expect(await unchanged('--handle db')).toMatchObject({ code: 1, stdout: '' });
  });

  it('release --handle refuses a handle whose addresses are in use', async () => {
    const pod = objects.find(({ kind }) => kind === 'Pod') as KubeObject;
    const container = pod.metadata.annotations?.['cni.projectcalico.org/containerID'];
    const { code, stderr } = await unchanged(`--handle k8s-pod-network.${container}`);
    expect(code).toBe(4);
    expect(stderr).toContain(`${used} is in use by ${user}`);
  });
});

describe('--from-report', () => {
  const report = async (name = 'report.json'): Promise<string> => {
    const ran = await run(`ipam check --report ${name}`, { folder, cwd: top });
    expect(ran).toMatchObject({ code: 3, stderr: '' });
    return join(top, name);
  };
  const edited = (path: string, change: (report: Record<string, unknown>) => void): void => {
    const value = parseJson(readFileSync(path, 'utf8')) as Record<string, unknown>;
    change(value);
    writeFileSync(path, printJson(value));
  };

  it('release --from-report says that it needs the file of --report when it gets what ipam check prints with -o json', async () => {
    writeFileSync(join(top, 'printed.json'), (await run('ipam check -o json', { folder })).stdout);
    const { code, stderr } = await unchanged('--from-report printed.json --dry-run');
    expect(code).toBe(2);
    expect(stderr).toBe(
      'calictl: printed.json is what ipam check prints with -o; addresses are released from the file that it writes with ' +
        '--report (REPORT_INVALID)\nhint: Write one with: calictl ipam check --report FILE\n',
    );
  });

  it('release --from-report releases what the report calls leaked, handles too', async () => {
    await report();
    const dry = await unchanged('--from-report report.json --dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(`would release ${leaked}  `);
    expect(dry.stdout).toContain(`would delete the handle ${stray}\n`);
    expect(await release('--from-report report.json')).toMatchObject({
      code: 0,
      stdout:
        `Successfully released ${leaked}\nSuccessfully deleted the handle ${stray}\n` +
        '1 of 1 address released, 1 of 1 handle deleted. No journal is kept of releases.\n',
    });
    expect(await allocated(leaked)).toBe(false);
    expect(stored().some(({ metadata }) => metadata.name === stray)).toBe(false);
    expect(await run('ipam check', { folder })).toMatchObject({ code: 0 });
    // A second run finds nothing left to do, which is not a failure.
    expect(await unchanged('--from-report report.json')).toMatchObject({
      code: 0,
      stdout: `IP address ${leaked} is already free\n`,
    });
  });

  it('release --from-report leaves a handle that was written less than five minutes ago', async () => {
    const unlocked = stored().map((object) => {
      if (object.kind === 'ClusterInformation') {
        return { ...object, spec: { ...(object.spec as object), datastoreReady: true } };
      }
      if (object.metadata.name !== stray) return object;
      return { ...object, metadata: { ...object.metadata, creationTimestamp: '2025-06-15T15:57:00Z' } };
    });
    store(unlocked);
    await report();
    const { code, stdout } = await release('--from-report report.json');
    expect(code).toBe(5);
    expect(stdout).toContain(`Kept the handle ${stray}: `);
    expect(stored().some(({ metadata }) => metadata.name === stray)).toBe(true);
  });

  it('release --from-report refuses a report of another cluster, even with --force', async () => {
    const path = await report();
    edited(path, (value) => Object.assign(value, { clusterGUID: 'f00d' }));
    for (const flags of ['', ' --force']) {
      const { code, stderr } = await unchanged(`--from-report report.json${flags}`);
      expect(code).toBe(4);
      expect(stderr).toMatch(
        /report\.json is of another cluster \(f00d; this one is \w+\) \(REPORT_OF_ANOTHER_CLUSTER\)/,
      );
    }
  });

  it('release --from-report leaves an address that was given to another owner since', async () => {
    await report();
    const again = stored();
    const block = again.find(({ spec }) => (spec as BlockSpec | undefined)?.cidr === blockWith(leaked).cidr);
    const spec = block?.spec as BlockSpec;
    const ordinal = Number(leaked.split('.').at(-1)) % 8;
    // The same owner, allocated once more: only the sequence number tells.
    spec.sequenceNumberForAllocation[String(ordinal)] = spec.sequenceNumber;
    spec.sequenceNumber += 1n;
    store(again);
    const { code, stdout } = await release('--from-report report.json');
    expect(code).toBe(5);
    expect(stdout).toContain(`IP address ${leaked} was allocated again since the report\n`);
    expect(await allocated(leaked)).toBe(true);
  });

  it('release --from-report leaves an address that is in use by now', async () => {
    const pod = objects.find(({ kind }) => kind === 'Pod') as KubeObject;
    const without = objects.filter((object) => object !== pod);
    store(without);
    await report();
    store([...without, pod]);
    const { stdout } = await release('--from-report report.json');
    expect(stdout).toContain(`Successfully released ${leaked}\n`);
    expect(stdout).toContain(`${used} is in use by ${user}\n`);
    expect(await allocated(used)).toBe(true);
  });

  it('release with several reports takes what all of them call leaked', async () => {
    await report('first.json');
    const pod = objects.find(({ kind }) => kind === 'Pod') as KubeObject;
    store(objects.filter((object) => object !== pod));
    await report('second.json');
    const { stdout } = await release('--from-report first.json --from-report second.json');
    expect(stdout).toContain(`Successfully released ${leaked}\n`);
    expect(stdout).not.toContain(used);
    expect(await allocated(used)).toBe(true);
  });

  describe('calicoctl ipam release --from-report', () => {
    const compat: RunOptions = { env: { CALICTL_COMPAT: '1' } };

    it("calicoctl release --from-report prints calicoctl's texts", async () => {
      await report();
      const { code, stdout, stderr } = await release('--from-report=report.json', compat);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toBe(
        'Releasing 1 old IPs...\nReleased 1 IPs successfully\n' +
          "Deleting 1 handles...\nKey: '.' = Deleted OK; 'x' = skip, handle missing/changed.\n.\n" +
          'Released 1 handles; 0 skipped; 0 errors.\nYou may now unlock the data store.\n',
      );
      const again = await release('--from-report=report.json', compat);
      expect(again.code).toBe(0);
      expect(again.stdout).toBe(
        `Releasing 1 old IPs...\nAn error occurred while releasing some IPs: update conflict: ${leaked}.  ` +
          'Problems are often caused by an out-of-date IPAM report.  Try regenerating the IPAM report and retry.\n' +
          "Deleting 1 handles...\nKey: '.' = Deleted OK; 'x' = skip, handle missing/changed.\nx\n" +
          'Released 0 handles; 1 skipped; 0 errors.\nYou may now unlock the data store.\n',
      );
    });

    it('calicoctl release --from-report says when a report has nothing to clean up', async () => {
      const path = await report();
      edited(path, (value) => Object.assign(value, { allocations: {}, leakedHandles: [] }));
      expect((await unchanged('--from-report=report.json', compat)).stdout).toBe(
        "Report didn't contain any leaked IPs to clean up.\nReport didn't contain any handles to clean up.\n" +
          'You may now unlock the data store.\n',
      );
    });

    it.each<[string, Record<string, unknown>, string]>([
      [
        'of another cluster',
        { clusterGUID: 'f00d' },
        'cluster does not match the provided report (report.json): mismatched cluster GUID. Refusing to release\n',
      ],
      [
        'of another version',
        { version: 'v3.30.0' },
        'the provided report (report.json) was produced using a different version (v3.30.0) of calicoctl. Refusing to release\n',
      ],
      [
        'that is stale',
        { clusterInformationRevision: '1' },
        'the provided reports are all stale - at least one should be up-to-date. Please generate a new report while the data store is locked and try again\n',
      ],
    ])('calicoctl release --from-report refuses a report %s', async (_, change, text) => {
      edited(await report(), (value) => Object.assign(value, change));
      expect(await unchanged('--from-report=report.json', compat)).toMatchObject({ code: 1, stderr: text });
    });

    it('calicoctl release --from-report refuses while the datastore is not locked, unless forced', async () => {
      const open = objects.map((object) =>
        object.kind === 'ClusterInformation'
          ? { ...object, spec: { ...(object.spec as object), datastoreReady: true } }
          : object,
      );
      store(open);
      edited(await report(), (value) => Object.assign(value, { version: 'v3.30.0' }));
      const refused = 'the provided report (report.json) was produced using a different version (v3.30.0) of calicoctl';
      expect((await unchanged('--from-report=report.json', compat)).stderr).toContain(refused);
      const { code, stdout } = await release('--from-report=report.json --force', compat);
      expect(code).toBe(0);
      expect(stdout.split('\n').slice(0, 4)).toEqual([
        'WARNING: Report was produced using a different version of calicoctl. Ignoring due to --force option',
        'WARNING: Data store is not locked. Ignoring due to --force option',
        'Releasing 1 old IPs...',
        'Released 1 IPs successfully',
      ]);
    });

    it('release --from-report is refused in compat mode while the datastore is not locked', async () => {
      store(
        objects.map((object) =>
          object.kind === 'ClusterInformation'
            ? { ...object, spec: { ...(object.spec as object), datastoreReady: true } }
            : object,
        ),
      );
      await report();
      expect(await unchanged('--from-report=report.json', compat)).toMatchObject({
        code: 1,
        stderr: 'data store is not locked. Either lock the data store, or re-run with --force\n',
      });
    });

    it('calicoctl release --from-report names a report that cannot be read', async () => {
      expect(await unchanged('--from-report=nowhere.json', compat)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'open nowhere.json: no such file or directory\n',
      });
    });
  });
});

describe('calicoctl ipam release --ip', () => {
  const compat: RunOptions = { env: { CALICTL_COMPAT: '1' } };

  it('calicoctl release --ip releases one address without asking who uses it', async () => {
    expect(await release(`--ip=${used}`, compat)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `Successfully released IP address ${used}\n`,
    });
    expect(await unchanged(`--ip=${used}`, compat)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `IP address ${used} is not assigned\n`,
    });
  });

  it('calicoctl release --ip refuses an invalid address on stdout', async () => {
    expect(await unchanged('--ip=10.60.0', compat)).toMatchObject({
      code: 1,
      stderr: '',
      stdout: 'Error executing command: invalid IP address specified: 10.60.0\n',
    });
  });

  it('calicoctl release without a flag is a usage error', async () => {
    const ran = await unchanged('', compat);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^Usage:\n {2}calicoctl ipam release /);
  });
});
