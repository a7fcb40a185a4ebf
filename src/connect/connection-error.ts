// Why no connection could be made out of the settings: nothing was sent yet.
import { CalictlError } from '../world/errors.ts';

export interface ConnectionErrorDetails {
  /** What Kubernetes' own loader says, as calicoctl prints it. */
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

/** A file that the settings or the kubeconfig name. */
export function unreadableFile(what: string, path: string, cause: unknown): ConnectionError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const [why, text] =
    code === 'ENOENT'
      ? ['does not exist', 'no such file or directory']
      : code === 'EACCES'
        ? ['may not be read', 'permission denied']
        : code === 'EISDIR'
          ? ['is a folder', 'is a directory']
          : ['cannot be read', String(code ?? cause)];
  return new ConnectionError(`${what} ${path} ${why}`, {
    storeText: `${code === 'ENOENT' ? 'stat' : 'open'} ${path}: ${text}`,
    hint: 'Name another kubeconfig with --kubeconfig or KUBECONFIG, or correct the path.',
    cause,
  });
}
