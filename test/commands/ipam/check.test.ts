// ipam check over a folder: what it finds in the example, in each format, and what --fix, --only and --skip do.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { invariantIds } from '../../../src/ipam-check/invariants.ts';
import {
  exampleFaults,
  exampleFolder,
  exampleManualFaults,
  faultLines,
} from '../../support/clusters/example-cluster.ts';
import { type Ran, run, TestClock } from '../../support/program/world.ts';

let top = '';
let folder = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-check-'));
  folder = join(top, 'store');
  cpSync(exampleFolder, folder, { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** The example was made in March 2026; nine months later everything in it is old. */
const check = (flags = ''): Promise<Ran> =>
  run(`ipam check ${flags}`, { folder, cwd: top, clock: new TestClock('2026-12-01T00:00:00Z') });

const contents = (): string[] =>
  readdirSync(folder)
    .filter((file) => !file.startsWith('.'))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));

describe('ipam check', () => {
  it('ipam check reports exactly what is wrong, exits 3 and writes nothing', async () => {
    const before = contents();
    const { code, stdout, stderr } = await check('-o json');
    const report = JSON.parse(stdout);
    expect(faultLines(report)).toEqual(exampleFaults);
    expect(report.summary).toMatchObject({ errors: 2, warnings: 6, infos: 0, candidates: 0, fixable: 6 });
    expect(report.summary).toMatchObject({
      pools: 2,
      blocks: 6,
      affinities: 6,
      handles: 47,
      allocations: 44,
      inUse: 43,
    });
    expect(report.datastore).toMatchObject({ type: 'folder', locked: false, calicoVersion: 'v3.31.4' });
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(contents()).toEqual(before);
  });

  it('ipam check prints manual steps for many addresses once, and on each with -o wide', async () => {
    await run('ipam assign --node worker-1 --count 3 --handle router', {
      folder,
      clock: new TestClock('2026-11-01T00:00:00Z'),
    });
    const advice = 'whether it is in use cannot be determined';
    const [plain, wide] = [await check('--only INV-53'), await check('--only INV-53 -o wide')];
    // With the one leak of the example the group is mixed: each says its own.
    expect(plain.stdout.split(advice)).toHaveLength(4);
    await check('--fix --only INV-53 --journal repair.jsonl');
    const { stdout } = await check('--only INV-53');
    expect(stdout.split(advice)).toHaveLength(2);
    expect(stdout).toContain(`by hand, for each: ${advice}`);
    expect(wide.stdout.split(advice)).toHaveLength(4);
  });

  it('ipam check wraps the lines of a plan at the visible width, with a hanging indent', async () => {
    const { stdout } = await run('ipam check --fix --yes --only INV-32 --journal repair.jsonl', {
      folder,
      cwd: top,
      clock: new TestClock('2026-12-01T00:00:00Z'),
      terminal: true,
      columns: 80,
    });
    expect(stripVTControlCharacters(stdout)).toContain(
      '  applied  R4 BlockAffinity worker-2-10-61-0-0-26: confirm the affinity of\n      host:worker-2 for 10.61.0.0/26\n',
    );
  });

  it('ipam check does not mention repairs when nothing was found', async () => {
    expect((await check('--fix --only INV-01')).stdout).toBe(
      'Read 2 pools, 6 blocks, 6 affinities, 47 handles: 44 addresses allocated, 43 in use.\n\nNo problems found.\n',
    );
    expect((await check('--fix --dry-run --only INV-18')).stdout).toContain(
      'None of the findings can be repaired automatically.',
    );
  });

  it('ipam check --fix reports in order what was found, what was done and what is left', async () => {
    const { code, stdout } = await check('--fix --journal repair.jsonl');
    expect(code).toBe(3);
    const order = [
      'Read 2 pools, 6 blocks',
      'Found 2 errors and 6 warnings:\n  error INV-18 blocks overlap (1)\n',
      '  warning INV-45 handle has no addresses (3)\n',
      'Repairs, 6 steps:\n  applied  R4',
      '6 of 6 applied. Journal: ',
      'Left after the repairs:\nerror INV-18 blocks overlap (1)\n',
      'Left: 2 errors and 0 warnings.\n',
    ];
    expect(order.map((text) => stdout.indexOf(text))).not.toContain(-1);
    expect(order.toSorted((a, b) => stdout.indexOf(a) - stdout.indexOf(b))).toEqual(order);
    expect(stdout.slice(stdout.indexOf('Left after'))).not.toContain('INV-45');
  });

  it('ipam check --fix reports that no problems are left', async () => {
    const { code, stdout } = await check('--fix --only INV-45 --journal repair.jsonl');
    expect(code).toBe(0);
    expect(stdout).toContain('\nFound 0 errors and 3 warnings:\n  warning INV-45 handle has no addresses (3)\n\n');
    expect(stdout).toMatch(/\n3 of 3 applied\. Journal: .*\n\nNo problems are left\.\n$/);
  });

  it('ipam check --fix --dry-run shows the plan below what was found', async () => {
    const { stdout } = await check('--fix --dry-run');
    expect(stdout.indexOf('Repair plan, 6 steps (nothing was written):')).toBeGreaterThan(stdout.indexOf('INV-53'));
    expect(stdout).toContain('Found 2 errors and 6 warnings.\n');
  });

  it('ipam check prints the same report as YAML', async () => {
    const [json, yaml] = [await check('-o json'), await check('-o yaml')];
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
  });

  it('ipam check -o junit makes a test case of each invariant and a failure of each stable fault', async () => {
    const { code, stdout } = await check('-o junit');
    expect(code).toBe(3);
    expect(stdout.match(/<testcase /g)).toHaveLength(invariantIds.length);
    expect(stdout.match(/<failure /g)).toHaveLength(exampleFaults.length);
    expect(stdout).toContain('message="10.61.0.2: address is allocated but nothing uses it"');
    expect(stdout).toContain(`tests="${invariantIds.length}" failures="6" skipped="0"`);
  });

  it('ipam check names every fault in the table, with evidence in the wide one', async () => {
    const [table, wide] = [await check(), await check('-o wide')];
    for (const { stdout } of [table, wide]) {
      for (const fault of exampleFaults) expect(stdout).toContain(fault.split(' ')[2]);
      expect(stdout).toContain('Found 2 errors and 6 warnings.');
    }
    expect(wide.stdout).toContain('the pod does not exist');
    expect(table.stdout).not.toContain('the pod does not exist');
  });

  it('ipam check --only and --skip select invariants', async () => {
    const only = await check('-o json --only 45,inv-53');
    expect(faultLines(JSON.parse(only.stdout))).toEqual(exampleFaults.filter((fault) => /^INV-(45|53)/.test(fault)));
    const skip = await check('-o json --skip INV-18 --skip INV-20 --skip INV-32,INV-36,INV-45,INV-53');
    expect(faultLines(JSON.parse(skip.stdout))).toEqual([]);
    expect(skip.code).toBe(0);
  });

  it('ipam check takes an allocation younger than --grace for an operation in progress', async () => {
    const { stdout } = await check('-o json --grace 8000h');
    const leak = JSON.parse(stdout).findings.find(({ id }: { id: string }) => id === 'INV-53');
    expect(leak).toMatchObject({ stability: 'candidate', address: '10.61.0.2' });
  });

  it("ipam check --report FILE writes calicoctl's report to the file and the table to stdout", async () => {
    const { code, stdout } = await check('--report leaks.json');
    expect(code).toBe(3);
    expect(stdout).toContain('Found 2 errors');
    const report = JSON.parse(readFileSync(join(top, 'leaks.json'), 'utf8'));
    expect(report.allocations['10.61.0.2']).toMatchObject([{ ip: '10.61.0.2', inUse: false, owners: null }]);
    expect(report.leakedHandles).toHaveLength(3);
  });
});

