// Errors in the words that calicoctl has for them, for compat mode.
import { DatastoreError } from '../datastore/datastore.ts';
import { type CalicoApi, customResourceApi, v3ApiVersion } from '../resources/kind.ts';

/** `IPPool(pool-1)` or `WorkloadEndpoint(shop/node--a-k8s-web--0-eth0)`. */
export function identity(kind: string, name: string, namespace?: string): string {
  return namespace ? `${kind}(${namespace}/${name})` : `${kind}(${name})`;
}

/** The words of the store or of Kubernetes' loader that an error carries. */
function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'storeText' in error && typeof error.storeText === 'string' ? error.storeText : error.message;
}

/** Codes of errors about names, whose text stands alone. */
const wholeTexts: readonly string[] = ['OTHER_SPELLING', 'MALFORMED_NAME'];

/** True for an error that `--skip-not-exists` makes a success. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof DatastoreError)) return false;
  if (error.reason === 'not-found') return !wholeTexts.includes(error.code);
  return error.storeText?.startsWith('resource does not exist: ') === true;
}

/**
 * What calicoctl says about an error; `id` names the object it is about, when there is one. `calicoApi` is where the cluster
 * keeps its objects: calicoctl 3.32 says more of objects that exist.
 */
export function calicoctlText(error: unknown, id?: string, calicoApi: CalicoApi = customResourceApi): string {
  const text = said(error);
  if (!(error instanceof DatastoreError)) return text;
  if (error.reason === 'unauthorized') return `connection is unauthorized: ${text}`;
  if (id === undefined) return text;
  switch (error.reason) {
    case 'not-found':
      if (wholeTexts.includes(error.code)) return text;
      return `resource does not exist: ${id} with error: ${text}`;
    case 'already-exists':
      return `resource already exists: ${id}${calicoApi === v3ApiVersion ? ` with error: ${text}` : ''}`;
    case 'conflict':
      return `update conflict: ${id}`;
    case 'unsupported':
      return text.startsWith('operation ') ? text : `operation is not supported on ${id}: ${text}`;
    default:
      return text;
  }
}
