// The progress line: on a terminal's stderr only, gone when the command is done.
import { Writable } from 'node:stream';
import type { SingleBar } from 'cli-progress';
import type { OutputStream } from '../world/world.ts';

/** cli-progress wants a terminal stream of Node's. */
function terminalOver(stream: OutputStream): NodeJS.WritableStream {
  const writable = new Writable({
    decodeStrings: false,
    // Not waited for: what is printed beside the line comes after all of it that was written before.
    write: (text: string, _, done) => {
      void stream.write(text);
      done();
    },
  });
  return Object.assign(writable, { isTTY: true, columns: stream.columns });
}

export class ProgressLine {
  readonly #stream: OutputStream;
  #bar: SingleBar | undefined;
  #loading = false;
  #text = '';
  #stopped = false;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  /** Shows the text in place of the one before. */
  show(text: string): void {
    if (!this.#stream.isTerminal || this.#stopped) return;
    this.#text = text;
    if (this.#bar !== undefined) this.#bar.update(0, { text });
    // Without a progress line the work goes on all the same.
    else if (!this.#loading) this.#start().catch(() => this.stop());
  }

  async #start(): Promise<void> {
    this.#loading = true;
    // A CommonJS package: bundled, its names are on the default export alone.
    const { default: progress } = await import('cli-progress');
    if (this.#stopped) return;
    const stream = terminalOver(this.#stream);
    this.#bar = new progress.SingleBar({
      format: '{text}',
      stream,
      fps: 8,
      clearOnComplete: true,
      hideCursor: null,
      linewrap: true,
    });
    this.#bar.start(1, 0, { text: this.#text });
  }

  /** Takes the line away for good, before anything else is printed. */
  stop(): void {
    this.#stopped = true;
    this.#bar?.stop();
    this.#bar = undefined;
  }

  /** Takes the line away; the next show brings it back. */
  pause(): void {
    this.stop();
    this.#stopped = false;
    this.#loading = false;
  }
}
