// The store as repairs use it. A request that was begun is finished even after an interrupt, and a write whose answer was
// lost is looked up: otherwise a busy server would turn repairs that were made into failures.
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { ipamStoreOf } from '../../datastore/stored-ipam.ts';
import type { IpamObjects, IpamStore, Outcome } from '../../ipam/ipam-store.ts';
import { inStoredForm } from '../../resources/convert/v3.ts';
import type { Kind } from '../../resources/kind.ts';
import { blockAffinity } from '../../resources/kinds/block-affinity.ts';
import { ipamBlock } from '../../resources/kinds/ipam-block.ts';
import { ipamHandle } from '../../resources/kinds/ipam-handle.ts';
import type { KubeObject } from '../../resources/object.ts';
import { sameValue } from '../../text/plain-values.ts';

/** Requests end with the signal of the program unless they are given another one, which would stop a repair halfway. */
const never = new AbortController().signal;

/**
 * The IPAM objects of a datastore, for repairs. Errors: that of a write without an answer, when the store does not show
 * whether it was made.
 */
export function repairStore(datastore: Datastore): IpamStore {
  const store = ipamStoreOf(datastore, { signal: never });
  return {
    ...store,
    blocks: lookingUpLostAnswers(datastore, ipamBlock, store.blocks),
    affinities: lookingUpLostAnswers(datastore, blockAffinity, store.affinities),
    handles: lookingUpLostAnswers(datastore, ipamHandle, store.handles),
  };
}

function lookingUpLostAnswers<T extends KubeObject>(
  { calicoApi }: Datastore,
  kind: Kind<T>,
  objects: IpamObjects<T>,
): IpamObjects<T> {
  // What is found is compared with what is written: both as the store keeps them.
  const written = (object: T): T => inStoredForm(kind, object, calicoApi);
  /** `outcomeOf`: what the stored object shows of the write; undefined when it was not made. */
  async function settled<R>(
    { metadata: { name } }: T,
    write: () => Promise<Outcome<R>>,
    outcomeOf: (found: T | undefined) => Outcome<R> | undefined,
  ): Promise<Outcome<R>> {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DatastoreError) || error.reason !== 'unavailable') throw error;
      const found = await objects.get(name).catch(() => {
        throw error;
      });
      const outcome = found.ok || found.why === 'not-found' ? outcomeOf(found.ok ? found.value : undefined) : undefined;
      if (outcome === undefined) throw error;
      return outcome;
    }
  }
  return {
    ...objects,
    create: (given) => {
      const object = written(given);
      return settled<T>(
        object,
        () => objects.create(object),
        (found) => {
          if (found === undefined) return undefined;
          return saysTheSame(found, object) ? { ok: true, value: found } : { ok: false, why: 'already-exists' };
        },
      );
    },
    update: (given) => {
      const object = written(given);
      return settled<T>(
        object,
        () => objects.update(object),
        (found) => {
          if (found === undefined || found.metadata.uid !== object.metadata.uid) return { ok: false, why: 'not-found' };
          if (saysTheSame(found, object)) return { ok: true, value: found };
          return isUntouched(found, object) ? undefined : { ok: false, why: 'conflict' };
        },
      );
    },
    remove: (object) =>
      settled<undefined>(
        object,
        () => objects.remove(object),
        (found) => {
          if (found === undefined || found.metadata.uid !== object.metadata.uid) return { ok: true, value: undefined };
          return isUntouched(found, object) ? undefined : { ok: false, why: 'conflict' };
        },
      ),
  };
}

function isUntouched(found: KubeObject, object: KubeObject): boolean {
  return found.metadata.resourceVersion === object.metadata.resourceVersion;
}

/** Compares all that a repair writes: content, labels and annotations. What the server adds does not count. */
function saysTheSame(found: KubeObject, object: KubeObject): boolean {
  const said = ({ metadata: { labels = {}, annotations = {} }, ...content }: KubeObject): object => ({
    ...content,
    labels,
    annotations,
  });
  return sameValue(said(found), said(object));
}
