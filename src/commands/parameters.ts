// What commands take: flags and arguments as typed data, and the rules between them. Parsing is in cli/, which checks
// every value once, before a command runs.

/** One flag or argument: `Value` is what the command gets, `One` what a single text on the command line becomes. */
export class Parameter<Value = unknown, One = unknown> {
  readonly spec: ParameterSpec<One>;
  /** Only for the compiler: which type the input has. */
  declare readonly value: Value;

  constructor(spec: ParameterSpec<One>) {
    this.spec = spec;
  }

  /** A flag with one letter, without its dash. */
  short(letter: string): Parameter<Value, One> {
    return new Parameter({ ...this.spec, short: letter });
  }

  /** A flag that may be given several times, or an argument that takes all that follow. */
  repeatable(): Parameter<readonly One[], One> {
    return new Parameter({ ...this.spec, repeatable: true });
  }

  /** What holds when nothing is given, as a user would type it. */
  default(text: string): Parameter<One, One> {
    return new Parameter({ ...this.spec, default: text });
  }

  /** Without it the command line is wrong. */
  required(): Parameter<One, One> {
    return new Parameter({ ...this.spec, required: true });
  }

  /** Takes an empty text too, like arguments that are passed on to a program. */
  orEmpty(): Parameter<Value, One> {
    return new Parameter({ ...this.spec, takesEmpty: true });
  }

  /** A flag without its letter. */
  withoutShort(): Parameter<Value, One> {
    const { short: _, ...spec } = this.spec;
    return new Parameter(spec);
  }

  /** The same with other words about it. */
  about(about: string): Parameter<Value, One> {
    return new Parameter({ ...this.spec, about });
  }
}

export interface ParameterSpec<One = unknown> {
  /** Word shown for the value (`FILE`); absent for a switch. */
  readonly placeholder?: string;
  readonly about: string;
  readonly short?: string;
  readonly repeatable?: boolean;
  readonly required?: boolean;
  /** An empty text is a value; else it is refused. */
  readonly takesEmpty?: boolean;
  readonly default?: string;
  /** The only values accepted, when they are few. */
  readonly choices?: readonly string[];
  /** Values that completion offers, when others are accepted too. */
  readonly suggests?: readonly string[];
  /** For `invalid duration for --grace: X`. */
  readonly noun: string;
  /** What a value looks like, for the hint of that error. */
  readonly hint: string;
  /** Returns the value, or undefined for a text that is not one. Errors: UsageError with a reason of its own. */
  readonly parse: (text: string) => One | undefined | Promise<One | undefined>;
}

export type Parameters = Readonly<Record<string, Parameter>>;

/** What a command gets: one property per flag and argument, parsed and checked. */
export type InputOf<Flags extends Parameters, Args extends Parameters = Record<never, never>> = {
  readonly [Key in keyof Flags]: Flags[Key]['value'];
} & { readonly [Key in keyof Args]: Args[Key]['value'] };

/** `dryRun` is typed as `--dry-run`. */
export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** How to describe a value of one's own kind: with its noun, and what it looks like. */
type ParsedSpec<One> = Pick<ParameterSpec<One>, 'noun' | 'hint' | 'parse' | 'suggests'>;

