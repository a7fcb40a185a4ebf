// What a command prints, kept up to a limit: the rest is only noticed, so that a flood costs no memory.
import { type CommandResult, defaultMaxBytes, TransportError } from './node-exec.ts';

/** Both streams of one command, each with its own limit. */
export class CapturedOutput {
  readonly #stdout: ByteCap;
  readonly #stderr: ByteCap;
  readonly #maxBytes: number;

  /** At most `maxBytes` of each stream are kept. */
  constructor(maxBytes: number = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
    this.#stdout = new ByteCap(maxBytes);
    this.#stderr = new ByteCap(maxBytes);
  }

  addStdout(bytes: Uint8Array): void {
    this.#stdout.add(bytes);
  }

  addStderr(bytes: Uint8Array): void {
    this.#stderr.add(bytes);
  }

  /** The result of a command that printed this. */
  result(exit: number, durationMs: number): CommandResult {
    return {
      exit,
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      durationMs,
      truncated: this.#stdout.truncated || this.#stderr.truncated,
    };
  }

  /** Why the end of standard output is missing, when it was dropped; undefined when all of it was kept. */
  limitExceeded(where: string): TransportError | undefined {
    if (!this.#stdout.truncated) return undefined;
    return new TransportError('broken', `${where}: output exceeds the limit of ${this.#maxBytes} bytes`, {
      hint: 'Run fewer commands at once.',
    });
  }
}

/** The first `max` bytes of a stream. */
class ByteCap {
  readonly #max: number;
  readonly #pieces: Buffer[] = [];
  #kept = 0;
  /** There was more. */
  truncated = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(bytes: Uint8Array): void {
    const room = this.#max - this.#kept;
    if (bytes.length > room) this.truncated = true;
    if (room <= 0) return;
    const piece = Buffer.from(bytes.subarray(0, room));
    this.#pieces.push(piece);
    this.#kept += piece.length;
  }

  /** What was kept, as UTF-8. */
  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }
}
