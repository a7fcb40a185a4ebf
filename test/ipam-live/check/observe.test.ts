// What cannot be read is named with the invariants that rest on it, and none of those is judged then.
import { describe, expect, test } from 'vitest';
import { type CallOptions, DatastoreError, type ListOptions, type ListPage } from '../../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { check } from '../../../src/ipam-live/check/check.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import type { KubeObject, ObjectRef } from '../../../src/resources/object.ts';
import { corpus, healthyImage } from '../../support/clusters/corpus.ts';
import { TestClock } from '../../support/program/world.ts';

/** Refuses to read one kind, as an API server does without the right to it. */
class RefusingDatastore extends MemoryDatastore {
  readonly #refused: string;

  constructor(objects: readonly KubeObject[], refused: string) {
    super(objects);
    this.#refused = refused;
  }

  #refuse({ kind }: Kind<never>): void {
    if (kind === this.#refused) throw new DatastoreError('unauthorized', `forbidden: ${kind}`);
  }

  override get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: CallOptions): Promise<T> {
    this.#refuse(kind as unknown as Kind<never>);
    return super.get(kind, ref, options);
  }

  override async *list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncGenerator<ListPage<T>> {
    this.#refuse(kind as unknown as Kind<never>);
    yield* super.list(kind, options);
  }
}

async function judged(objects: readonly KubeObject[], refused: string) {
  const options = { clock: new TestClock('2026-06-01T00:00:00Z'), signal: new AbortController().signal };
  const { judgements, snapshot } = await check(new RefusingDatastore(objects, refused), options);
  return { ids: judgements.map(({ finding }) => finding.id), unread: snapshot.unread };
}

describe.each([
  ['BlockAffinity', ['INV-24', 'INV-25', 'INV-28', 'INV-36', 'INV-37', 'INV-39']],
  ['IPAMConfig', ['INV-27', 'INV-38', 'INV-41', 'INV-43']],
  ['IPReservation', ['INV-27', 'INV-42', 'INV-43']],
  ['IPAMHandle', ['INV-45', 'INV-46', 'INV-47', 'INV-48', 'INV-52']],
  ['Service', ['INV-44', 'INV-67']],
])('without the right to read %s', (kind, expected) => {
  test('it is named, and nothing is found in a healthy cluster', async () => {
    const { ids, unread } = await judged(healthyImage(), kind);
    expect(ids).toEqual([]);
    expect(unread.map((entry) => entry.kind)).toEqual([kind]);
    expect(unread[0]?.invariants).toEqual(expect.arrayContaining(expected));
  });

  test('nothing that rests on it is judged, whatever is broken', async () => {
    for (const { name, objects } of corpus()) {
      const { ids, unread } = await judged(objects, kind);
      const unjudged = unread.flatMap(({ invariants }) => invariants);
      expect(
        ids.filter((id) => unjudged.includes(id)),
        name,
      ).toEqual([]);
    }
  });
});
