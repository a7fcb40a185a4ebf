// The built program, killed while it unpacks or writes a snapshot, and on a full disk: nothing half-written appears under its
// name, and the next run removes what was left.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRoot } from '../../src/node-exec/processes.ts';
import { exampleFolder } from '../support/clusters/example-cluster.ts';
import { runBuilt } from '../support/program/built-program.ts';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));
let top = '';
let scratch = '';
let bundle = '';

/** Config maps of random texts, which do not compress: 60 MB. */
function ballast(folder: string): void {
  for (let file = 0; file < 30; file += 1) {
    const data = { text: randomBytes(1_500_000).toString('base64') };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${file}`, namespace: 'shop' }, data };
    writeFileSync(join(folder, `ballast-${file}.json`), JSON.stringify(object));
  }
}

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), 'calictl-killed-'));
  scratch = join(top, 'tmp');
  mkdirSync(scratch);
  const folder = join(top, 'store');
  cpSync(exampleFolder, folder, { recursive: true });
  ballast(folder);
  bundle = join(top, 'cluster.tgz');
  execFileSync('tar', ['-czf', bundle, '-C', folder, '.']);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const environment = (): Record<string, string> => ({ HOME: top, TMPDIR: scratch });

/** Starts a command line and sends the signal as soon as the folder holds something, and `afterMs` later. */
async function ended(
  args: readonly string[],
  folder: string,
  signal: NodeJS.Signals,
  afterMs: number,
): Promise<number> {
  const env = { PATH: process.env['PATH'], ...environment() };
  const child = spawn(process.execPath, [calictl, ...args], { stdio: 'ignore', env });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const before = readdirSync(folder).length;
  while (child.exitCode === null && readdirSync(folder).length === before) {
    await new Promise((wait) => setTimeout(wait, 2));
  }
  await new Promise((wait) => setTimeout(wait, afterMs));
  child.kill(signal);
  const [code, by] = await exited;
  return by === 'SIGINT' ? 130 : (code ?? -1);
}

/** A folder without the name of its process may be one that is being made: it is removed when it is a minute old. */
function isOwned(folder: string): boolean {
  return (statSync(join(folder, 'owner.json'), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

describe('killed while a bundle is unpacked', () => {
  it('a run that is killed at any moment leaves directories that the next run removes', async () => {
    for (const afterMs of [0, 1, 10, 100, 300]) {
      await ended(['--datastore', bundle, 'get', 'nodes'], scratch, 'SIGKILL', afterMs);
    }
    expect(readdirSync(scratch)).not.toEqual([]);
    const result = await runBuilt(['--datastore', bundle, 'get', 'nodes'], { env: environment() });
    expect({ exit: result.exit, stderr: result.stderr }).toEqual({ exit: 0, stderr: '' });
    const left = readdirSync(scratch).filter((name) => isOwned(join(scratch, name)));
    expect(left).toEqual([]);
  }, 60_000);

  it('a run that is interrupted removes what it unpacked', async () => {
    rmSync(scratch, { recursive: true });
    mkdirSync(scratch);
    expect(await ended(['--datastore', bundle, 'get', 'nodes'], scratch, 'SIGTERM', 100)).toBe(130);
    expect(readdirSync(scratch)).toEqual([]);
  }, 60_000);
});

describe('killed while a snapshot is written', () => {
  it.each(['saved', 'saved.tgz'])(
    'a killed run leaves no %s, and the next run removes what it left',
    async (name) => {
      const folder = join(top, `out-${name}`);
      mkdirSync(folder);
      const save = ['--datastore', join(top, 'store'), 'snapshot', 'save', join(folder, name)];
      for (const afterMs of [0, 5, 50]) {
        await ended(save, folder, 'SIGKILL', afterMs);
        rmSync(join(folder, name), { recursive: true, force: true });
      }
      expect((await runBuilt(save, { env: environment() })).exit).toBe(0);
      const left = readdirSync(folder).filter((one) => one === name || isOwned(join(folder, one)));
      expect(left).toEqual([name]);
      expect((await runBuilt(['--datastore', join(folder, name), 'get', 'nodes'], { env: environment() })).exit).toBe(
        0,
      );
    },
    60_000,
  );
});

describe.skipIf(!isRoot())('on a full disk (needs root)', () => {
  const small = (): string => join(top, 'small');
  beforeAll(() => {
    mkdirSync(small());
    execFileSync('sh', ['-c', 'mount -t tmpfs -o size=4m calictl-test "$0"', small()]);
  });
  afterAll(() => execFileSync('sh', ['-c', 'umount "$0"', small()]));

  it('a bundle that does not fit into TMPDIR is reported as such, and leaves nothing there', async () => {
    const { exit, stderr } = await runBuilt(['--datastore', bundle, 'get', 'nodes'], {
      env: { ...environment(), TMPDIR: small() },
    });
    expect(stderr).toBe(
      `calictl: ${bundle} cannot be unpacked in ${small()}: no space left on device (BUNDLE_NO_ROOM)\n` +
        'hint: Free some space there, or set TMPDIR to a directory that has more.\n',
    );
    expect(exit).toBe(1);
    expect(readdirSync(small())).toEqual([]);
  });

  it.each(['saved', 'saved.tgz'])('a snapshot %s that does not fit is reported, and leaves nothing', async (name) => {
    const path = join(small(), name);
    // Unlike the ballast, IPAM objects are saved: enough of them do not fit.
    const filler = join(small(), 'filler');
    execFileSync('sh', ['-c', 'head -c 4180000 /dev/zero > "$0" || true', filler]);
    const { exit, stderr } = await runBuilt(['--datastore', join(top, 'store'), 'snapshot', 'save', path], {
      env: environment(),
    });
    expect(stderr).toBe(`calictl: ${path} cannot be written: no space left on device (SNAPSHOT_UNWRITABLE)\n`);
    expect(exit).toBe(1);
    expect(readdirSync(small())).toEqual(['filler']);
    rmSync(filler);
  });
});
