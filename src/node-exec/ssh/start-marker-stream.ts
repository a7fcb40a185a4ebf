// Takes from a stream what stands before a marker line: banners, and what a login shell prints.
import { Transform, type TransformCallback } from 'node:stream';

/** What is kept of it, in bytes. */
const maxBefore = 64 * 1024;

/** Passes on what stands behind the marker line. */
export class StartMarkerStream extends Transform {
  readonly #marker: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #seen = false;
  #dropped = '';

  constructor(marker: string) {
    super();
    this.#marker = Buffer.from(`${marker}\n`);
  }

  /** The marker was there: what was to be started was started. */
  get seen(): boolean {
    return this.#seen;
  }

  /** What stood before the marker; all that came, as long as it was not seen. */
  get before(): string {
    return this.#dropped + this.#held.toString('utf8');
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#seen) {
      done(null, chunk);
      return;
    }
    const all = Buffer.concat([this.#held, chunk]);
    const at = all.indexOf(this.#marker);
    if (at < 0) {
      // The marker may have begun.
      this.#held = all.length > maxBefore ? all.subarray(all.length - this.#marker.length) : all;
      done();
      return;
    }
    this.#seen = true;
    this.#dropped = all.toString('utf8', 0, at);
    this.#held = Buffer.alloc(0);
    const rest = all.subarray(at + this.#marker.length);
    done(null, rest.length === 0 ? undefined : rest);
  }
}
