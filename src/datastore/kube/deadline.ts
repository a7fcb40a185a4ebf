// A deadline that can be moved, joined with the caller's own signal: what a request is aborted by.

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
    // Many requests share the signal of the program; that is no leak to warn of.
    if (outer !== undefined) setMaxListeners(0, outer);
    if (outer?.aborted) this.#controller.abort(outer.reason);
    outer?.addEventListener('abort', this.#onOuter);
    this.restart();
  }

  readonly #onOuter = (): void => this.#controller.abort(this.#outer?.reason);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time was up, not when the caller gave up. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Throws the caller's reason when the caller gave up. */
  throwIfGivenUp(): void {
    this.#outer?.throwIfAborted();
  }

  /** The whole time again from now. */
  restart(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#over = true;
      this.#controller.abort(new Error('the time is up'));
    }, this.ms);
  }

  /** No time passes until `restart`. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Lets go of the timer and of the caller's signal. */
  end(): void {
    this.pause();
    this.#outer?.removeEventListener('abort', this.#onOuter);
  }
}
