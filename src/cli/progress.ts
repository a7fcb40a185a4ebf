// The progress line: on a terminal's stderr only, gone when the command is done.
import { printable } from '../output/printable.ts';
import type { Progress, Steps } from '../world/progress.ts';
import type { Clock, OutputStream } from '../world/world.ts';

const drawEveryMs = 200;
const barWidth = 24;
/** With fewer steps done, how long the rest takes is a guess. */
const leastForEstimate = 10;
const eraseLine = '\r\u001b[K';
/** Bytes pass the guard that takes such sequences out of texts. */
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** `[=======>        ]`: how much of it is done. */
function bar(done: number, total: number): string {
  const filled = Math.floor((barWidth * Math.min(done, total)) / total);
  const head = filled < barWidth ? `${'='.repeat(filled)}>` : '='.repeat(barWidth);
  return `[${head.slice(0, barWidth).padEnd(barWidth)}]`;
}

/** What is being done, how much of it, and how long the rest takes at the speed so far. */
export function progressText(text: string, steps: Steps | undefined, elapsedMs: number): string {
  if (steps === undefined) return text;
  const { done, total, unit, detail } = steps;
  const more = detail === undefined ? '' : `, ${detail}`;
  if (total === undefined || total === 0) return `${text}  ${done} ${unit}${more}`;
  const shown = `${text}  ${bar(done, total)}  ${done} of ${total} ${unit}${more}`;
  if (done < leastForEstimate || done >= total) return shown;
  const seconds = Math.ceil((elapsedMs * (total - done)) / done / 1000);
  return `${shown}, ${seconds < 120 ? `${seconds}s` : `${Math.ceil(seconds / 60)}m`} left`;
}

/** Draws the latest progress a few times a second, so that what takes no time shows nothing. */
export class ProgressLine {
  readonly #stream: OutputStream;
  readonly #clock: Clock;
  #latest: { readonly text: string; readonly steps: Steps | undefined } = { text: '', steps: undefined };
  /** When what `#latest` says began. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #drawn = '';
  #stopped = false;
  /** What something waits for, shown in place of `#latest`, and how many wait. */
  #waiting = '';
  #waiters = 0;

  constructor(stream: OutputStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  /** Shows this in place of what was shown before. */
  readonly show: Progress = (text, steps) => {
    if (!this.#stream.isTerminal || this.#stopped) return;
    if (text !== this.#latest.text || this.#timer === undefined) this.#since = this.#clock.now().getTime();
    this.#latest = { text, steps };
    this.#start();
  };

  /** Shows what a part of the command waits for, until it calls again without a text. */
  wait(what: string | undefined): void {
    if (!this.#stream.isTerminal || this.#stopped) return;
    this.#waiters += what === undefined ? -1 : 1;
    if (what !== undefined) this.#waiting = what;
    this.#start();
  }

  #start(): void {
    // Nothing waits for it: it ends with the process.
    this.#timer ??= setInterval(() => this.#draw(), drawEveryMs).unref();
  }

  #draw(): void {
    const { text, steps } = this.#latest;
    const elapsedMs = this.#clock.now().getTime() - this.#since;
    const shown = this.#waiters > 0 ? this.#waiting : progressText(text, steps, elapsedMs);
    const line = printable(shown).slice(0, this.#stream.columns - 1);
    if (line === this.#drawn) return;
    this.#drawn = line;
    // No need to wait: what is printed next comes after all that was written before.
    void this.#stream.write(bytes(eraseLine + line));
  }

  /** Takes the line away; the next `show` brings it back. */
  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#drawn !== '') void this.#stream.write(bytes(eraseLine));
    this.#drawn = '';
  }

  /** Takes the line away for good, before anything else is printed. */
  stop(): void {
    this.pause();
    this.#stopped = true;
  }
}
