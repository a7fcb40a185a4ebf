// Errors of the CNI protocol: a code, a message, and details; runtimes read them as JSON from standard output.

/** Codes of the CNI specification, and Calico's own for everything else. docs/reference/cni.md#errors */
export const cniErrorCodes = {
  incompatibleVersion: 1,
  invalidEnvironment: 4,
  decoding: 6,
  invalidConfiguration: 7,
  /** Of STATUS: an ADD would fail now. */
  notAvailable: 50,
  /** Of a test of the connection. */
  datastore: 100,
  other: 999,
} as const;

export class CniError extends Error {
  readonly code: number;
  readonly details: string;

  constructor(message: string, code: number = cniErrorCodes.other, details = '') {
    super(message);
    this.name = 'CniError';
    this.code = code;
    this.details = details;
  }
}

/** The error as runtimes read it; `details` only where there are any. */
export function errorJson({ code, message, details }: CniError): string {
  return JSON.stringify({ code, msg: message, ...(details === '' ? {} : { details }) }, undefined, 4);
}
