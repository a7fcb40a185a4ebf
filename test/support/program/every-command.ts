// Command lines of every command of the program, made from its table of commands: a new command is covered by its examples.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../../src/commands/command.ts';
import { commands } from '../../../src/commands/tree.ts';
import { groupBy } from '../../../src/text/group-by.ts';

export interface CommandLine {
  /** The command's words, joined by spaces. */
  readonly command: string;
  readonly argv: readonly string[];
  /** True when the command ends by a signal only. */
  readonly isEndless: boolean;
  /** `json`, `yaml` and so on; undefined where the command line names none. */
  readonly format: string | undefined;
}

/** Commands that change or search the whole machine, and need its programs: their own suites run them. */
const ofThisMachine: readonly string[] = ['cluster diags', 'cni install', 'node diags', 'node run'];
/** Flags of examples that lead away from the datastore of a test. */
const elsewhere = /^--(?:via|datastore|kubeconfig|config|context|ssh-user|image)(?:=|$)/;
const endless = /^(?:--poll|--watch|--watch-only|-w|--follow)(?:=|$)/;

/** The words of an example, as a shell splits it, up to the first pipe or redirection. */
function wordsOf(example: string): string[] {
  const words = example.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const end = words.findIndex((word) => /^(?:[|>]|<<?|&&?|;)/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

function examplesOf(command: Command): string[][] {
  return command.examples
    .map(({ command: line }) => wordsOf(line).slice(1))
    .filter((argv) => argv.length > 0 && !argv.some((word) => elsewhere.test(word)));
}

const hasOutput = (argv: readonly string[]): boolean => argv.some((word) => /^(?:-o|--output)/.test(word));

/** The command line with `-o` of this format, before the words that belong to another program. */
function withFormat(argv: readonly string[], format: string): string[] {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  return [...own, '-o', format, ...argv.slice(own.length)];
}

async function linesOf(command: Command): Promise<CommandLine[]> {
  const examples = examplesOf(command);
  const plain = examples.find((argv) => !hasOutput(argv)) ?? command.path;
  const formats = Object.keys((await command.load()).formats);
  // Formats with a value, such as templates, are in examples.
  const choices = command.flags['output'] === undefined ? [] : formats.filter((name) => !/[-=]/.test(name));
  return [
    ...examples.map((argv) => ({ argv, format: undefined })),
    ...choices.map((format) => ({ argv: withFormat(plain, format), format })),
  ].map((line) => ({
    ...line,
    command: command.path.join(' '),
    isEndless: line.argv.some((word) => endless.test(word)),
  }));
}

/** All command lines but those of commands that change this machine; with a filter those of some commands. */
export async function everyCommandLine(
  accepts: (command: Command) => boolean = () => true,
): Promise<readonly CommandLine[]> {
  const wanted = commands.filter((command) => !ofThisMachine.includes(command.path.join(' ')) && accepts(command));
  return (await Promise.all(wanted.map(linesOf))).flat();
}

/** One of the command lines of each command; `choose` gets their number and returns a position. */
export function oneOfEach(lines: readonly CommandLine[], choose: (below: number) => number): readonly CommandLine[] {
  const byCommand = groupBy(lines, ({ command }) => command);
  return [...byCommand.values()].flatMap((all) => all[choose(all.length)] ?? []);
}

/** Writes the files that the command lines read (`-f pool.yaml`) into a folder. */
export function writeNamedFiles(folder: string, lines: readonly CommandLine[], text: string): void {
  for (const { argv } of lines) {
    argv.forEach((word, at) => {
      if (
        /^[\w-]+\.(?:ya?ml|json)$/.test(word) &&
        /^(?:-f|--filename|--from-report|--patch-file)$/.test(argv[at - 1] ?? '')
      ) {
        writeFileSync(join(folder, word), text);
      }
    });
  }
}
