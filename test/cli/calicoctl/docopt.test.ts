// How calicoctl reads arguments (docopt).
import { describe, expect, it } from 'vitest';
import { type DocoptOption, scan } from '../../../src/cli/calicoctl/docopt.ts';

const options: DocoptOption[] = [
  { name: 'output', short: 'o', takesValue: true },
  { name: 'filename', short: 'f', takesValue: true },
  { name: 'recursive', short: 'R', takesValue: false },
  { name: 'skip-empty', takesValue: false },
  { name: 'skip-exists', takesValue: false },
  { name: 'report', takesValue: true, repeatable: true },
];

const values = (...argv: string[]) => Object.fromEntries(scan(argv, options).given);

describe('docopt scan', () => {
  it.each([
    [['--output=yaml'], { output: ['yaml'] }],
    [['--output', 'yaml'], { output: ['yaml'] }],
    [['-o', 'yaml'], { output: ['yaml'] }],
    [['-oyaml'], { output: ['yaml'] }],
    // A short option takes everything behind its letter.
    [['-o=yaml'], { output: ['=yaml'] }],
    [['-Rf', 'file'], { recursive: [], filename: ['file'] }],
    [['-Rffile'], { recursive: [], filename: ['file'] }],
    [['--out', 'json'], { output: ['json'] }],
    [['--skip-em'], { 'skip-empty': [] }],
    [['-f', '-'], { filename: ['-'] }],
    [['--output', '--recursive'], { output: ['--recursive'] }],
    [['--report=a', '--rep', 'b'], { report: ['a', 'b'] }],
  ])('reads the options of %j', (argv, expected) => {
    expect(values(...argv)).toEqual(expected);
  });

  it('takes options and arguments in any order', () => {
    expect(scan(['ippool', '-o', 'yaml', 'a', '-', 'b'], options)).toMatchObject({
      args: ['ippool', 'a', '-', 'b'],
      misfit: false,
    });
  });

  it('ends options at --, which is itself an argument', () => {
    expect(scan(['a', '--', '-R'], options).args).toEqual(['a', '--', '-R']);
  });

  it('stops at the first argument when options come first', () => {
    expect(scan(['-R', 'get', '-o', 'x'], options, true)).toMatchObject({ args: ['get', '-o', 'x'] });
  });

  it.each([
    [['--skip'], '--skip is not a unique prefix: --skip-empty, --skip-exists?'],
    [['-o'], '-o requires argument'],
    [['--output'], '--output requires argument'],
    [['-o', '--'], '-o requires argument'],
    [['--recursive=3'], '--recursive must not have an argument'],
  ])('refuses %j with the reason', (argv, message) => {
    expect(() => scan(argv, options)).toThrow(message);
  });

  it.each([[['--bogus']], [['-x']], [['-o', 'a', '-o', 'b']], [['-R', '-R']]])('%j matches no usage', (argv) => {
    expect(scan(argv, options).misfit).toBe(true);
  });
});
