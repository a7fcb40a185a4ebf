// The result of diff as text: the differences of each object, those of new objects from nothing.
import { jsonDocument } from '../../output/json-document.ts';
import { printable } from '../../output/printable.ts';
import { unifiedDiff } from '../../output/unified-diff.ts';
import { orderKeys } from '../../resources/field-order.ts';
import type { View } from '../command.ts';
import { type Difference, type DiffResult, differencesOf, pathOf, textOf, unmanaged } from './comparison.ts';

function differenceText({ target, live, applied }: Difference, colour: boolean): string {
  const path = printable(pathOf(target));
  const before = { name: `live/${path}`, text: live && textOf(live) };
  return unifiedDiff(before, { name: `applied/${path}`, text: textOf(applied) }, colour);
}

/** What the external program printed, else our own text. */
export function diffText({ written, external }: DiffResult, { colour }: View): string {
  if (external !== undefined) return external;
  return differencesOf(written)
    .map((difference) => differenceText(difference, colour))
    .join('');
}

/** Every object of the manifests with what apply would do; those that differ as they are and as they would be. */
export function diffJson({ written }: DiffResult): string {
  return jsonDocument({
    apiVersion: 'calictl/v1',
    kind: 'Diff',
    objects: written.map(({ target: { kind, object }, done, error }) => ({
      kind: kind.kind,
      ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
      name: object.metadata.name,
      outcome: done?.outcome ?? 'not compared',
      ...(error !== undefined && { error: error.message, code: error.code }),
      ...(done?.object !== undefined &&
        done.outcome !== 'unchanged' && {
          ...(done.previous && { live: orderKeys(kind, unmanaged(done.previous)) }),
          applied: orderKeys(kind, unmanaged(done.object)),
        }),
    })),
  });
}
