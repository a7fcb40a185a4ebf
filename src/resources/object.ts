// The shape of any object as a Kubernetes API holds it.
// Objects travel whole and raw: a reader never drops a field it does not know.

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  [field: string]: unknown;
}

export interface ManagedField {
  manager?: string;
  operation?: string;
  time?: string;
  [field: string]: unknown;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number | bigint;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedField[];
  [field: string]: unknown;
}

/** Any object of the API. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

/** Names one object of a kind. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The namespace of an object of a namespaced kind that does not name one. */
export const defaultNamespace = 'default';

/** `shop/cart-0`, or `worker-1` without a namespace: for messages, and unique among the objects of a kind. */
export function qualifiedName({ namespace, name }: ObjectRef): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
