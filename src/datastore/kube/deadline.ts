// A deadline that can be moved, combined with one that cannot and with the caller's signal: a request is aborted by them.
import { setMaxListeners } from 'node:events';

export class Deadline {
  readonly ms: number;
  /** The time of the whole request, which nothing moves; undefined when it has none. */
  readonly limitMs: number | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  readonly #limit: NodeJS.Timeout | undefined;
  #over: 'time' | 'limit' | undefined;

  constructor(ms: number, outer?: AbortSignal, limitMs?: number) {
    this.ms = ms;
    this.limitMs = limitMs;
    if (limitMs !== undefined) this.#limit = setTimeout(() => this.#end('limit'), limitMs);
    this.#outer = outer;
    // Many requests share the program's signal, which is not a leak to warn about.
    if (outer !== undefined) setMaxListeners(0, outer);
    if (outer?.aborted) this.#controller.abort(outer.reason);
    outer?.addEventListener('abort', this.#onOuter);
    this.restart();
  }

  readonly #onOuter = (): void => this.#controller.abort(this.#outer?.reason);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #end(which: 'time' | 'limit'): void {
    this.#over ??= which;
    this.#controller.abort(new Error('timeout'));
  }

  /** Which of the two ended; undefined also when the caller gave up. */
  get over(): 'time' | 'limit' | undefined {
    return this.#over;
  }

  /** Throws the reason of the caller's signal if it was aborted. */
  throwIfGivenUp(): void {
    this.#outer?.throwIfAborted();
  }

  /** Starts the whole time again. */
  restart(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => this.#end('time'), this.ms);
  }

  /** Stops the time until `restart`. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Releases the timers and the caller's signal. */
  end(): void {
    this.pause();
    clearTimeout(this.#limit);
    this.#outer?.removeEventListener('abort', this.#onOuter);
  }
}
