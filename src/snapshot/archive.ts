// Writes a .tar.gz whose bytes depend only on its contents: no times, no owners.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export interface Archive {
  file(name: string, contents: string | Buffer): Promise<void>;
  link(name: string, target: string): Promise<void>;
  /** Resolves when everything is written to the file. */
  finish(): Promise<void>;
  /** Resolves when nothing writes to the file any more; the file is incomplete. */
  abandon(): Promise<void>;
}

/** Opens an archive that only its owner may read. Errors of its methods: those of the file system. */
export function openArchive(path: string): Archive {
  const entries = pack();
  const whole = pipeline(entries, createGzip(), createWriteStream(path, { mode: 0o600 }));
  // The methods report it; a failure between two calls must not end the process.
  whole.catch(() => undefined);
  const mtime = new Date(0);
  const added = (header: Pick<Header, 'name'> & Partial<Header>, contents: string | Buffer = ''): Promise<void> =>
    Promise.race([
      new Promise<void>((done, failed) => {
        const entry = entries.entry(header, contents, (error) => (error ? failed(error) : done()));
        // The end of the archive ends its entries, which would end the process.
        entry?.on('error', failed);
      }).catch(async (error: unknown) => {
        // What ended the archive before is the reason, not that it has ended.
        await whole;
        throw error;
      }),
      whole,
    ]);
  return {
    file: (name, contents) => added({ name, mtime, mode: 0o644 }, contents),
    link: (name, target) => added({ name, type: 'symlink', linkname: target, mtime }),
    async finish() {
      entries.finalize();
      await whole;
    },
    async abandon() {
      entries.destroy();
      await whole.catch(() => undefined);
    },
  };
}
