// How calicoctl reads the arguments of a command: docopt's rules. Which options there are comes from parser.ts.

export interface DocoptOption {
  readonly name: string;
  readonly short?: string | undefined;
  readonly takesValue: boolean;
  readonly repeatable?: boolean | undefined;
}

export interface Scanned {
  readonly given: Map<string, string[]>;
  readonly args: string[];
  /** True when something was there that no usage allows: an unknown option, or one of them twice. */
  readonly misfit: boolean;
}

/** Arguments that cannot be read at all; the message may be empty. */
export class DocoptError extends Error {}

class Scanner {
  readonly given = new Map<string, string[]>();
  readonly args: string[] = [];
  misfit = false;
  readonly #options: readonly DocoptOption[];
  readonly #rest: string[];

  constructor(argv: readonly string[], options: readonly DocoptOption[]) {
    this.#options = options;
    this.#rest = [...argv];
  }

  scan(optionsFirst: boolean): void {
    for (let token = this.#rest.shift(); token !== undefined; token = this.#rest.shift()) {
      const literal = token === '--' || (optionsFirst && (!token.startsWith('-') || token === '-'));
      if (literal) {
        this.args.push(token, ...this.#rest.splice(0));
      } else if (token.startsWith('--')) {
        this.#long(token);
      } else if (token.startsWith('-') && token !== '-') {
        this.#shorts(token.slice(1));
      } else {
        this.args.push(token);
      }
    }
  }

  #long(token: string): void {
    const equals = token.indexOf('=');
    const text = equals < 0 ? token : token.slice(0, equals);
    const value = equals < 0 ? undefined : token.slice(equals + 1);
    const exact = this.#options.filter(({ name }) => `--${name}` === text);
    const similar = exact.length > 0 ? exact : this.#options.filter(({ name }) => `--${name}`.startsWith(text));
    if (similar.length > 1) {
      throw new DocoptError(`${text} is not a unique prefix: ${similar.map(({ name }) => `--${name}`).join(', ')}?`);
    }
    const [option] = similar;
    if (option === undefined) {
      this.misfit = true;
    } else if (option.takesValue) {
      this.#give(option, value ?? this.#next(`--${option.name}`));
    } else {
      if (value !== undefined) throw new DocoptError(`--${option.name} must not have an argument`);
      this.#give(option);
    }
  }

  #shorts(letters: string): void {
    for (let at = 0; at < letters.length; at++) {
      const option = this.#options.find(({ short }) => short === letters[at]);
      if (option === undefined) {
        this.misfit = true;
      } else if (option.takesValue) {
        const left = letters.slice(at + 1);
        this.#give(option, left === '' ? this.#next(`-${option.short}`) : left);
        return;
      } else {
        this.#give(option);
      }
    }
  }

  #next(shown: string): string {
    const value = this.#rest[0] === '--' ? undefined : this.#rest.shift();
    if (value === undefined) throw new DocoptError(`${shown} requires argument`);
    return value;
  }

  #give(option: DocoptOption, value?: string): void {
    const before = this.given.get(option.name);
    if (before !== undefined && !option.repeatable) this.misfit = true;
    this.given.set(option.name, [...(before ?? []), ...(value === undefined ? [] : [value])]);
  }
}

/**
 * Reads options and arguments; with `optionsFirst` everything from the first argument on is an argument.
 * Errors: DocoptError for an ambiguous prefix, a missing or superfluous value.
 */
export function scan(argv: readonly string[], options: readonly DocoptOption[], optionsFirst = false): Scanned {
  const scanner = new Scanner(argv, options);
  scanner.scan(optionsFirst);
  return scanner;
}
