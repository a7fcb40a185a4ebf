// Reads JSON token by token: exact integers and exact positions of errors, at half the speed of JSON.parse.
// json.ts uses it for invalid JSON and for the rare text in which it cannot mark integers.
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [key: string]: JsonValue };

/** Invalid JSON: where, and what is wrong. */
export class JsonSyntaxError extends SyntaxError {
  /** Offset in UTF-16 units, from 0. `line` and `column` count from 1. */
  readonly position: number;
  readonly line: number;
  readonly column: number;

  constructor(text: string, position: number, problem: string) {
    const before = text.slice(0, position);
    const line = before.split('\n').length;
    const column = position - before.lastIndexOf('\n');
    super(`${problem} at position ${position} (line ${line} column ${column})`);
    this.name = 'SyntaxError';
    this.position = position;
    this.line = line;
    this.column = column;
  }
}

const MAX_DEPTH = 1000;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** Reads one text once. Errors: JsonSyntaxError. */
export class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonValue {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) this.#unexpected('the end');
    return value;
  }

  #fail(problem: string, position = this.#at): never {
    throw new JsonSyntaxError(this.#text, position, problem);
  }

  #unexpected(expected: string): never {
    const character = this.#text.codePointAt(this.#at);
    if (character === undefined) this.#fail(`unexpected end of JSON, expected ${expected}`);
    this.#fail(`unexpected character ${JSON.stringify(String.fromCodePoint(character))} in JSON, expected ${expected}`);
  }

  /** Skips white space and returns the code of the next character, NaN at the end. */
  #space(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.#at++;
    }
  }

  #value(depth: number): JsonValue {
    const code = this.#space();
    if (code === 34) return this.#string();
    if (code === 45 || (code >= 48 && code <= 57)) return this.#number();
    if (code === 123 || code === 91) {
      if (depth === MAX_DEPTH) this.#fail(`JSON is nested deeper than ${MAX_DEPTH}`);
      this.#at++;
      return code === 123 ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    for (const [word, value] of LITERALS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#unexpected('a value');
  }

  #object(depth: number): JsonValue {
    const object: { [key: string]: JsonValue } = {};
    if (this.#space() === 125) {
      this.#at++;
      return object;
    }
    for (;;) {
      if (this.#space() !== 34) this.#unexpected('a key in double quotes');
      const key = this.#string();
      if (this.#space() !== 58) this.#unexpected('":"');
      this.#at++;
      setOwn(object, key, this.#value(depth));
      const code = this.#space();
      if (code !== 44 && code !== 125) this.#unexpected('"," or "}"');
      this.#at++;
      if (code === 125) return object;
    }
  }

  #array(depth: number): JsonValue {
    const array: JsonValue[] = [];
    if (this.#space() === 93) {
      this.#at++;
      return array;
    }
    for (;;) {
      array.push(this.#value(depth));
      const code = this.#space();
      if (code !== 44 && code !== 93) this.#unexpected('"," or "]"');
      this.#at++;
      if (code === 93) return array;
    }
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    if (match === null) {
      this.#at++;
      return this.#unexpected('a digit');
    }
    this.#at += match[0].length;
    const value = Number(match[0]);
    const whole = match[1] === undefined && match[2] === undefined;
    return whole && !Number.isSafeInteger(value) ? BigInt(match[0]) : value;
  }

  #string(): string {
    const start = this.#at;
    let escaped = false;
    for (let at = start + 1; ; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 34) {
        this.#at = at + 1;
        if (!escaped) return this.#text.slice(start + 1, at);
        return JSON.parse(this.#text.slice(start, at + 1)) as string;
      }
      if (code === 92) {
        if (!/^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(this.#text.slice(at, at + 6))) {
          this.#fail('invalid escape in a JSON string', at);
        }
        escaped = true;
        at++;
      } else if (!(code >= 32)) {
        this.#fail(at < this.#text.length ? 'control character in a JSON string' : 'unterminated JSON string', at);
      }
    }
  }
}

/** Sets an own property of any name: `__proto__` is a key like any other. */
export function setOwn(object: { [key: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
