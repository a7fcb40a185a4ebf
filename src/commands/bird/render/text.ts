// What `bird render` prints: the files, each under its name, or the names of the files that were written.
import { birdFileNames } from '../../../bird-config/bird-files.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable, printableLines } from '../../../output/printable.ts';
import type { Rendered } from './rendered.ts';

/** Each file begins with a comment that says what it is. */
export function renderedText({ items, written }: Rendered): string {
  if (written !== undefined) return written.map((path) => `wrote ${printable(path)}\n`).join('');
  return items
    .flatMap((item) =>
      item.files === undefined
        ? []
        : birdFileNames.map((name) => `# ${printable(item.node)}: ${name}\n${printableLines(item.files[name])}`),
    )
    .join('\n');
}

export const renderedJson = ({ items, written }: Rendered): string =>
  jsonDocument({
    apiVersion: 'calictl/v1',
    kind: 'BirdConfigurationList',
    items: items.map((item) =>
      item.files === undefined
        ? { node: item.node, error: item.error.message, code: item.error.code }
        : { node: item.node, files: item.files, remarks: item.remarks },
    ),
    written,
  });
