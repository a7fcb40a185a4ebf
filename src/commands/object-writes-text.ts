// The result of writes as text: a line for each object, or the objects.
import { jsonDocument } from '../output/json-document.ts';
import { printable } from '../output/printable.ts';
import { orderKeys } from '../resources/field-order.ts';
import type { KubeObject } from '../resources/object.ts';
import { withoutSteering } from '../text/steering.ts';
import { printYaml } from '../text/yaml.ts';
import type { Target, Written } from './object-writes.ts';

export interface WritesShown {
  readonly written: readonly Written[];
  readonly dryRun?: 'client' | 'server' | undefined;
}

function nameOf({ kind, object }: Target): string {
  return `${kind.kind.toLowerCase()}/${printable(object.metadata.name)}`;
}

const dryRunWords = { client: ' (dry run)', server: ' (server dry run)' } as const;

/** `ippool/pool-1 created`, one line per object that was written, and `networkpolicy/allow created (namespace shop)`. */
export function writesText({ written, dryRun }: WritesShown): string {
  const suffix = dryRun === undefined ? '' : dryRunWords[dryRun];
  return written
    .flatMap(({ target, done }) => {
      if (done === undefined) return [];
      const { namespace } = target.object.metadata;
      const where = namespace === undefined ? '' : ` (namespace ${printable(namespace)})`;
      return [`${nameOf(target)} ${done.outcome}${where}${suffix}\n`];
    })
    .join('');
}

/** `ippool/pool-1`, one line per object that was written. */
export function writtenNames({ written }: WritesShown): string {
  return written.flatMap(({ target, done }) => (done === undefined ? [] : [`${nameOf(target)}\n`])).join('');
}

function objectsOf({ written }: WritesShown): KubeObject[] {
  return written.flatMap(({ target: { kind }, done }) => (done?.object ? [orderKeys(kind, done.object)] : []));
}

/** The objects as they are stored now: one bare, several as a list. */
export function writtenJson(shown: WritesShown): string {
  const objects = objectsOf(shown);
  return jsonDocument(objects.length === 1 ? objects[0] : objects);
}

/** The objects as they are stored now, one document each. */
export function writtenYaml(shown: WritesShown): string {
  return objectsOf(shown)
    .map((object) => withoutSteering(printYaml(object)))
    .join('---\n');
}

/** How the deletion of each object ended. */
export function deletedJson({ written, dryRun }: WritesShown): string {
  return jsonDocument({
    kind: 'Deletion',
    ...(dryRun !== undefined && { dryRun }),
    objects: written.map(({ target: { kind, object }, done, error }) => ({
      kind: kind.kind,
      ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
      name: object.metadata.name,
      outcome: done?.outcome ?? (error === undefined ? 'not tried' : 'failed'),
      ...(error !== undefined && { error: error.message, code: error.code }),
      ...(done?.left?.length && { left: done.left }),
    })),
  });
}
