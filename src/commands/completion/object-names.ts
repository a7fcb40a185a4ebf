// The names of objects in a datastore, for completion: an answer in time or none.
import type { Datastore } from '../../datastore/datastore.ts';
import { ObjectReader } from '../../resource-client/object-reader.ts';
import { defaultNamespace } from '../../resources/object.ts';
import type { World } from '../../world/world.ts';
import type { NameSource } from './values.ts';

/** More than that nobody reads in a shell. */
const mostNames = 5000;

/** Names from the datastore that `open` returns. What comes from a cluster stays data: names that do not begin like one are left out. */
export function namesIn(open: () => Promise<Datastore>, world: Pick<World, 'env' | 'signal'>): NameSource {
  return async (kind, { namespace, withNamespace = false }) => {
    const scope = kind.namespaced && !withNamespace ? (namespace ?? defaultNamespace) : undefined;
    const found: string[] = [];
    const reader = new ObjectReader(await open(), kind, world);
    for await (const { items } of reader.pages(scope, () => true)) {
      for (const { metadata } of items)
        found.push(withNamespace ? `${metadata.namespace}/${metadata.name}` : metadata.name);
      if (found.length >= mostNames) break;
    }
    return found.filter((name) => typeof name === 'string' && /^[\p{L}\p{N}]/u.test(name)).sort();
  };
}
