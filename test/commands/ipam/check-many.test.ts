// ipam check --fix of many findings on a server that is busy, loses answers, or breaks down: its output and its end.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import type { IPAMCheckReport } from '../../../src/ipam-check/report.ts';
import { manyFaults } from '../../support/clusters/many-faults.ts';
import {
  type MemoryStream,
  type Ran,
  run,
  TestClock,
  testWorld,
  type WorldOptions,
} from '../../support/program/world.ts';
import { type StandInCluster, serveCluster, type Trouble } from '../../support/servers/stand-in-cluster.ts';
import type { SeenRequest } from '../../support/servers/tls-stand-in.ts';

const long = process.env['LONG'] !== undefined;
const [strays, leaks] = long ? [10_000, 3_000] : [120, 40];
const findings = strays + leaks;
vi.setConfig({ testTimeout: long ? 900_000 : 60_000 });

// Client and server share this process: on a busy machine an answer may take longer than the usual limit.
const patience = '--grace 1m --request-timeout 10m -o json';

/** Short waits are over at once and take no time, so that no lease runs out; those between renewals last until they are ended. */
class PatientClock extends TestClock {
  readonly waits: number[] = [];

  constructor() {
    super('2026-06-01T00:00:00Z');
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < 5_000) {
      this.waits.push(ms);
      await setImmediate();
    } else if (signal !== undefined && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    signal?.throwIfAborted();
  }
}

let top = '';
let served: StandInCluster | undefined;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-check-many-'));
});
afterEach(async () => {
  await served?.standIn.stop();
  served = undefined;
  rmSync(top, { recursive: true, force: true });
});

type Ask = (request: SeenRequest) => Trouble | Promise<Trouble>;

async function serve(trouble?: Ask): Promise<MemoryDatastore> {
  const store = new MemoryDatastore(manyFaults(strays, leaks));
  served = await serveCluster(store, trouble);
  return store;
}

const isWrite = ({ method }: SeenRequest): boolean => method !== 'GET';

function check(flags: string, options: WorldOptions = {}): Promise<Ran> {
  const env = { KUBECONFIG: served?.kubeconfig ?? '' };
  return run(`ipam check ${flags} ${patience}`, { cwd: top, env, clock: new PatientClock(), ...options });
}

const fix = (options: WorldOptions = {}): Promise<Ran> => check('--fix --yes --journal j', options);
const reportOf = ({ stdout }: Ran): IPAMCheckReport => JSON.parse(stdout) as IPAMCheckReport;

/** Each write of the journal has a line before and a line after it; answers with the outcomes. */
function journaledOutcomes(): string[] {
  const lines = readFileSync(join(top, 'j'), 'utf8').trimEnd().split('\n');
  const open = new Set<number>();
  const outcomes: string[] = [];
  for (const line of lines) {
    const { write, phase, outcome } = JSON.parse(line) as { write: number; phase: string; outcome?: string };
    if (phase === 'before') open.add(write);
    else if (open.delete(write)) outcomes.push(outcome ?? '');
  }
  expect(open.size).toBe(0);
  return outcomes;
}

it('--fix survives 429 to every third write and a lost answer to every fiftieth', async () => {
  const met = new Set<string>();
  const sent: Record<string, number> = { busy: 0, 'no-answer': 0 };
  const store = await serve((request) => {
    const write = `${request.method} ${request.path} ${request.body}`;
    if (!isWrite(request) || met.has(write)) return undefined;
    met.add(write);
    const trouble = met.size % 3 === 0 ? 'busy' : met.size % 50 === 0 ? 'no-answer' : undefined;
    if (trouble !== undefined) sent[trouble] = (sent[trouble] ?? 0) + 1;
    return trouble;
  });
  const clock = new PatientClock();
  const fixed = await fix({ clock });
  const report = reportOf(fixed);
  expect(report.fix).toMatchObject({ planned: findings, applied: findings, conflicts: 0, failed: 0, skipped: 0 });
  expect(report.findings).toEqual([]);
  expect({ code: fixed.code, stderr: fixed.stderr }).toEqual({ code: 0, stderr: '' });
  expect(sent['busy']).toBeGreaterThan(strays / 3);
  expect(sent['no-answer']).toBeGreaterThan(strays / 50);
  // It waited as requested: one second, plus a little that differs between callers.
  expect(clock.waits.filter((ms) => ms >= 1_000)).toHaveLength(sent['busy'] ?? 0);
  expect(new Set(journaledOutcomes())).toEqual(new Set(['written']));
  const second = await check('');
  expect(second.code).toBe(0);
  expect(reportOf(second).findings).toEqual([]);
  expect(store.writes).toBeGreaterThan(2 * strays);
});

