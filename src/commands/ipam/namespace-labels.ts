// The labels of the namespace that --namespace names, for pools that select namespaces.
import { type Datastore, getIfAny } from '../../datastore/datastore.ts';
import { namespace } from '../../resources/kinds/namespace.ts';
import type { Labels } from '../../resources/selector.ts';
import { CalictlError } from '../../world/errors.ts';

/** The labels; undefined without a name. Errors: CalictlError when there is no such namespace, those of the store. */
export async function namespaceLabels(
  store: Datastore,
  name: string | undefined,
  signal: AbortSignal,
): Promise<Labels | undefined> {
  if (name === undefined) return undefined;
  const found = await getIfAny(store, namespace, { name }, { signal });
  if (found !== undefined) return found.metadata.labels ?? {};
  throw new CalictlError(`namespace ${name} does not exist`, {
    code: 'NAMESPACE_NOT_FOUND',
    hint: 'leave out --namespace to count for a namespace without labels',
  });
}
