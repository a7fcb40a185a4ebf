// The store of a repair, with every write in the journal: after a crash it shows what was being done. No program reads it.
import type { Journal } from '../../files/journal.ts';
import type { IpamObjects, IpamStore, Outcome } from '../../ipam/ipam-store.ts';
import type { KubeObject } from '../../resources/object.ts';

/**
 * The same store, with every write recorded in the journal before it is sent and when its outcome is known. Once `lost` is
 * aborted, no write is sent and its reason is thrown instead.
 */
export function journaled(store: IpamStore, journal: Journal, lost: AbortSignal): IpamStore {
  let writes = 0;
  const wrap = <T extends KubeObject>(objects: IpamObjects<T>): IpamObjects<T> => {
    async function write<R>(op: string, object: T, call: () => Promise<Outcome<R>>): Promise<Outcome<R>> {
      lost.throwIfAborted();
      writes += 1;
      const head = { write: writes, op, kind: object.kind, name: object.metadata.name };
      const content = op === 'delete' ? { metadata: { uid: object.metadata.uid } } : { spec: object.spec };
      await journal.append({ ...head, phase: 'before', resourceVersion: object.metadata.resourceVersion, ...content });
      // The write was made whether or not the journal can record it; the next write checks the journal first.
      const after = (entry: Readonly<Record<string, unknown>>): Promise<void> =>
        journal.append({ ...head, phase: 'after', ...entry }).catch(() => undefined);
      try {
        const outcome = await call();
        await after({ outcome: outcome.ok ? 'written' : outcome.why });
        return outcome;
      } catch (error) {
        await after({ outcome: 'unknown', error: String(error) });
        throw error;
      }
    }
    return {
      get: (name) => objects.get(name),
      list: () => objects.list(),
      create: (object) => write('create', object, () => objects.create(object)),
      update: (object) => write('update', object, () => objects.update(object)),
      remove: (object) => write('delete', object, () => objects.remove(object)),
    };
  };
  return {
    affinitiesOf: (owner, version) => store.affinitiesOf(owner, version),
    config: () => store.config(),
    pools: () => store.pools(),
    reservations: () => store.reservations(),
    nodeLabels: (name) => store.nodeLabels(name),
    blocks: wrap(store.blocks),
    affinities: wrap(store.affinities),
    handles: wrap(store.handles),
  };
}
