// Go's math/rand source, as far as Calico's choice of a first block needs it: the same numbers for the same seed.
// Additive lagged Fibonacci, length 607, tap 273. Rules: docs/reference/ipam.md#block-sequence.
import { goRandomTable } from './go-random-table.ts';

const length = 607;
const tapStart = 273;
const modulus = 2 ** 31 - 1;

/** The next number of the generator that fills the state: 48271·x mod 2^31-1. */
function step(x: number): number {
  const next = 48271 * (x % 44488) - 3399 * Math.floor(x / 44488);
  return next < 0 ? next + modulus : next;
}

let decoded: DataView | undefined;

/** The words, decoded once. */
function tableWords(): DataView {
  decoded ??= new DataView(Uint8Array.from(atob(goRandomTable), (letter) => letter.charCodeAt(0)).buffer);
  return decoded;
}

/** A stream of numbers that depends only on its seed. The 64-bit words are kept in halves: filling them as bigints is slow. */
export class GoRandom {
  readonly #high = new Uint32Array(length);
  readonly #low = new Uint32Array(length);
  #tap = 0;
  #feed = length - tapStart;

  constructor(seed: bigint) {
    let x = Number(seed % BigInt(modulus));
    if (x < 0) x += modulus;
    if (x === 0) x = 89482311;
    const table = tableWords();
    for (let discarded = 0; discarded < 20; discarded++) x = step(x);
    for (let at = 0; at < length; at++) {
      const a = step(x);
      const b = step(a);
      x = step(b);
      // a << 40 ^ b << 20 ^ x ^ the word of the table
      this.#high[at] = (a << 8) ^ (b >>> 12) ^ table.getUint32(at * 8 + 4, true);
      this.#low[at] = (b << 20) ^ x ^ table.getUint32(at * 8, true);
    }
  }

  /** 63 bits. */
  int63(): bigint {
    this.#next();
    return (BigInt(this.#halfAt(this.#high) & 0x7fffffff) << 32n) | BigInt(this.#halfAt(this.#low));
  }

  /** The upper 32 of 63 bits. */
  uint32(): number {
    this.#next();
    return ((this.#halfAt(this.#high) << 1) | (this.#halfAt(this.#low) >>> 31)) >>> 0;
  }

  /** Adds the word at the tap to the word at the feed; the sum is the next number. */
  #next(): void {
    this.#tap = (this.#tap + length - 1) % length;
    this.#feed = (this.#feed + length - 1) % length;
    const low = this.#halfAt(this.#low) + (this.#low[this.#tap] as number);
    const carried = low > 0xffffffff ? 1 : 0;
    this.#high[this.#feed] = this.#halfAt(this.#high) + (this.#high[this.#tap] as number) + carried;
    this.#low[this.#feed] = low;
  }

  #halfAt(halves: Uint32Array): number {
    return halves[this.#feed] as number;
  }

  /** A number below 2^bits, drawn as Go draws a big.Int: bits + 1 bits, repeated until the number is small enough. */
  belowPowerOfTwo(bits: number): bigint {
    const words = Math.floor(bits / 64) + 1;
    for (;;) {
      let drawn = 0n;
      for (let at = 0; at < words; at++) {
        const low = this.uint32();
        drawn |= (BigInt(low) | (BigInt(this.uint32()) << 32n)) << BigInt(64 * at);
      }
      drawn = BigInt.asUintN(bits + 1, drawn);
      if (drawn < 1n << BigInt(bits)) return drawn;
    }
  }
}
