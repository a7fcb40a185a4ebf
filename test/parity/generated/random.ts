// The choices of a generator: the same for the same seed.
import { seeded } from '../../support/clusters/seeded-cluster.ts';

export class Choices {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  /** True in so many of a hundred cases. */
  percent(chance: number): boolean {
    return this.#next() * 100 < chance;
  }

  /** From 0 to one less than `below`. */
  number(below: number): number {
    return Math.floor(this.#next() * below);
  }

  between(least: number, most: number): number {
    return least + this.number(most - least + 1);
  }

  one<T>(all: readonly T[]): T {
    if (all.length === 0) throw new Error('nothing to choose from');
    return all[this.number(all.length)] as T;
  }

  /** Different ones, at most so many, in their order. */
  some<T>(all: readonly T[], most: number): T[] {
    const left = [...all];
    while (left.length > most) left.splice(this.number(left.length), 1);
    return left;
  }

  /** One of the second members, as often as its weight says. */
  weighted<T>(all: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.#next() * all.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of all) {
      at -= weight;
      if (at < 0) return value;
    }
    return this.one(all)[1];
  }
}
