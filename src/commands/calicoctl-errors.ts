// Errors in calicoctl's words (docs/reference/calicoctl-errors.md), for compat mode.
import { DatastoreError } from '../datastore/datastore.ts';

/** `IPPool(pool-1)` or `WorkloadEndpoint(shop/node--a-k8s-web--0-eth0)`. */
export function identity(kind: string, name: string, namespace?: string): string {
  return namespace ? `${kind}(${namespace}/${name})` : `${kind}(${name})`;
}

/** What calicoctl says about an error; `id` names the object it is about, when there is one. */
export function calicoctlText(error: unknown, id?: string): string {
  if (!(error instanceof DatastoreError)) return error instanceof Error ? error.message : String(error);
  const said = error.storeText ?? error.message;
  if (error.reason === 'unauthorized') return `connection is unauthorized: ${said}`;
  if (id === undefined) return said;
  switch (error.reason) {
    case 'not-found':
      return `resource does not exist: ${id} with error: ${said}`;
    case 'already-exists':
      return `resource already exists: ${id}`;
    case 'conflict':
      return `update conflict: ${id}`;
    case 'unsupported':
      return said.startsWith('operation ') ? said : `operation is not supported on ${id}: ${said}`;
    default:
      return said;
  }
}
