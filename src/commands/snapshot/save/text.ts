// What `snapshot save` prints: what is in the snapshot, and what is not.

import { withoutNode } from '../../../node-state/unreached.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import type { TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';
import type { SavedSnapshot } from '../../../snapshot/saved-snapshot.ts';
import { counted } from '../../../text/wording.ts';

type Saved = SavedSnapshot & { readonly path: string };

/** A table of the saved kinds, then one line for the nodes and one for each thing that is missing. */
export function savedText({ path, objects, unread, nodes }: Saved, { columns }: TextView): string {
  const rows = objects.filter(({ count }) => count > 0).map(({ kind, count }) => [kind, String(count)]);
  const recorded = nodes?.filter(({ commands }) => commands > 0).length;
  const lines = [
    ...(nodes === undefined ? [] : [`recorded ${recorded} of ${nodes.length} nodes`]),
    ...unread.map(({ kind, reason }) => `not saved: ${kind}: ${reason}`),
    ...(nodes ?? []).flatMap(({ node, lost }) =>
      lost === undefined
        ? []
        : [`${counted(lost.count, 'answer')} missing from ${node}: ${withoutNode(lost.message, node)}`],
    ),
    `saved to ${path}`,
  ];
  return `${textTable(['KIND', 'OBJECTS'], rows, columns)}\n${lines.map(printable).join('\n')}\n`;
}

/** As one JSON document. */
export function savedJson({ path, capturedAt, objects, unread, nodes }: Saved): string {
  return jsonDocument({ kind: 'Snapshot', path, capturedAt: capturedAt.toISOString(), objects, unread, nodes });
}
