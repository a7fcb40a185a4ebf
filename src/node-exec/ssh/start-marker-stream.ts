// Drops what precedes the marker line of a stream: banners, and output of a login shell.
import { Transform, type TransformCallback } from 'node:stream';

/** How much of that is kept, in bytes. */
const maxBefore = 64 * 1024;

/** Passes on what follows the marker line. */
export class StartMarkerStream extends Transform {
  readonly #marker: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #started = false;
  #dropped = '';

  constructor(marker: string) {
    super();
    this.#marker = Buffer.from(`${marker}\n`);
  }

  /** The marker has arrived, so the command was started. */
  get started(): boolean {
    return this.#started;
  }

  /** What preceded the marker; as long as the marker has not arrived, everything so far. */
  get before(): string {
    return this.#dropped + this.#held.toString('utf8');
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#started) {
      done(null, chunk);
      return;
    }
    const all = Buffer.concat([this.#held, chunk]);
    const at = all.indexOf(this.#marker);
    if (at < 0) {
      // Its end may be the beginning of the marker.
      this.#held = all.length > maxBefore ? all.subarray(all.length - this.#marker.length) : all;
      done();
      return;
    }
    this.#started = true;
    this.#dropped = all.toString('utf8', 0, at);
    this.#held = Buffer.alloc(0);
    const rest = all.subarray(at + this.#marker.length);
    done(null, rest.length === 0 ? undefined : rest);
  }
}
