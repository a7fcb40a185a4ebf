// Errors of connection settings: nothing was sent yet.
import { CalictlError, systemText } from '../world/errors.ts';

export interface ConnectionErrorDetails {
  /** The message of Kubernetes' own loader, which calicoctl prints. */
  readonly storeText?: string;
  readonly hint: string;
  readonly cause?: unknown;
}

export class ConnectionError extends CalictlError {
  readonly storeText: string;

  constructor(message: string, details: ConnectionErrorDetails) {
    super(message, { code: 'CONNECTION_SETTINGS', hint: details.hint, cause: details.cause });
    this.storeText = details.storeText ?? message;
  }
}

/** A file that the settings or the kubeconfig name cannot be read. `what` is its role: `the CA file`. */
export function unreadableFile(what: string, path: string, cause: unknown): ConnectionError {
  const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  const why = systemText(cause);
  return new ConnectionError(isMissing ? `${what} ${path} does not exist` : `cannot read ${what} ${path}: ${why}`, {
    storeText: `${isMissing ? 'stat' : 'open'} ${path}: ${why}`,
    hint: 'Specify another kubeconfig with --kubeconfig or KUBECONFIG, or correct the path.',
    cause,
  });
}
