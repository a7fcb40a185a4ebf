// Reading a snapshot when some kinds may not be read: what is reported, what is not judged, and what ends the check.
import { expect, it } from 'vitest';
import { type CallOptions, DatastoreError, type ListOptions, type ListPage } from '../../../src/datastore/datastore.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { invariantsNeeding } from '../../../src/ipam-check/invariants.ts';
import { check } from '../../../src/ipam-live/check/check.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import type { KubeObject, ObjectRef } from '../../../src/resources/object.ts';
import { corpus, healthyImage } from '../../support/clusters/corpus.ts';
import { TestClock } from '../../support/program/world.ts';

/** Refuses to read one kind, as an API server does without the permission for it. */
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

const optionalKinds = ['BlockAffinity', 'IPAMConfig', 'IPReservation', 'IPAMHandle', 'Service'] as const;

it.each(optionalKinds)('a kind that may not be read is reported as unread, and has no findings: %s', async (kind) => {
  const { ids, unread } = await judged(healthyImage(), kind);
  expect(ids).toEqual([]);
  expect(unread).toEqual([{ kind, reason: `forbidden: ${kind}` }]);
});

it.each(optionalKinds)('no invariant that needs %s is judged without it in any damaged cluster', async (kind) => {
  const unjudged = new Set<string>(invariantsNeeding(kind));
  for (const { name, objects } of corpus()) {
    const { ids } = await judged(objects, kind);
    expect(
      ids.filter((id) => unjudged.has(id)),
      name,
    ).toEqual([]);
  }
});

it.each(['IPAMBlock', 'IPPool', 'Pod', 'Node'])('a check ends when %s objects may not be read', async (kind) => {
  await expect(judged(healthyImage(), kind)).rejects.toMatchObject({ reason: 'unauthorized' });
});
