// A map of lists for keys that nearly always have one value: no list is kept for those.

/** Several values per key. Keys are iterated in the order in which they were added. */
export class MultiMap<K, V> {
  readonly #first = new Map<K, V>();
  /** All values of the keys that have several. */
  readonly #lists = new Map<K, V[]>();

  add(key: K, value: V): void {
    const first = this.#first.get(key);
    if (first === undefined) {
      this.#first.set(key, value);
      return;
    }
    const list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, [first, value]);
    else list.push(value);
  }

  has(key: K): boolean {
    return this.#first.has(key);
  }

  /** The values of the key in the order in which they were added; empty for an unknown key. */
  get(key: K): readonly V[] {
    const first = this.#first.get(key);
    return first === undefined ? [] : this.#listOf(key, first);
  }

  *entries(): Generator<readonly [K, readonly V[]]> {
    for (const [key, first] of this.#first) yield [key, this.#listOf(key, first)];
  }

  #listOf(key: K, first: V): readonly V[] {
    return (this.#lists.size > 0 ? this.#lists.get(key) : undefined) ?? [first];
  }
}
