// What `bird diff` prints: for each node what would change in behaviour, then the texts as a unified diff.
import type { Difference } from '../../../bird-config/compare.ts';
import { withoutNode } from '../../../node-state/unreached.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable, printableLines } from '../../../output/printable.ts';
import { type Style, styleOf } from '../../../output/style.ts';
import { unifiedDiff } from '../../../output/unified-diff.ts';
import { counted, sentence } from '../../../text/wording.ts';
import type { View } from '../../command.ts';
import type { Compared, ComparedNode } from './compared.ts';

const words: Readonly<Record<Difference['change'], string>> = {
  added: 'is not on the node',
  removed: 'is on the node only',
  changed: 'differs',
};

/** `session Mesh_10_0_0_2`, `setting protocol direct`, `static routes`. */
const nameOf = ({ subject, name }: Difference): string => (name === '' ? subject : `${subject} ${printable(name)}`);

function differenceLines(difference: ComparedNode['differences'][number], style: Style): string {
  const { version, change, removed, added, reordered } = difference;
  const what = `${style.warning(`IPv${version}`)} ${nameOf(difference)} ${words[change]}${reordered ? ' in its order' : ''}\n`;
  const marked = (mark: string, paint: (text: string) => string, lines: readonly string[]): string =>
    lines.map((line) => `${paint(`    ${mark} ${printable(line)}`)}\n`).join('');
  return what + marked('-', style.error, removed) + marked('+', style.ok, added);
}

function nodeText({ node, differences, files }: ComparedNode, view: View): string {
  const style = styleOf(view.colour);
  const name = printable(node);
  const texts = files.map((file) =>
    unifiedDiff(
      { name: `${name}/${file.name}`, text: printableLines(file.node) },
      { name: `rendered/${name}/${file.name}`, text: printableLines(file.rendered) },
      view.colour,
    ),
  );
  return `${style.strong(name)}\n${differences.map((one) => differenceLines(one, style)).join('')}${texts.join('')}\n`;
}

/** Nothing but the last line for nodes without differences. */
export function diffText({ items, unreached, notAsked }: Compared, view: View): string {
  const style = styleOf(view.colour);
  const different = items.filter(({ files }) => files.length > 0);
  const lost = unreached.map(({ node, message, hint }) => {
    const more = hint === undefined ? '' : `    ${sentence(printable(hint))}\n`;
    return `${style.warning('not compared')} ${printable(node)}: ${printable(withoutNode(message, node))}\n${more}`;
  });
  const skipped = notAsked.map(
    ({ node, why }) => `${style.dim('not compared')} ${printable(node)}: ${printable(why)}\n`,
  );
  const summary = `${different.length} of ${counted(items.length, 'node')} differ\n`;
  return [...different.map((one) => nodeText(one, view)), ...lost, ...skipped, summary].join('');
}

export const diffJson = ({ items, unreached, notAsked }: Compared): string =>
  jsonDocument({
    apiVersion: 'calictl/v1',
    kind: 'BirdDiffList',
    items: items.map(({ node, differences, files }) => ({
      node,
      differences: differences.map(({ version, ...difference }) => ({ ipVersion: version, ...difference })),
      files: files.map(({ name, node: onNode, rendered }) => ({ name, node: onNode, rendered })),
    })),
    unreached,
    notAsked,
  });
