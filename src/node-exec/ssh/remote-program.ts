// A command that runs on a node, whoever carries its streams; and waiting for its end.
import type { Readable, Writable } from 'node:stream';
import { ByteCap } from '../byte-cap.ts';
import type { SshFailure } from './ssh-failure.ts';

export interface RemoteProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended. Never rejects. */
  readonly ended: Promise<Ended>;
  /** Lets go of it at once; what runs on the node ends by itself then. */
  drop(): void;
}

export interface Ended {
  readonly exit: number | undefined;
  /** What became of the connection. With an exit code: only if it was not the command that ended with it. */
  readonly failure: SshFailure | undefined;
}

/** What a command printed up to now. */
export interface Collected {
  readonly stdout: ByteCap;
  readonly stderr: ByteCap;
}

/** Collects what it prints, at most `maxBytes` of each stream. */
export function collect(running: Pick<RemoteProcess, 'stdout' | 'stderr'>, maxBytes: number): Collected {
  const [stdout, stderr] = [new ByteCap(maxBytes), new ByteCap(maxBytes)];
  running.stdout.on('data', (bytes: Buffer) => stdout.add(bytes));
  running.stderr.on('data', (bytes: Buffer) => stderr.add(bytes));
  return { stdout, stderr };
}

/**
 * Passes what it prints on, and holds it back while the taker is busy. Resolves when all of it was taken; rejects with
 * what a taker threw.
 */
export async function passOn(stream: Readable, take: (bytes: Uint8Array) => Promise<void> | void): Promise<void> {
  let taking: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    stream.on('data', (bytes: Buffer) => {
      stream.pause();
      taking = (async () => take(bytes))();
      taking.then(() => stream.resume(), reject);
    });
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', resolve);
  });
  await taking;
}
