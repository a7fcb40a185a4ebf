// Finds equal strings in long lists of long strings, such as the handles of a cluster: hundreds of thousands, of 80
// characters each. A Map hashes every character and waits for memory at each step of a lookup; that was half of a check.

/**
 * A hash of the length and of 16 to 31 characters spread over the string, or all characters of a short one: equal for
 * equal strings, and nearly always different for others.
 */
function hashOf(text: string): number {
  const step = text.length >> 4 || 1;
  let hash = text.length;
  for (let at = text.length - 1; at >= 0; at -= step) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

/** The golden ratio in 32 bits: multiplying by it spreads similar hashes over the slots. */
const spread = 0x9e3779b1;

/** The places of each string in a list. */
export class TextIndex {
  readonly #texts: readonly string[];
  readonly #hashes: Int32Array;
  /** Open addressing by hash: the last place of a string plus one, or 0 if empty. At least half of them are empty. */
  readonly #slots: Int32Array;
  readonly #slotBits: number;
  /** For each place the nearest place before it with an equal string. */
  readonly #previous: Int32Array;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#hashes = hashesOf(texts);
    this.#slotBits = 32 - Math.clz32(texts.length * 2 + 1);
    this.#slots = new Int32Array(2 ** this.#slotBits);
    this.#previous = new Int32Array(texts.length);
    for (let place = 0; place < texts.length; place++) {
      const slot = this.#slotOf(texts[place] as string, this.#hashes[place] as number);
      this.#previous[place] = (this.#slots[slot] as number) - 1;
      this.#slots[slot] = place + 1;
    }
  }

  /** The nearest place before this one with an equal string; -1 when it is the first. */
  previous(place: number): number {
    return this.#previous[place] as number;
  }

  /**
   * For each of the wanted strings its last place in the list; -1 if it is not in the list. Each step is done for all
   * strings before the next one: in loops this short the processor fetches from memory for several strings at once, which
   * takes less than half the time.
   */
  lastPlaces(wanted: readonly string[]): Int32Array {
    const hashes = hashesOf(wanted);
    const places = new Int32Array(wanted.length);
    for (let at = 0; at < places.length; at++) {
      places[at] = (this.#slots[this.#slotOfHash(hashes[at] as number)] as number) - 1;
    }
    const found: (string | undefined)[] = [];
    for (let at = 0; at < places.length; at++) found.push(places[at] === -1 ? undefined : this.#texts[places[at] ?? 0]);
    for (let at = 0; at < places.length; at++) {
      if (found[at] === undefined || found[at] === wanted[at]) continue;
      places[at] = (this.#slots[this.#slotOf(wanted[at] as string, hashes[at] as number)] as number) - 1;
    }
    return places;
  }

  /** The slot of the first string with the hash, which is nearly always the only one; an empty slot if there is none. */
  #slotOfHash(hash: number): number {
    let slot = this.#firstSlot(hash);
    for (let place = this.#slots[slot]; place; place = this.#slots[slot]) {
      if (this.#hashes[place - 1] === hash) break;
      slot = this.#after(slot);
    }
    return slot;
  }

  /** The slot of the string; the empty slot where it belongs if it is not there. */
  #slotOf(text: string, hash: number): number {
    let slot = this.#firstSlot(hash);
    for (let place = this.#slots[slot]; place; place = this.#slots[slot]) {
      if (this.#hashes[place - 1] === hash && this.#texts[place - 1] === text) break;
      slot = this.#after(slot);
    }
    return slot;
  }

  #firstSlot(hash: number): number {
    return Math.imul(hash, spread) >>> (32 - this.#slotBits);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}

function hashesOf(texts: readonly string[]): Int32Array {
  const hashes = new Int32Array(texts.length);
  for (let at = 0; at < hashes.length; at++) hashes[at] = hashOf(texts[at] as string);
  return hashes;
}