export interface CountRange {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number written in digits, within the range (1 to 2^31-1 when it says nothing else). */
function countSpec({ min = 1, max = 2 ** 31 - 1 }: CountRange): ParsedSpec<number> {
  return {
    noun: 'number',
    hint: max === 2 ** 31 - 1 ? `use ${min} or a larger whole number` : `use a number from ${min} to ${max}`,
    parse: (text) => {
      const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      return count >= min && count <= max ? count : undefined;
    },
  };
}

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

function parsePod(text: string): PodName | undefined {
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function parsePair(text: string): readonly [key: string, value: string] | undefined {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  return key === undefined || value === undefined ? undefined : [key, value];
}

/** Values of every kind, for flags and arguments alike. */
const values = {
  text: (placeholder: string, about: string): Parameter<string | undefined, string> =>
    values.parsed(placeholder, about, { noun: 'value', hint: `specify a ${placeholder}`, parse: (text) => text }),

  choice: <Choice extends string>(
    placeholder: string,
    choices: readonly Choice[],
    about: string,
  ): Parameter<Choice | undefined, Choice> =>
    new Parameter({
      placeholder,
      about,
      choices,
      noun: 'value',
      hint: `use one of ${choices.join(', ')}`,
      parse: (text) => choices.find((choice) => choice === text),
    }),

  count: (placeholder: string, about: string, range: CountRange = {}): Parameter<number | undefined, number> =>
    values.parsed(placeholder, about, countSpec(range)),

  pod: (about: string): Parameter<PodName | undefined, PodName> =>
    values.parsed('NAMESPACE/NAME', about, { noun: 'pod', hint: 'write it as NAMESPACE/NAME', parse: parsePod }),

  /** An address, in its canonical form. */
  ip: (about: string): Parameter<string | undefined, string> =>
    values.parsed('IP', about, {
      noun: 'IP address',
      hint: 'write it without a prefix length, like 10.60.0.1 or fd00::1',
      parse: async (text) => {
        const { canonicalIp } = await import('../net/ip.ts');
        return canonicalIp(text);
      },
    }),

  pair: (
    placeholder: string,
    about: string,
  ): Parameter<readonly [string, string] | undefined, readonly [string, string]> =>
    values.parsed(placeholder, about, { noun: 'value', hint: `write it as ${placeholder}`, parse: parsePair }),

  /** A duration in milliseconds, written as Go writes it. `min` is 0 or 1 ms. */
  duration: (about: string, { min = 0 }: { min?: 0 | 1 } = {}): Parameter<number | undefined, number> =>
    values.parsed('DURATION', about, {
      noun: 'duration',
      hint: min === 0 ? 'use a duration such as 15m, 90s or 0' : 'use a duration such as 10s or 1m',
      parse: async (text) => {
        const { parseGoDuration } = await import('../text/go-duration.ts');
        const ms = parseGoDuration(text);
        return ms === undefined || ms < min ? undefined : ms;
      },
    }),

  /** A value with a parser of its own. */
  parsed: <One>(placeholder: string, about: string, spec: ParsedSpec<One>): Parameter<One | undefined, One> =>
    new Parameter({ ...spec, placeholder, about }),
};

/** Flags; the name is the key that the command gives it, in kebab case. */
export const flag = {
  ...values,
  /** A switch: false unless it is given. */
  on: (about: string): Parameter<boolean, boolean> =>
    new Parameter({ about, noun: 'value', hint: 'it takes no value', parse: () => true }),
};

/** Arguments, in the order of the object's keys; shown by their placeholder. */
export const arg = values;

/** What holds between the flags and arguments of a command, by their keys. */
export type Rule<Key extends string = string> =
  | { readonly type: 'exclusive'; readonly keys: readonly Key[]; readonly hint: string; readonly unless?: Key }
  | { readonly type: 'needs'; readonly keys: readonly Key[]; readonly needed: Key; readonly hint: string }
  | { readonly type: 'some'; readonly keys: readonly Key[]; readonly message: string; readonly hint: string };

/** At most one of them: `--ip and --pool cannot be used together`; any number with the flag `unless`. */
export function exclusive<const Key extends string>(keys: readonly Key[], hint: string, unless?: Key): Rule<Key> {
  return { type: 'exclusive', keys, hint, ...(unless === undefined ? {} : { unless }) };
}

/** Each of them only together with another one: `--dry-run requires --fix`. */
export function needs<const Key extends string>(keys: readonly Key[], needed: Key, hint: string): Rule<Key> {
  return { type: 'needs', keys, needed, hint };
}

/** At least one of them, else the message. */
export function some<const Key extends string>(keys: readonly Key[], message: string, hint: string): Rule<Key> {
  return { type: 'some', keys, message, hint };
}
