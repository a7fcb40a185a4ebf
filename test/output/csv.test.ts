// Rows of comma-separated values: quoting, formula signs, characters that steer a terminal.
import { expect, it } from 'vitest';
import { csvLine } from '../../src/output/csv.ts';

it('CSV quotes commas and quotes, and leaves missing values empty', () => {
  expect(csvLine(['a,b', 'say "x"', 3, undefined, null, false])).toBe('"a,b","say ""x""",3,,,false\n');
});

it('CSV defuses what a spreadsheet would take for a formula', () => {
  expect(csvLine(['=cmd()', '+1', '-1', '@x', '\ty', 'a=b'])).toBe("'=cmd(),'+1,'-1,'@x,'\ty,a=b\n");
});

it('a CSV field cannot break its line or send control characters', () => {
  expect(csvLine(['a\r\nb', '\u001b[31mred', '\u202etxt', '\r=1'])).toBe('a\\r\\nb,\\e[31mred,\\u202etxt,\\r=1\n');
});
