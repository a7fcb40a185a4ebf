// Keeps the first bytes of a stream and counts the rest, so that a flood costs no memory.

/** Keeps at most `maxBytes`; `truncated` tells that there was more. */
export class ByteCap {
  readonly #max: number;
  readonly #pieces: Buffer[] = [];
  #kept = 0;
  #truncated = false;

  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  add(bytes: Uint8Array): void {
    const room = this.#max - this.#kept;
    if (bytes.length > room) this.#truncated = true;
    if (room <= 0) return;
    const piece = Buffer.from(bytes.subarray(0, room));
    this.#pieces.push(piece);
    this.#kept += piece.length;
  }

  /** What was kept, as UTF-8. */
  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }
}
