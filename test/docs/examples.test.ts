// Every example of the help and every command line of the README is run on the clusters of docs/examples, and ends as its
// command documents.
import { describe, expect, it } from 'vitest';
import { exitCodeMeanings } from '../../src/commands/command.ts';
import { commands } from '../../src/commands/tree.ts';
import { argumentsOf, parsedCommand, readmeLines, runLine } from '../support/pages/command-lines.ts';
import { needs, setups } from '../support/pages/setups.ts';

const examples = commands.flatMap((command) => command.examples.map(({ command: line }) => line));
const lines = [...new Set([...examples, ...readmeLines.filter((line) => argumentsOf(line) !== undefined)])];

it('test/support/pages/setups.ts names only command lines of the help and the README', () => {
  const named = [...Object.keys(needs), ...Object.keys(setups)];
  expect(named.filter((line) => !lines.includes(line))).toEqual([]);
});

describe('command lines of the help and the README', () => {
  it.each(lines.filter((line) => !(line in needs)))('%s ends as documented', async (line) => {
    const setup = setups[line] ?? {};
    const { code, stdout, stderr } = await runLine(line, setup);
    expect({ code, stderr }).toEqual({
      code: setup.exit ?? 0,
      stderr: setup.stderr === undefined ? '' : expect.stringContaining(setup.stderr),
    });
    expect(stdout).not.toBe('');
    // Its own words or the general ones; an interruption has the number of its signal.
    if (!setup.isEndless) expect(Object.keys(exitCodeMeanings(await parsedCommand(line)))).toContain(String(code));
  });

  it.each(Object.keys(needs))('%s, which cannot be run here, is a valid command line', async (line) => {
    const command = await parsedCommand(line);
    expect(commands).toContain(command);
  });
});
