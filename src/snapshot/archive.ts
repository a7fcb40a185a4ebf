// Writes a .tar.gz whose bytes depend on what is put into it only: no times, no owners.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

export interface Archive {
  file(name: string, contents: string | Buffer): Promise<void>;
  link(name: string, target: string): void;
  /** Resolves when all of it is in the file. */
  finish(): Promise<void>;
  /** Resolves when the file is written to no more; what is in it is not whole. */
  abandon(): Promise<void>;
}

/** Opens an archive that only we may read. Errors, of its methods: those of the file system. */
export function openArchive(path: string): Archive {
  const entries = pack();
  const whole = pipeline(entries, createGzip(), createWriteStream(path, { mode: 0o600 }));
  // Said by the methods; a failure between them must not end the process.
  whole.catch(() => undefined);
  const mtime = new Date(0);
  return {
    file: (name, contents) =>
      Promise.race([
        new Promise<void>((done, failed) => {
          entries.entry({ name, mtime, mode: 0o644 }, contents, (error) => (error ? failed(error) : done()));
        }),
        whole,
      ]),
    link(name, target) {
      entries.entry({ name, type: 'symlink', linkname: target, mtime });
    },
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
