// Rows of comma-separated values: quoting, formula signs, characters that steer a terminal.
import { expect, it } from 'vitest';
import { csvLine } from '../../src/output/csv.ts';

it('quotes commas and quotes, and has nothing for what is missing', () => {
  expect(csvLine(['a,b', 'say "x"', 3, undefined, null, false])).toBe('"a,b","say ""x""",3,,,false\n');
});

it('defuses what a spreadsheet takes for a formula', () => {
  expect(csvLine(['=cmd()', '+1', '-1', '@x', '\ty', 'a=b'])).toBe("'=cmd(),'+1,'-1,'@x,'\ty,a=b\n");
});

it('lets no field break its line or steer the terminal', () => {
  expect(csvLine(['a\r\nb', '\u001b[31mred', '\u202etxt', '\r=1'])).toBe('a\\r\\nb,\\e[31mred,\\u202etxt,\\r=1\n');
});
