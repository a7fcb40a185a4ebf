// From a response with an error status to a DatastoreError: what the server refused, and why.
import type { Kind } from '../../resources/kind.ts';
import type { ObjectRef } from '../../resources/object.ts';
import { parseJson } from '../../text/json.ts';
import { DatastoreError } from '../datastore.ts';
import { alreadyExists, conflict, notFound, resourceOf } from '../object-rules.ts';

export type Verb = 'get' | 'list' | 'create' | 'update' | 'delete';

/** The fields of meta/v1 Status that are used. */
export interface KubeStatus {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly causes?: readonly StatusCause[] | null;
  } | null;
  readonly metadata?: { readonly continue?: string };
}

interface StatusCause {
  readonly reason?: string;
  readonly field?: string;
}

/** The Status in a body; for any other body, its text as the message. */
export function statusOf(body: string): KubeStatus {
  try {
    const parsed = parseJson(body);
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed) && parsed['kind'] === 'Status') {
      return parsed as KubeStatus;
    }
  } catch {
    // A page of a proxy, or the plain text that the server sends for unknown paths.
  }
  const text = body
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? {} : { message: text.slice(0, 300) };
}

/** What a request was about. */
export interface RequestSubject {
  readonly verb: Verb;
  readonly kind: Kind;
  /** Absent for a list. */
  readonly ref?: ObjectRef | undefined;
}

/** The error for an HTTP status, as docs/reference/exit-codes.md lists them; `storeText` is the server's own message. */
export function statusError(code: number, status: KubeStatus, { verb, kind, ref }: RequestSubject): DatastoreError {
  const storeText = status.message ?? `HTTP status ${code}`;
  const object: ObjectRef = ref ?? { name: '' };
  const as = (error: DatastoreError): DatastoreError =>
    new DatastoreError(error.reason, error.message, { storeText, hint: error.hint });
  switch (code) {
    case 401:
    case 403:
      return new DatastoreError('unauthorized', `not allowed to ${verb} ${resourceOf(kind)}: ${storeText}`, {
        storeText,
        hint: rightsHint(code, verb, kind, ref),
      });
    case 404:
      if (ref === undefined || isMissingKind(status)) return missingKind(kind, storeText);
      if (status.details?.kind === 'namespaces') {
        return new DatastoreError('not-found', `the namespace ${object.namespace} does not exist`, { storeText });
      }
      return as(notFound(kind, object));
    case 409:
      if (status.reason === 'AlreadyExists') return as(alreadyExists(kind, object));
      // Two layers of the server compare uids, each with its own message. The object to delete is gone then.
      if (verb === 'delete' && /UID in (the )?precondition/.test(storeText)) return as(notFound(kind, object));
      return as(conflict(kind, object));
    case 422:
      if (onlyCauses(status, 'metadata.uid')) return as(notFound(kind, object));
      if (onlyCauses(status, 'metadata.resourceVersion')) return as(conflict(kind, object));
      return refused(verb, kind, object, storeText);
    case 400:
    case 413:
    case 415:
      return refused(verb, kind, object, storeText);
    case 405:
      return new DatastoreError('unsupported', `the API server does not ${verb} ${resourceOf(kind)}`, { storeText });
    default:
      return new DatastoreError('unavailable', `the API server could not ${verb} ${resourceOf(kind)}: ${storeText}`, {
        storeText,
        hint: 'Try again; if the error persists, check the API server.',
      });
  }
}

function isMissingKind(status: KubeStatus): boolean {
  return !status.details?.name;
}

function missingKind(kind: Kind, storeText: string): DatastoreError {
  const hint = kind.api.group.endsWith('projectcalico.org')
    ? "Install Calico's CustomResourceDefinitions, or check that this is the right cluster."
    : 'Check that this is the right cluster.';
  return new DatastoreError('not-found', `the cluster has no ${resourceOf(kind)}`, {
    missingKind: true,
    storeText,
    hint,
  });
}

function refused(verb: Verb, kind: Kind, ref: ObjectRef, storeText: string): DatastoreError {
  const name = ref.name === '' ? resourceOf(kind) : `${kind.kind} ${ref.name}`;
  return new DatastoreError('invalid', `the API server refused to ${verb} ${name}: ${storeText}`, { storeText });
}

function rightsHint(code: number, verb: Verb, kind: Kind, ref: ObjectRef | undefined): string {
  if (code === 401) {
    return `The API server does not accept these credentials to ${verb} ${resourceOf(kind)}: sign in again, or choose another context.`;
  }
  const where = kind.namespaced && ref?.namespace !== undefined ? ` -n ${ref.namespace}` : '';
  return `Ask for permission to ${verb} ${kind.kind}; check it with: kubectl auth can-i ${verb} ${resourceOf(kind)}${where}`;
}

function onlyCauses(status: KubeStatus, field: string): boolean {
  const causes = status.details?.causes ?? [];
  return causes.length > 0 && causes.every((cause) => cause.field === field);
}
