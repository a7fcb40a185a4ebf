// From texts on the command line to the input of a command: every value parsed and checked once, and the rules between them.
import { flagName, type Parameter, type Parameters, type Rule } from '../commands/parameters.ts';
import { UsageError } from '../world/errors.ts';

/** Texts by the key of their flag; a switch that is on has none. */
export type GivenFlags = ReadonlyMap<string, readonly string[]>;

interface Taking {
  readonly flags: Parameters;
  readonly args: Parameters;
  readonly rules: readonly Rule[];
}

/** `--dry-run` for a flag, `CIDR` for an argument. */
function shown({ flags, args }: Taking, key: string): string {
  return key in flags ? `--${flagName(key)}` : (args[key]?.spec.placeholder ?? key);
}

/** Errors: UsageError for an empty text and for one that is not a value of this kind. */
async function parsedValue({ spec }: Parameter, text: string, name: string): Promise<unknown> {
  if (text === '' && spec.placeholder !== undefined && !spec.takesEmpty)
    throw new UsageError(`${name} is empty`, spec.hint);
  const value = await spec.parse(text);
  if (value === undefined) throw new UsageError(`invalid ${spec.noun} for ${name}: ${text}`, spec.hint);
  return value;
}

async function inputValue(parameter: Parameter, texts: readonly string[] | undefined, name: string): Promise<unknown> {
  const { spec } = parameter;
  if (spec.placeholder === undefined) return texts !== undefined;
  if (texts === undefined) {
    if (spec.required) throw new UsageError(`${name} is required`, spec.hint);
    if (spec.default !== undefined) return parsedValue(parameter, spec.default, name);
    return spec.repeatable ? [] : undefined;
  }
  if (spec.repeatable) return Promise.all(texts.map((text) => parsedValue(parameter, text, name)));
  const [text = '', ...more] = texts;
  if (more.length > 0) throw new UsageError(`${name} can be given only once`);
  return parsedValue(parameter, text, name);
}

/** The texts of each argument by its key: one each, the rest for a repeatable one. */
function givenArgs(args: Parameters, texts: readonly string[]): GivenFlags {
  const given = new Map<string, readonly string[]>();
  let rest = texts;
  for (const [key, { spec }] of Object.entries(args)) {
    const taken = rest.slice(0, spec.repeatable ? rest.length : 1);
    rest = rest.slice(taken.length);
    if (taken.length > 0) given.set(key, taken);
  }
  return given;
}

function checkRule(taking: Taking, rule: Rule, isGiven: (key: string) => boolean): void {
  const given = rule.keys.filter(isGiven);
  const [first, second] = given.map((key) => shown(taking, key));
  switch (rule.type) {
    case 'exclusive':
      if (rule.unless !== undefined && isGiven(rule.unless)) return;
      if (second !== undefined) throw new UsageError(`${first} and ${second} cannot be used together`, rule.hint);
      return;
    case 'needs':
      if (first !== undefined && !isGiven(rule.needed)) {
        throw new UsageError(`${first} requires ${shown(taking, rule.needed)}`, rule.hint);
      }
      return;
    case 'some':
      if (first === undefined) throw new UsageError(rule.message, rule.hint);
  }
}

/**
 * Parses and checks what was typed; the rules first, in their order.
 * Errors: UsageError for what is not a value of its flag or argument, for what is missing, and for a broken rule.
 */
export async function inputOf(
  taking: Taking,
  flags: GivenFlags,
  argTexts: readonly string[] = [],
): Promise<Readonly<Record<string, unknown>>> {
  const given = new Map([...flags, ...givenArgs(taking.args, argTexts)]);
  for (const rule of taking.rules) checkRule(taking, rule, (key) => given.has(key));
  const all = { ...taking.flags, ...taking.args };
  const values = Object.entries(all).map(
    async ([key, parameter]) => [key, await inputValue(parameter, given.get(key), shown(taking, key))] as const,
  );
  return Object.fromEntries(await Promise.all(values));
}
