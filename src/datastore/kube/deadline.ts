// A deadline that can be moved, combined with the caller's signal: a request is aborted by it.
import { setMaxListeners } from 'node:events';

export class Deadline {
  readonly ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(ms: number, outer?: AbortSignal) {
    this.ms = ms;
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

  /** True after a timeout, not when the caller gave up. */
  get isOver(): boolean {
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
    this.#timer = setTimeout(() => {
      this.#over = true;
      this.#controller.abort(new Error('timeout'));
    }, this.ms);
  }

  /** Stops the time until `restart`. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Releases the timer and the caller's signal. */
  end(): void {
    this.pause();
    this.#outer?.removeEventListener('abort', this.#onOuter);
  }
}
