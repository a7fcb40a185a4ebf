// The table of differences in docs/reference/parity.md, from those that the generated scenarios allow.
import { knownDifferences, memoryAddress } from '../../parity/generated/differences.ts';

const begin = '<!-- differences: begin -->';
const end = '<!-- differences: end -->';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The page with its table as it should be. Errors: a page without the two marks. */
export function parityPage(page: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`the page has no ${begin} … ${end}`);
  const rows = [memoryAddress, ...knownDifferences].map(
    ({ calicoctl, calictl, why }) => `| ${cell(calicoctl)} | ${cell(calictl)} | ${cell(why)} |`,
  );
  const table = ['| calicoctl | calictl | why |', '|---|---|---|', ...rows].join('\n');
  return `${before}${begin}\n${table}\n${end}${after}`;
}
