// What `bird check` prints: a row for each node, and what BIRD says of the configurations that it refuses.
import { jsonDocument } from '../../../output/json-document.ts';
import { printable, printableLines } from '../../../output/printable.ts';
import { styleOf } from '../../../output/style.ts';
import { type Cell, textTable } from '../../../output/table.ts';
import { counted } from '../../../text/wording.ts';
import type { View } from '../../command.ts';
import type { Checked, CheckedNode } from './checked.ts';

export function checkedText({ bird, items }: Checked, { colour, columns }: View): string {
  const style = styleOf(colour);
  const cell = ({ verdicts }: CheckedNode, version: 4 | 6): Cell => {
    const verdict = verdicts.find((one) => one.version === version);
    if (verdict === undefined) return '-';
    return verdict.refused === undefined ? { text: 'ok', paint: style.ok } : { text: 'refused', paint: style.error };
  };
  const rows = items.map((item) => [printable(item.node), cell(item, 4), cell(item, 6)]);
  const refused = items.flatMap(({ node, verdicts }) =>
    verdicts.flatMap((verdict) => (verdict.refused === undefined ? [] : `${node}: ${verdict.refused}`)),
  );
  const lines = refused.map((line) => `${style.error('refused')} ${printableLines(line)}\n`).join('');
  const accepted = items.filter(
    ({ verdicts }) => verdicts.length > 0 && verdicts.every((one) => one.refused === undefined),
  );
  const summary = `BIRD ${printable(bird)} accepts the configuration of ${accepted.length} of ${counted(items.length, 'node')}\n`;
  return `${textTable(['NODE', 'IPV4', 'IPV6'], rows, columns)}${lines}${summary}`;
}

export const checkedJson = ({ bird, items }: Checked): string =>
  jsonDocument({
    apiVersion: 'calictl/v1',
    kind: 'BirdCheckList',
    birdVersion: bird,
    items: items.map(({ node, verdicts, error }) => ({
      node,
      verdicts: verdicts.map(({ version, refused }) => ({
        ipVersion: version,
        accepted: refused === undefined,
        refused,
      })),
      error: error?.message,
      code: error?.code,
    })),
  });