it('--fix shows its progress on a terminal only', async () => {
  let terminal: MemoryStream | undefined;
  const line = new RegExp(`(\\d+) of ${findings} repairs`, 'g');
  const shown = (): number => Number([...(terminal?.text ?? '').matchAll(line)].at(-1)?.[1] ?? 0);
  // Late writes are held back until the line on the terminal has moved.
  let writes = 0;
  let seen = 0;
  await serve(async (request) => {
    if (!isWrite(request)) return undefined;
    writes += 1;
    if (writes === strays || writes === strays + 100) {
      const before = seen;
      while (shown() <= before) await setImmediate();
      seen = shown();
    }
    return undefined;
  });
  const env = { KUBECONFIG: served?.kubeconfig ?? '' };
  const world = testWorld({ cwd: top, env, terminal: true, clock: new PatientClock() });
  terminal = world.io.stderr;
  const code = await runCli(`ipam check --fix --yes --journal j ${patience}`.split(' '), world);
  expect(code).toBe(0);
  expect(seen).toBeGreaterThan(0);
  expect(JSON.parse(world.io.stdout.text)).toMatchObject({ fix: { applied: findings } });
});

it('--fix ends soon after Ctrl-C, with 130, a whole journal and a report of what is left', async () => {
  const stop = new AbortController();
  let writes = 0;
  await serve((request) => {
    if (isWrite(request) && ++writes === strays) stop.abort();
    return undefined;
  });
  const stopped = await fix({ signal: stop.signal });
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toBe(
    'interrupted before the last check; the list is what was found before, minus what was repaired\n',
  );
  const report = reportOf(stopped);
  const { applied = 0, skipped = 0, failed, conflicts } = report.fix ?? {};
  expect({ failed, conflicts, all: applied + skipped }).toEqual({ failed: 0, conflicts: 0, all: findings });
  expect(skipped).toBeGreaterThan(findings / 10);
  expect(report.findings).toHaveLength(skipped);
  expect(new Set(journaledOutcomes())).toEqual(new Set(['written']));
  expect(writes).toBeLessThan(strays + 64);
  const second = await check('');
  expect(second.code).toBe(3);
  expect(reportOf(second).findings).toHaveLength(skipped);
});

it('--fix reports what was repaired when the server breaks down before the last check', async () => {
  let writes = 0;
  await serve((request) => {
    if (isWrite(request)) writes += 1;
    const isList = request.method === 'GET' && /\/ipamhandles(\?|$)/.test(request.path);
    return writes > 0 && isList ? 'broken' : undefined;
  });
  const broken = await fix();
  expect(broken.code).toBe(5);
  expect(reportOf(broken).fix).toMatchObject({ planned: findings, applied: findings });
  expect(reportOf(broken).findings).toEqual([]);
  expect(broken.stderr).toMatch(
    /^calictl: what is left could not be checked: .*leader changed \(DATASTORE_UNAVAILABLE\)\n/,
  );
  expect(broken.stderr).toContain(
    'hint: The list is what was found before, minus what was repaired; run the check again.\n',
  );
  expect((await check('')).code).toBe(1);
});
