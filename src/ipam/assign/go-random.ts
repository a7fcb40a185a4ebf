// Go's math/rand source, as far as Calico's choice of a first block needs it: the same numbers for the same seed.
// Additive lagged Fibonacci, length 607, tap 273. Rules: docs/reference/ipam.md#block-sequence.
import { goRandomTable } from './go-random-table.ts';

const length = 607;
const tapStart = 273;
const modulus = 2 ** 31 - 1;
const word = (value: bigint): bigint => BigInt.asUintN(64, value);

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

/** A stream of numbers decided by its seed alone. */
export class GoRandom {
  readonly #state = new BigUint64Array(length);
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
      this.#state[at] = word((BigInt(a) << 40n) ^ (BigInt(b) << 20n) ^ BigInt(x) ^ table.getBigUint64(at * 8, true));
    }
  }

  /** 63 bits. */
  int63(): bigint {
    this.#tap = (this.#tap + length - 1) % length;
    this.#feed = (this.#feed + length - 1) % length;
    const next = word((this.#state[this.#feed] as bigint) + (this.#state[this.#tap] as bigint));
    this.#state[this.#feed] = next;
    return next & 0x7fffffffffffffffn;
  }

  uint32(): number {
    return Number(this.int63() >> 31n);
  }

  /** A number below 2^bits, drawn as Go draws a big.Int: bits + 1 of them, again until it is small enough. */
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
