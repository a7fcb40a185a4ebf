// A command that runs on a node, whichever program carries its streams.
import type { Readable, Writable } from 'node:stream';
import type { SshFailure } from './ssh-failure.ts';

export interface RemoteProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How it ended. Never rejects. */
  readonly ended: Promise<RemoteEnd>;
  /** Closes the connection to it at once; on the node the command then ends by itself. */
  drop(): void;
}

export interface RemoteEnd {
  readonly exit: number | undefined;
  /** What happened to the connection. Together with an exit code: only if it was not the command that exited with it. */
  readonly failure: SshFailure | undefined;
}

/**
 * Passes the stream on, and pauses it while the receiver is busy. Resolves when everything was received; rejects with
 * what the receiver threw.
 */
export async function passOn(stream: Readable, receive: (bytes: Uint8Array) => Promise<void> | void): Promise<void> {
  let receiving: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    stream.on('data', (bytes: Buffer) => {
      stream.pause();
      receiving = (async () => receive(bytes))();
      receiving.then(() => stream.resume(), reject);
    });
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', resolve);
  });
  await receiving;
}
