// Files that a person names: regular files and pipes are read to their end, anything else is refused, nothing waits for ever.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readInputFile } from '../../src/files/input-file.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-input-'));
  path = join(folder, 'input');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = async (file: string, maxBytes = 1000, signal = new AbortController().signal): Promise<string> =>
  (await readInputFile(file, maxBytes, signal)).toString();

it('an input file is read to its end, also below /proc, where its size is unknown', async () => {
  writeFileSync(path, 'spec: {}\n');
  expect(await read(path)).toBe('spec: {}\n');
  expect(await read('/proc/self/comm')).toMatch(/^\w.*\n$/);
});

it('the null device as an input file is empty', async () => {
  expect(await read('/dev/null')).toBe('');
});

it('an input file that is something else is refused by name', async () => {
  const socket = join(folder, 'socket');
  const server = createServer().listen(socket);
  await once(server, 'listening');
  await expect(read(socket)).rejects.toThrow('a socket, not a file');
  server.close();
  await expect(read(folder)).rejects.toThrow('a directory, not a file');
  await expect(read('/dev/zero')).rejects.toThrow('a device, not a file');
  await expect(read(join(folder, 'nothing'))).rejects.toThrow('ENOENT');
});

it('an input file beyond the limit is refused, whatever its size says', async () => {
  writeFileSync(path, '');
  truncateSync(path, 2 ** 40);
  await expect(read(path)).rejects.toThrow('too large: more than 1000 bytes');
  await expect(read('/proc/self/environ', 1)).rejects.toThrow('too large');
});

it('a pipe as an input file is read to its end, however slowly it is written', async () => {
  execFileSync('mkfifo', [path]);
  const writer = execFile('sh', ['-c', 'exec > "$0"; sleep 0.2; echo one; sleep 0.2; echo two', path]);
  expect(await read(path)).toBe('one\ntwo\n');
  expect(writer.pid).toBeGreaterThan(0);
});

it('a pipe as an input file is refused when it holds more than the limit', async () => {
  execFileSync('mkfifo', [path]);
  execFile('sh', ['-c', 'exec > "$0"; yes', path]);
  await expect(read(path, 1 << 20)).rejects.toThrow('too large: more than 1 MiB');
});

it('a pipe that nobody writes into is refused after five seconds', async () => {
  execFileSync('mkfifo', [path]);
  const begin = performance.now();
  await expect(read(path)).rejects.toThrow('a named pipe that no program writes to');
  expect(performance.now() - begin).toBeGreaterThan(4000);
}, 30_000);

it('a pipe whose writer is silent is left at once by a signal', async () => {
  execFileSync('mkfifo', [path]);
  const writer = openSync(path, constants.O_RDWR);
  const interruption = new AbortController();
  const reading = read(path, 1000, interruption.signal);
  writeSync(writer, 'half');
  await new Promise((wait) => setTimeout(wait, 200));
  const begin = performance.now();
  interruption.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
  expect(performance.now() - begin).toBeLessThan(500);
  closeSync(writer);
});
