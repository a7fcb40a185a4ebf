// How help is laid out: what commander is given, and the descriptions of flags. The texts come from the register.
import { Help } from 'commander';
import type { Command } from '../commands/command.ts';
import type { ParameterSpec } from '../commands/parameters.ts';

export const globalLabel = 'Global options:';

/** What help says of a flag: its sentence, the values it takes, whether it repeats, what holds without it. */
export function aboutFlag({ about, choices, repeatable, default: standard }: ParameterSpec): string {
  const values = choices === undefined ? about : `${about}: ${choices.join(', ')}`;
  const often = repeatable ? ' (may be repeated)' : '';
  return standard === undefined ? `${values}${often}` : `${values}${often} (default: ${standard})`;
}

/** Groups items for the help. A group of commands has only `--help` of its own, which would come last. */
function ownBeforeGlobal<T>(_unsorted: T[], shown: T[], groupOf: (item: T) => string): Map<string, T[]> {
  const names = [...new Set(shown.map(groupOf))].sort((a, b) => Number(a === globalLabel) - Number(b === globalLabel));
  return new Map(names.map((name) => [name, shown.filter((item) => groupOf(item) === name)]));
}

/** Next to wider flags there would be no room for their descriptions. */
const widestTerm = (columns: number): number => Math.max(columns - 44, 24);

/** As commander formats it; a term that is too wide has a line of its own. */
function formattedItem(this: Help, term: string, width: number, description: string, helper: Help): string {
  const format = (shown: string): string => Help.prototype.formatItem.call(this, shown, width, description, helper);
  return description === '' || term.length <= width ? format(term) : `  ${term}\n${format('')}`;
}

/** For commander's configureHelp. */
export function helpLayout(columns: number): Partial<Help> {
  return {
    subcommandTerm: (sub) => sub.name(),
    groupItems: ownBeforeGlobal,
    padWidth: (shown, helper) => Math.min(Help.prototype.padWidth(shown, helper), widestTerm(columns)),
    formatItem: formattedItem,
  };
}

export function examplesText({ examples }: Command): string {
  if (examples.length === 0) return '';
  const lines = examples.map(({ command: line, about }) => `  # ${about}\n  ${line}`);
  return `\nExamples:\n${lines.join('\n\n')}\n`;
}
