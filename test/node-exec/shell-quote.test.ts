// Words quoted for a real shell, and split as a real shell splits them.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteArgv, quoteWord, splitWords } from '../../src/node-exec/shell-quote.ts';
import { UsageError } from '../../src/world/errors.ts';

/** The arguments that a real shell passes to a program for this text. */
function throughShell(words: string): string[] {
  const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
  fc.string({ unit: fc.constantFrom(...'\'"\\$`()!*?[]{}<>|&;#~=%^ \t\n\r-a0é€\u{1f600}') }),
  fc.constantFrom(
    '',
    '-n',
    '--',
    '-',
    "'",
    "''",
    '$(touch /tmp/owned)',
    '`id`',
    '$HOME',
    '${IFS}',
    '\\',
    'a\n',
    '!!',
    '~',
  ),
);
const words = fc.array(word, { minLength: 1, maxLength: 8 });

/** The characters U+0001 to U+00FF. */
const everyCharacter = Array.from({ length: 255 }, (_, i) => String.fromCharCode(i + 1));

describe('quoteArgv', () => {
  it('quotes every character for a real shell', () => {
    expect(throughShell(quoteArgv(everyCharacter))).toEqual(everyCharacter);
    expect(throughShell(quoteArgv([everyCharacter.join('')]))).toEqual([everyCharacter.join('')]);
  });

  it('quotes any words for a real shell', { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(words, (list) => {
        expect(throughShell(quoteArgv(list))).toEqual(list);
        expect(throughShell(list.map(quoteWord).join(' '))).toEqual(list);
      }),
      { numRuns: process.env['LONG'] ? 5000 : 200 },
    );
  });

  it.each(['if', 'x=y', 'time', '!', '{', 'for'])('quotes %s, so that a shell takes it for a program name', (name) => {
    const script = `PATH=/nowhere; ${quoteArgv([name, '3'])}; echo $?`;
    expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', stdio: 'pipe' })).toBe('127\n');
  });

  it('refuses a NUL byte, which no argument can contain', () => {
    expect(() => quoteArgv(['a', 'b\0c'])).toThrow(UsageError);
  });

  it('does not quote words that need no quotes', () => {
    expect(['-p', '22', '10.0.0.1', 'fd00::1', 'a@b:2', '/x/y_z'].map(quoteWord).join(' ')).toBe(
      '-p 22 10.0.0.1 fd00::1 a@b:2 /x/y_z',
    );
  });
});

describe('splitWords', () => {
  it('splits words as a real shell does', () => {
    const text = String.raw`ssh -F 'a b' "c \"d\" \x" e\ f '' ""g'h'  -o "X=\$1"`;
    expect(splitWords(text)).toEqual(throughShell(text));
  });

  it('splits what quoteArgv has quoted', () => {
    fc.assert(
      fc.property(words, (list) => {
        expect(splitWords(quoteArgv(list))).toEqual(list);
      }),
    );
  });

  it('does not expand anything', () => {
    expect(splitWords('a $(id) $HOME *')).toEqual(['a', '$(id)', '$HOME', '*']);
    expect(splitWords('  ')).toEqual([]);
  });

  it.each(["a 'b", 'a "b', 'a\\'])('refuses %j, which is unterminated', (text) => {
    expect(() => splitWords(text)).toThrow(UsageError);
  });
});
