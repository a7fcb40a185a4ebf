// Bundles that are made to do harm, and what killed runs left.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unpackBundle } from '../../src/snapshot/bundle.ts';
import type { ProcessIdentity } from '../../src/world/world.ts';

let top: string;
const before = process.env['TMPDIR'];
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-bundles-'));
  mkdirSync(join(top, 'tmp'));
  process.env['TMPDIR'] = join(top, 'tmp');
});
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(top, { recursive: true });
});

const self: ProcessIdentity = { pid: 1, hostname: 'h', incarnation: 'this', isAlive: (_, of) => of !== 'dead' };
const left = (): string[] => readdirSync(join(top, 'tmp'));

/** A bundle of files of zeros. */
async function bundle(files: Readonly<Record<string, number>>): Promise<string> {
  const entries = pack();
  for (const [name, size] of Object.entries(files)) entries.entry({ name }, Buffer.alloc(size));
  entries.finalize();
  const path = join(top, 'case.tgz');
  writeFileSync(path, await buffer(entries.pipe(createGzip({ level: 1 }))));
  return path;
}

it('a bundle that unpacks to much more than its size is refused, and nothing of it is left', async () => {
  const path = await bundle({ 'a.json': 300 * 1024 ** 2 });
  await expect(unpackBundle(path, self)).rejects.toMatchObject({
    code: 'BUNDLE_TOO_LARGE',
    message: expect.stringMatching(/case\.tgz is not unpacked: its .* unpack to more than 300 MiB/),
    hint: expect.stringContaining('--bundle-limit'),
  });
  expect(left()).toEqual([]);
});

it('the given limit counts instead, up and down', async () => {
  const path = await bundle({ 'a.json': 1000, 'b.json': 2000 });
  await expect(unpackBundle(path, self, { limit: 2500 })).rejects.toThrow('it unpacks to more than 2.4 KiB');
  const unpacked = await unpackBundle(path, self, { limit: 3000 });
  expect(readdirSync(unpacked.folder).sort()).toEqual(['a.json', 'b.json']);
  await unpacked.remove();
  expect(left()).toEqual([]);
});

it('a bundle of many files is not unpacked to its end after an interruption, and nothing of it is left', async () => {
  const path = await bundle(Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`d/${n}.json`, 1])));
  const interruption = new AbortController();
  // Looks after every few events: two thousand files take many more.
  const watching = setInterval(() => {
    const hasBegun = left().some((name) => existsSync(join(top, 'tmp', name, 'bundle', 'd', '5.json')));
    if (hasBegun) interruption.abort(new Error('interrupted'));
  });
  await expect(unpackBundle(path, self, { signal: interruption.signal })).rejects.toThrow('interrupted');
  clearInterval(watching);
  expect(left()).toEqual([]);
});

it('a directory for temporary files without room is named, and the bundle is not called invalid', async () => {
  const path = await bundle({ 'a.json': 10 });
  process.env['TMPDIR'] = join(top, 'missing');
  await expect(unpackBundle(path, self)).rejects.toMatchObject({
    code: 'BUNDLE_NO_ROOM',
    message: expect.stringMatching(/case\.tgz cannot be unpacked in .*missing: no such file or directory/),
    hint: expect.stringContaining('TMPDIR'),
  });
});

it('what a killed run left is removed by the next one; what a living one uses, and what is not understood, stays', async () => {
  const scratch = (name: string, owner: string): void => {
    mkdirSync(join(top, 'tmp', name, 'bundle'), { recursive: true });
    writeFileSync(join(top, 'tmp', name, 'owner.json'), owner);
  };
  scratch('calictl-bundle-dead', '{"pid":7,"incarnation":"dead"}');
  scratch('calictl-bundle-alive', '{"pid":7,"incarnation":"alive"}');
  scratch('calictl-bundle-odd', '{}');
  // Killed before its owner was written, and being made just now.
  for (const name of ['calictl-bundle-unnamed', 'calictl-bundle-begun', 'calictl-bundle-half']) {
    mkdirSync(join(top, 'tmp', name));
  }
  writeFileSync(join(top, 'tmp', 'calictl-bundle-half', 'owner.json'), '');
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of ['calictl-bundle-unnamed', 'calictl-bundle-half'])
    utimesSync(join(top, 'tmp', name), longAgo, longAgo);
  const unpacked = await unpackBundle(await bundle({ 'a.json': 10 }), self);
  expect(existsSync(join(unpacked.folder, 'a.json'))).toBe(true);
  await unpacked.remove();
  expect(left().sort()).toEqual(['calictl-bundle-alive', 'calictl-bundle-begun', 'calictl-bundle-odd']);
});

it.each([
  ['a file that is a directory of another', { x: 1, 'x/y': 1 }, 'x/y: part of the path is not a directory'],
  ['a directory that is a file too', { 'x/y': 1, x: 1 }, 'x: is a directory'],
  ['a name that is too long', { ['a'.repeat(300)]: 1 }, `${'a'.repeat(300)}: file name too long`],
])('a bundle with %s is invalid, and TMPDIR is not blamed', async (_, files, reason) => {
  await expect(unpackBundle(await bundle(files), self)).rejects.toMatchObject({
    code: 'BUNDLE_UNREADABLE',
    message: expect.stringContaining(`no file can be called ${reason}`),
  });
  expect(left()).toEqual([]);
});
