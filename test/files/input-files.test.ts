// What -f names: which files of folders, in which order, and what is refused.
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { namedInputs } from '../../src/files/input-files.ts';
import { type TestFolder, testFolder } from '../support/program/test-folder.ts';
import { testWorld } from '../support/program/world.ts';

let folder: TestFolder | undefined;
afterEach(() => folder?.remove());

async function read(given: readonly string[], recursive = false, stdin = ''): Promise<[string, string][]> {
  const all: [string, string][] = [];
  for (const { texts } of await namedInputs(given, { recursive, patterns: true }, testWorld({ stdin }))) {
    for await (const { name, text } of texts()) {
      all.push([folder !== undefined && name.startsWith(folder.path) ? relative(folder.path, name) : name, text]);
    }
  }
  return all;
}

describe('namedInputs', () => {
  it('a directory gives its .yaml, .yml and .json files by name, in any case, and nothing else', async () => {
    folder = testFolder({ 'b.yaml': '1', 'B.YML': '2', 'a.json': '3', 'a.txt': '4', yaml: '5', 'sub/c.yaml': '6' });
    expect(await read([folder.path])).toEqual([
      ['B.YML', '2'],
      ['a.json', '3'],
      ['b.yaml', '1'],
    ]);
  });

  it('-R reads subdirectories where they are in the order of names', async () => {
    folder = testFolder({ 'b.yaml': '1', 'a/x.yaml': '2', 'a/y/z.json': '3', 'c/d.yaml': '4' });
    expect((await read([folder.path], true)).map(([name]) => name)).toEqual([
      'a/x.yaml',
      'a/y/z.json',
      'b.yaml',
      'c/d.yaml',
    ]);
  });

  it('a named file is read whatever its name', async () => {
    folder = testFolder({ 'pool.txt': 'x' });
    expect(await read([join(folder.path, 'pool.txt')])).toEqual([['pool.txt', 'x']]);
  });

  it('several names are read in the order given, standard input among them', async () => {
    folder = testFolder({ a: '1', b: '2' });
    expect(await read([join(folder.path, 'b'), '-', join(folder.path, 'a')], false, 'in')).toEqual([
      ['b', '2'],
      ['-', 'in'],
      ['a', '1'],
    ]);
  });

  it('a pattern in quotes is expanded by name, also in the middle of a path', async () => {
    folder = testFolder({ 'x1/p.yaml': '1', 'x2/p.yaml': '2', 'x2/q.yaml': '3', 'y/p.yaml': '4', '.x/p.yaml': '5' });
    expect((await read([join(folder.path, 'x*/[a-p].yaml')])).map(([name]) => name)).toEqual([
      'x1/p.yaml',
      'x2/p.yaml',
    ]);
    expect((await read([join(folder.path, '?/p.yaml')])).map(([name]) => name)).toEqual(['y/p.yaml']);
    await expect(read([join(folder.path, 'z*.yaml')])).rejects.toThrow(/^no file matches .*z\*\.yaml$/);
  });

  it('a file whose name looks like a pattern is that file', async () => {
    folder = testFolder({ 'a[1].yaml': '1', 'a1.yaml': '2' });
    expect(await read([join(folder.path, 'a[1].yaml')])).toEqual([['a[1].yaml', '1']]);
  });

  it('links to files are followed in directories, links to directories are not', async () => {
    folder = testFolder({ 'data/a': '1', 'sub/b.yaml': '2' });
    symlinkSync('data/a', join(folder.path, 'a.yaml'));
    symlinkSync('sub', join(folder.path, 'linked'));
    expect((await read([folder.path], true)).map(([name]) => name)).toEqual(['a.yaml', 'sub/b.yaml']);
  });

  it('a URL is refused with what to do instead', async () => {
    await expect(read(['https://example.test/a.yaml'])).rejects.toMatchObject({
      exit: 2,
      message: 'https://example.test/a.yaml is a URL: only files, directories and standard input are read',
    });
  });

  it('standard input is read only once', async () => {
    await expect(read(['-', '-'])).rejects.toThrow('standard input can be read only once');
  });

  it('the null device is an empty file, other devices are refused', async () => {
    expect(await read(['/dev/null'])).toEqual([['/dev/null', '']]);
    await expect(read(['/dev/zero'])).rejects.toThrow('/dev/zero cannot be read: a device, not a file');
  });

  it('a pipe that is named is read, as of <(…) in a shell; one in a directory is refused', async () => {
    folder = testFolder();
    const pipe = join(folder.path, 'pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    const writer = writeFile(pipe, 'from a pipe');
    expect(await read([pipe])).toEqual([['pipe.yaml', 'from a pipe']]);
    await writer;
    await expect(read([folder.path])).rejects.toThrow('pipe.yaml cannot be read: a named pipe, not a file');
  });

  it('an empty path is a missing file, not the working directory', async () => {
    await expect(read([''])).rejects.toThrow("'' cannot be read: no such file");
  });

  it('a missing file and bytes that are not UTF-8 are refused by name', async () => {
    folder = testFolder();
    const { path } = folder;
    execFileSync('sh', ['-c', `printf '\\377' > "${join(path, 'bytes.yml')}"`]);
    await expect(read([join(path, 'none')])).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('none cannot be read: no such file'),
    });
    await expect(read([join(path, 'bytes.yml')])).rejects.toThrow('bytes.yml cannot be read: it is not UTF-8 text');
  });
});
