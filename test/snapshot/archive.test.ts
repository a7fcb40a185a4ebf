// Writing archives where there is no room: the error is the reason, whatever is added afterwards.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openArchive } from '../../src/snapshot/archive.ts';

it('an archive on a full disk fails with the reason, for files and links, at once and later', async () => {
  const archive = openArchive('/dev/full');
  const add = async (): Promise<void> => {
    // Random bytes, because nothing is written while compressed bytes fit into a buffer.
    for (let index = 0; index < 20; index += 1) await archive.file(`f${index}`, randomBytes(1 << 20));
  };
  await expect(add()).rejects.toThrow('ENOSPC');
  await expect(archive.file('more', 'text')).rejects.toThrow('ENOSPC');
  await expect(archive.link('link', 'target')).rejects.toThrow('ENOSPC');
  await expect(archive.finish()).rejects.toThrow('ENOSPC');
  await archive.abandon();
});

it('an archive in a place that cannot be written fails with the reason', async () => {
  const archive = openArchive('/proc/archive.tgz');
  await expect(archive.file('a', 'text').then(() => archive.finish())).rejects.toThrow('ENOENT');
  await archive.abandon();
});
