// Errors of the datastore and of the allocator in the words that Calico's plugins have for them.
import { DatastoreError } from '../datastore/datastore.ts';
import { CalictlError } from '../world/errors.ts';
import { CniError } from './protocol/cni-error.ts';

/** The words of the API server that an error carries, else its own. */
export function serverText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'storeText' in error && typeof error.storeText === 'string' ? error.storeText : error.message;
}

/** What Calico says about an error with an object of its own; `id` is the object: `Node(node-a)`. */
export function calicoText(error: unknown, id: string): string {
  const text = serverText(error);
  if (!(error instanceof DatastoreError)) return text;
  switch (error.reason) {
    case 'not-found':
      return `resource does not exist: ${id} with error: ${text}`;
    case 'already-exists':
      return `resource already exists: ${id}`;
    case 'conflict':
      return `update conflict: ${id}`;
    case 'unauthorized':
      return `connection is unauthorized: ${text}`;
    default:
      return text;
  }
}

/** The error of an assignment: `address` is the one that was requested, `node` the one that it is for. */
export function allocatorText(error: unknown, node: string, address = ''): string {
  if (!(error instanceof CalictlError)) return serverText(error);
  switch (error.code) {
    case 'NODE_NOT_FOUND':
      return `resource does not exist: Node(${node}) with error: nodes ${JSON.stringify(node)} not found`;
    case 'ALREADY_ASSIGNED':
      return `resource already exists: ${address}`;
    case 'OUTSIDE_POOLS':
      return 'The provided IP address is not in a configured pool\n';
    case 'NO_POOL':
      return address === '' ? error.message : `${error.message}\n`;
    default:
      return serverText(error);
  }
}

/** Any failure as an error of the protocol. */
export function asCniError(error: unknown): CniError {
  return error instanceof CniError ? error : new CniError(serverText(error));
}
