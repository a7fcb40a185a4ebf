// Why no usable response came from the API server, in one sentence, and what to do about it.
import { DatastoreError } from '../datastore.ts';

type Described = readonly [message: string, hint: string];

const reach = 'Check the address in the kubeconfig, the network, and that the API server is running.';
const trust = "Set certificate-authority in the kubeconfig to the CA that signed the server's certificate.";

/** A response that is not from Kubernetes, or is incomplete. */
export class InvalidResponseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidResponseError';
  }
}

function described(code: string, server: URL, cause: Error): Described {
  const host = server.hostname;
  switch (code) {
    case 'ECONNREFUSED':
      return [`nothing listens at ${server.origin}`, reach];
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return [`the name ${host} of the API server cannot be resolved`, reach];
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return [`the API server ${server.origin} cannot be reached`, reach];
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return [`the API server ${server.origin} closed the connection`, 'Try again.'];
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return [
        `the certificate of ${server.origin} is ${code === 'CERT_HAS_EXPIRED' ? 'no longer' : 'not yet'} valid`,
        "Renew the server's certificate, or correct the clock of this machine.",
      ];
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return [
        `the certificate of ${server.origin} is not valid for ${host}`,
        'Use an address that the certificate names, or set tls-server-name in the kubeconfig.',
      ];
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
    case 'CERT_UNTRUSTED':
      return [`the certificate of ${server.origin} is signed by an unknown authority`, trust];
    case 'EPROTO':
      return [
        `what listens at ${server.origin} does not speak TLS`,
        'Check the port and http or https in the kubeconfig.',
      ];
  }
  if (code.startsWith('HPE_')) {
    return [`what listens at ${server.origin} does not speak HTTP`, 'Check the address of the API server.'];
  }
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return [
      `TLS handshake with ${server.origin} failed: ${cause.message}`,
      'Check the certificates in the kubeconfig.',
    ];
  }
  return [`no response from ${server.origin}: ${cause.message || code}`, reach];
}

/** Known causes in plain words, any other with its own message. */
export function transportError(server: URL, cause: unknown): DatastoreError {
  if (cause instanceof InvalidResponseError) return invalidResponse(server, cause.message, cause);
  const error = firstCause(cause);
  const code = codeOf(error) ?? '';
  const [message, hint] = described(code, server, error);
  return new DatastoreError('unavailable', message, { hint, cause, storeText: error.message });
}

/** The server sent an invalid or incomplete response: `what` says why. */
export function invalidResponse(server: URL, what: string, cause?: unknown): DatastoreError {
  const hint = 'Try again; if the error persists, check for a proxy in front of the API server.';
  return new DatastoreError('unavailable', `invalid response from ${server.origin}: ${what}`, { hint, cause });
}

/** The call timed out: `ms` without a response, or without enough of it. */
export function timedOut(server: URL, ms: number): DatastoreError {
  return new DatastoreError('unavailable', `no response from ${server.origin} within ${ms / 1000} seconds`, {
    hint: 'Try again; the API server may be overloaded or out of reach.',
  });
}

/** The request took longer than the user allowed. */
export function overLimit(server: URL, ms: number): DatastoreError {
  return new DatastoreError('unavailable', `no complete response from ${server.origin} within ${ms / 1000} seconds`, {
    hint: 'That is the limit that --request-timeout sets; allow more time, or find out why the API server is slow.',
  });
}

/** True for a connection that broke, where a retry may well succeed; not for one that was never established. */
export function isPassing(cause: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes(codeOf(firstCause(cause)) ?? '');
}

/** The first error of an AggregateError, which is thrown when all addresses of a name fail. */
function firstCause(cause: unknown): Error {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0];
  return cause instanceof Error ? cause : new Error(String(cause));
}

const codeOf = (error: Error): string | undefined => (error as NodeJS.ErrnoException).code;
