// A node or a pod that a command line names: whether the datastore has it, and how messages call it.
import { type Datastore, DatastoreError } from '../../datastore/datastore.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod as podKind } from '../../resources/kinds/pod.ts';
import { CalictlError } from '../../world/errors.ts';
import type { Context } from '../command.ts';

/** A pod, else a node, else neither. */
export interface Named {
  readonly node?: string | undefined;
  readonly pod?: { readonly namespace: string; readonly name: string } | undefined;
}

/** `pod shop/cart-0` or `node worker-1`. */
export const namedIn = ({ node, pod }: Named): string =>
  pod === undefined ? `node ${node}` : `pod ${pod.namespace}/${pod.name}`;

/** The error for a name of which neither allocation records nor the objects of the datastore know anything. */
export function unknownName(named: Named): CalictlError {
  return new CalictlError(`${namedIn(named)} does not exist in this datastore, and nothing is recorded for it`, {
    code: 'NOT_FOUND',
    hint:
      named.pod === undefined
        ? 'calictl get nodes lists the nodes, calictl ipam affinity list the owners of blocks'
        : 'calictl get workloadendpoints -A lists the pods that have addresses',
  });
}

/**
 * For a name for which nothing was found. Nothing happens when nothing was named, or when it is unknown whether it
 * exists: no right to read it, a datastore without objects of Kubernetes.
 * Errors: CalictlError NOT_FOUND when the node or pod does not exist.
 */
export async function refuseUnknown(ctx: Context, store: Datastore, named: Named): Promise<void> {
  const { node, pod } = named;
  if (node === undefined && pod === undefined) return;
  const options = { signal: ctx.world.signal };
  try {
    if (pod !== undefined) await store.get(podKind, pod, options);
    else await store.get(calicoNode, { name: node ?? '' }, options);
  } catch (error) {
    if (!(error instanceof DatastoreError)) throw error;
    if (error.reason === 'not-found' && !error.missingKind) throw unknownName(named);
  }
}
