// The result of wait: a line for each object that is as required, and all objects as JSON.
import { jsonDocument } from '../../output/json-document.ts';
import { printable } from '../../output/printable.ts';
import type { Awaited } from './awaited.ts';

interface Shown {
  readonly awaited: readonly Awaited[];
  readonly what: string;
}

/** `ippool/pool-1 condition met`. */
export function waitText({ awaited }: Shown): string {
  return awaited
    .filter(({ state }) => state === 'met')
    .map(({ kind, ref }) => {
      const where = ref.namespace === undefined ? '' : ` (namespace ${printable(ref.namespace)})`;
      return `${kind.kind.toLowerCase()}/${printable(ref.name)} condition met${where}\n`;
    })
    .join('');
}

export function waitJson({ awaited, what }: Shown): string {
  return jsonDocument({
    apiVersion: 'calictl/v1',
    kind: 'Wait',
    for: what,
    objects: awaited.map(({ kind, ref: { name, namespace }, state, error }) => ({
      kind: kind.kind,
      ...(namespace !== undefined && { namespace }),
      name,
      outcome: state === 'pending' ? 'timed out' : state,
      ...(error !== undefined && { error: error.message }),
    })),
  });
}
