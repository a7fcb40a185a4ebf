// Finds equal texts in long lists of long texts, such as the handles of a cluster: hundreds of thousands, of 80 characters.
// A Map hashes every character of each, and waits for the memory at each step of each look-up: that was half of a check.

/**
 * Equal for equal texts, and nearly always different for others. Looks at the length, and at 16 to 31 characters, spread
 * over the text; at all of a short one.
 */
function markOf(text: string): number {
  const step = text.length >> 4 || 1;
  let mark = text.length;
  for (let at = text.length - 1; at >= 0; at -= step) mark = (Math.imul(mark, 31) + text.charCodeAt(at)) | 0;
  return mark;
}

/** The golden ratio in 32 bits: multiplied by it, marks that lie together are spread over the slots. */
const spread = 0x9e3779b1;

/** Tells at which places of a list a text stands. */
export class TextIndex {
  readonly #texts: readonly string[];
  readonly #marks: Int32Array;
  /** Open addressing by marks: the last place of a text, plus one; 0 where nothing is. At least half of them are empty. */
  readonly #slots: Int32Array;
  readonly #slotBits: number;
  /** Of each place the nearest before it with an equal text. */
  readonly #previous: Int32Array;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#marks = marksOf(texts);
    this.#slotBits = 32 - Math.clz32(texts.length * 2 + 1);
    this.#slots = new Int32Array(2 ** this.#slotBits);
    this.#previous = new Int32Array(texts.length);
    for (let place = 0; place < texts.length; place++) {
      const slot = this.#slotOf(texts[place] as string, this.#marks[place] as number);
      this.#previous[place] = (this.#slots[slot] as number) - 1;
      this.#slots[slot] = place + 1;
    }
  }

  /** The nearest place before this one with an equal text; -1 when it is the first. */
  previous(place: number): number {
    return this.#previous[place] as number;
  }

  /**
   * For each of the wanted texts its last place in the list; -1 when it is not in it. Step by step for all of them and
   * not text by text: in loops so short the processor fetches from memory for several texts at once, which more than
   * halves the time.
   */
  lastPlaces(wanted: readonly string[]): Int32Array {
    const marks = marksOf(wanted);
    const places = new Int32Array(wanted.length);
    for (let at = 0; at < places.length; at++) {
      places[at] = (this.#slots[this.#slotOfMark(marks[at] as number)] as number) - 1;
    }
    const found: (string | undefined)[] = [];
    for (let at = 0; at < places.length; at++) found.push(places[at] === -1 ? undefined : this.#texts[places[at] ?? 0]);
    for (let at = 0; at < places.length; at++) {
      if (found[at] === undefined || found[at] === wanted[at]) continue;
      places[at] = (this.#slots[this.#slotOf(wanted[at] as string, marks[at] as number)] as number) - 1;
    }
    return places;
  }

  /** The slot of the first text with the mark, which nearly always is the only one; an empty slot when there is none. */
  #slotOfMark(mark: number): number {
    let slot = this.#firstSlot(mark);
    for (let place = this.#slots[slot]; place; place = this.#slots[slot]) {
      if (this.#marks[place - 1] === mark) break;
      slot = this.#after(slot);
    }
    return slot;
  }

  /** The slot of the text; the empty one where it belongs when it is not there. */
  #slotOf(text: string, mark: number): number {
    let slot = this.#firstSlot(mark);
    for (let place = this.#slots[slot]; place; place = this.#slots[slot]) {
      if (this.#marks[place - 1] === mark && this.#texts[place - 1] === text) break;
      slot = this.#after(slot);
    }
    return slot;
  }

  #firstSlot(mark: number): number {
    return Math.imul(mark, spread) >>> (32 - this.#slotBits);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}

function marksOf(texts: readonly string[]): Int32Array {
  const marks = new Int32Array(texts.length);
  for (let at = 0; at < marks.length; at++) marks[at] = markOf(texts[at] as string);
  return marks;
}
