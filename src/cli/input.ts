// What was typed, as commands read it.
import type { Input } from '../commands/command.ts';

/** Values of flags that were given, by long name; a boolean flag that is on has no values. */
export type FlagValues = ReadonlyMap<string, readonly string[]>;

export class ParsedInput implements Input {
  readonly args: readonly string[];
  readonly #values: FlagValues;
  readonly #defaults: ReadonlyMap<string, string>;

  constructor(args: readonly string[], values: FlagValues, defaults: ReadonlyMap<string, string>) {
    this.args = args;
    this.#values = values;
    this.#defaults = defaults;
  }

  text(flag: string): string | undefined {
    return this.#values.get(flag)?.at(-1) ?? this.#defaults.get(flag);
  }

  texts(flag: string): readonly string[] {
    const standard = this.#defaults.get(flag);
    return this.#values.get(flag) ?? (standard === undefined ? [] : [standard]);
  }

  on(flag: string): boolean {
    return this.#values.has(flag);
  }
}
