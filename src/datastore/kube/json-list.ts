// Splits the JSON of a Kubernetes list into its items while the bytes arrive, without holding or decoding the whole.
// The caller decides what an item means. A list that is broken anywhere ends in a SyntaxError.
import { parseJson } from '../../text/json.ts';
import type { ListMetadata, ListSplitter } from './list-splitter.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const SPACE = 0x20;

/** Everything but the items: kind, apiVersion, metadata. */
const largestEnvelope = 1 << 20;

/**
 * - `envelope`: outside the array of items; these bytes are kept and parsed at the end.
 * - `between`: inside the array, before, between and after items.
 * - `item`: inside an item, from its first brace to its last.
 */
type ScanState = 'envelope' | 'between' | 'item';

export class JsonListSplitter<T> implements ListSplitter<T> {
  readonly #read: (text: string) => T;
  #state: ScanState = 'envelope';
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Whether a comma must come before the next item, or has come, so that an item must follow. */
  #comma: 'first' | 'wanted' | 'seen' = 'first';
  #envelope = '';
  /** The beginning of an item that ends in a later chunk. */
  #begun: Buffer[] = [];

  constructor(read: (text: string) => T) {
    this.#read = read;
  }

  push(chunk: Buffer, items: T[]): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'envelope') at = this.#inEnvelope(chunk, at);
      else if (this.#state === 'between') at = this.#betweenItems(chunk, at);
      else at = this.#inItem(chunk, at, items);
    }
  }

  end(): ListMetadata {
    if (this.#state !== 'envelope') throw new SyntaxError('the list ends in the middle');
    const list = parseJson(this.#envelope) as {
      kind?: unknown;
      items?: unknown;
      metadata?: Record<string, unknown>;
    } | null;
    if (typeof list?.kind !== 'string' || !list.kind.endsWith('List') || !('items' in list)) {
      throw new SyntaxError('not a list');
    }
    const { resourceVersion, continue: token } = list.metadata ?? {};
    return {
      resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
      continueToken: typeof token === 'string' && token !== '' ? token : undefined,
    };
  }

  #inEnvelope(chunk: Buffer, from: number): number {
    let at = from;
    let found = false;
    while (at < chunk.length && !found) {
      const byte = chunk[at++];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        found = byte === OPEN_BRACKET && this.#depth === 1 && this.#keyIsItems(chunk, from, at - 1);
        this.#depth++;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth--;
      }
    }
    this.#envelope += chunk.toString('latin1', from, at);
    if (this.#envelope.length > largestEnvelope) throw new SyntaxError('not a list');
    if (found) this.#state = 'between';
    return at;
  }

  /** Only a key is followed by a colon, so these characters before an array at the top level must be the key. */
  #keyIsItems(chunk: Buffer, from: number, to: number): boolean {
    const before = this.#envelope.slice(-100) + chunk.toString('latin1', from, to).slice(-100);
    return /"items"\s*:\s*$/.test(before);
  }

  #betweenItems(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at] as number;
      if (byte === OPEN_BRACE && this.#comma !== 'wanted') {
        this.#state = 'item';
        return at;
      }
      if (byte === CLOSE_BRACKET && this.#comma !== 'seen') {
        this.#state = 'envelope';
        return at;
      }
      if (byte === COMMA && this.#comma === 'wanted') this.#comma = 'seen';
      else if (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        throw new SyntaxError('the list holds something other than objects');
      }
      at++;
    }
    return at;
  }

  /** The hot loop: it counts braces outside of strings; parsing checks the rest. */
  #inItem(chunk: Buffer, from: number, items: T[]): number {
    const { length } = chunk;
    // The item's first brace is counted from the depth of the list itself, which is 2.
    let depth = this.#depth;
    let inString = this.#inString;
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    while (at < length) {
      if (inString) {
        let byte = chunk[at] as number;
        while (byte !== QUOTE && byte !== BACKSLASH && ++at < length) byte = chunk[at] as number;
        if (at >= length) break;
        at++;
        if (byte === QUOTE) inString = false;
        else if (at < length) at++;
        else this.#escaped = true;
        continue;
      }
      const byte = chunk[at++];
      if (byte === QUOTE) inString = true;
      else if (byte === OPEN_BRACE) depth++;
      else if (byte === CLOSE_BRACE && --depth === 2) {
        this.#depth = depth;
        this.#inString = false;
        this.#state = 'between';
        this.#comma = 'wanted';
        items.push(this.#read(this.#taken(chunk, from, at)));
        return at;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#begun.push(chunk.subarray(from));
    return length;
  }

  #taken(chunk: Buffer, from: number, to: number): string {
    if (this.#begun.length === 0) return chunk.toString('utf8', from, to);
    const whole = Buffer.concat([...this.#begun, chunk.subarray(from, to)]);
    this.#begun = [];
    return whole.toString('utf8');
  }
}