describe('ipam check --fix', () => {
  it('ipam check --fix --dry-run shows the plan and writes nothing, not even a journal', async () => {
    const before = contents();
    const { code, stdout } = await check('--fix --dry-run --journal j -o json');
    const { fix } = JSON.parse(stdout);
    expect(fix).toMatchObject({ planned: 6, applied: 0, conflicts: 0, failed: 0, skipped: 0 });
    expect(fix.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(6).fill('planned'));
    expect(code).toBe(3);
    expect(contents()).toEqual(before);
    expect(existsSync(join(top, 'j'))).toBe(false);
  });

  it('ipam check --fix repairs what it can, and a second run has nothing left to repair', async () => {
    const first = await check('--fix --journal j -o json');
    const report = JSON.parse(first.stdout);
    expect(report.fix).toMatchObject({ planned: 6, applied: 6, journal: join(top, 'j') });
    expect(faultLines(report)).toEqual(exampleManualFaults);
    const before = contents();
    const second = await check('--fix --journal j2 -o json');
    expect(JSON.parse(second.stdout).fix).toMatchObject({ planned: 0 });
    expect(second.code).toBe(3);
    expect(contents()).toEqual(before);
  });

  it('ipam check --fix --only repairs only what is named', async () => {
    const { stdout } = await check('--fix --only INV-53 --journal j -o json');
    expect(JSON.parse(stdout).fix).toMatchObject({ planned: 1, applied: 1 });
    const left = exampleFaults.filter((fault) => !fault.startsWith('INV-53'));
    expect(faultLines(JSON.parse((await check('-o json')).stdout))).toEqual(left);
  });
});
