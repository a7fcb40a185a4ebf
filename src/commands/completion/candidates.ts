// What can follow on a command line that is not finished: pure, the register in, candidates out.
import type { Command } from '../command.ts';
import { flagName, type Parameter, type Parameters } from '../parameters.ts';
import type { CommandGroup } from '../tree.ts';
import {
  type Candidate,
  type Candidates,
  type ContextSource,
  type NameSource,
  nothing,
  type Typed,
  valuesOf,
} from './values.ts';

export interface Register {
  readonly commands: readonly Command[];
  readonly groups: readonly CommandGroup[];
  readonly globalFlags: Parameters;
}

type Path = readonly string[];

const begins = (whole: Path, part: Path): boolean => part.every((word, i) => word === whole[i]);

/** A command line as far as it was typed. */
class Line {
  path: Path = [];
  readonly args: string[] = [];
  /** Texts by the key of their flag. */
  readonly given = new Map<string, string[]>();
  /** The flag that waits for its value. */
  pending: readonly [key: string, flag: Parameter] | undefined;
  /** After `--` nothing is a flag. */
  isPlain = false;
  readonly #register: Register;

  constructor(register: Register, words: readonly string[]) {
    this.#register = register;
    for (const word of words) this.#take(word);
  }

  get command(): Command | undefined {
    return this.#register.commands.find(({ path }) => path.join(' ') === this.path.join(' '));
  }

  /** A command's own flags come before global ones of the same name or letter. */
  get flags(): Parameters {
    const own = this.command?.flags ?? {};
    return {
      ...own,
      ...Object.fromEntries(Object.entries(this.#register.globalFlags).filter(([key]) => !(key in own))),
    };
  }

  flagNamed(name: string): readonly [key: string, flag: Parameter] | undefined {
    return Object.entries(this.flags).find(([key]) => flagName(key) === name);
  }

  /** Commands and groups whose path begins with these words. */
  #isPath(path: Path): boolean {
    const { commands, groups } = this.#register;
    return [...commands, ...groups].some((one) => begins(one.path, path));
  }

  #give(key: string, text: string): void {
    this.given.set(key, [...(this.given.get(key) ?? []), text]);
  }

  #take(word: string): void {
    if (this.pending !== undefined) {
      this.#give(this.pending[0], word);
      this.pending = undefined;
    } else if (word === '--' && !this.isPlain) this.isPlain = true;
    else if (word.startsWith('--') && !this.isPlain) this.#takeFlag(word.slice(2));
    else if (/^-[^-]/.test(word) && !this.isPlain) this.#takeLetters(word.slice(1));
    else if (word === 'help' && this.path.length === 0) return;
    else if (this.args.length === 0 && this.#isPath([...this.path, word])) this.path = [...this.path, word];
    else this.args.push(word);
  }

  #takeFlag(text: string): void {
    const [, name = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const found = this.flagNamed(name);
    if (found === undefined) return;
    if (value !== undefined) this.#give(found[0], value);
    else if (found[1].spec.placeholder === undefined) this.#give(found[0], '');
    else this.pending = found;
  }

  #takeLetters(letters: string): void {
    const found = Object.entries(this.flags).find(([, { spec }]) => spec.short === letters[0]);
    if (found === undefined) return;
    const rest = letters.slice(1);
    if (found[1].spec.placeholder === undefined) {
      this.#give(found[0], '');
      if (rest !== '') this.#takeLetters(rest);
    } else if (rest === '') this.pending = found;
    else this.#give(found[0], rest.replace(/^=/, ''));
  }

  /** The words that can follow the path. */
  nextWords(): Candidate[] {
    const { commands, groups } = this.#register;
    const depth = this.path.length;
    return [...groups, ...commands].flatMap(({ path, summary }) =>
      path.length === depth + 1 && begins(path, this.path) ? { word: path[depth] ?? '', about: summary } : [],
    );
  }

  /** The argument that comes next; undefined when all are given. */
  get nextArgument(): Parameter | undefined {
    const all = Object.values(this.command?.args ?? {});
    const last = all.at(-1);
    return all[this.args.length] ?? (last?.spec.repeatable ? last : undefined);
  }

  get typedKind(): string | undefined {
    const position = Object.values(this.command?.args ?? {}).findIndex(({ spec }) => spec.placeholder === 'KIND');
    return this.args[position];
  }
}

function flagCandidates(line: Line): Candidate[] {
  const open = Object.entries(line.flags).filter(([key, { spec }]) => spec.repeatable || !line.given.has(key));
  const help = { word: '--help', about: 'show this help' };
  return [...open.map(([key, { spec }]) => ({ word: `--${flagName(key)}`, about: spec.about })), help];
}

async function openCandidates(line: Line, current: string, typed: Typed): Promise<Candidates> {
  if (line.pending !== undefined) return flagValues(line.pending[1], current, typed);
  if (!line.isPlain) {
    const [, name = '', value] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
    if (value !== undefined) {
      const found = line.flagNamed(name)?.[1];
      if (found === undefined) return nothing;
      const { candidates, files } = await flagValues(found, value, typed);
      return { candidates: candidates.map((one) => ({ ...one, word: `--${name}=${one.word}` })), files };
    }
    if (current.startsWith('-')) return { candidates: flagCandidates(line), files: false };
  }
  const next = line.args.length === 0 ? line.nextWords() : [];
  const values = line.nextArgument === undefined ? nothing : await valuesOf(line.nextArgument.spec, current, typed);
  return { candidates: [...next, ...values.candidates], files: values.files };
}

/** A flag's NAME is not the name of an object. */
async function flagValues({ spec }: Parameter, current: string, typed: Typed): Promise<Candidates> {
  return spec.placeholder === 'NAME' ? nothing : valuesOf(spec, current, typed);
}

/** The texts of the global flags before the cursor, by key: they say which datastore has the names. */
export function globalTexts(words: readonly string[], register: Register): ReadonlyMap<string, readonly string[]> {
  const { given } = new Line(register, words.slice(0, -1));
  return new Map([...given].filter(([key]) => key in register.globalFlags));
}

/** A shell takes such a word for itself, and for nothing else. */
const isHarmless = (word: string): boolean => /^[\p{L}\p{N}._:/@%+=,-]+$/u.test(word);

/** The candidates for the last word; only words that begin with it. */
export async function candidatesFor(
  words: readonly string[],
  register: Register,
  names: NameSource,
  contexts: ContextSource,
): Promise<Candidates> {
  const line = new Line(register, words.slice(0, -1));
  const current = words.at(-1) ?? '';
  const typed = { kind: line.typedKind, namespace: line.given.get('namespace')?.at(-1), names, contexts };
  const { candidates, files } = await openCandidates(line, current, typed);
  return { candidates: candidates.filter(({ word }) => word.startsWith(current) && isHarmless(word)), files };
}
