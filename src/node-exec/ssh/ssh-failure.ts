// Why a host was not reached, in words that do not name the node yet: a jump host serves many nodes.
import { TransportError, type TransportFailure } from '../node-exec.ts';

/** A TransportError but for the node: `on` makes it one. */
export class SshFailure extends Error {
  readonly reason: TransportFailure;
  readonly hint: string | undefined;

  constructor(reason: TransportFailure, message: string, hint?: string) {
    super(message);
    this.name = new.target.name;
    this.reason = reason;
    this.hint = hint;
  }

  /** The same for one node. */
  on(node: string): TransportError {
    return new TransportError(this.reason, `${node}: ${this.message}`, { hint: this.hint, cause: this });
  }
}

export const isItUp = 'Is it up, and does sshd listen there? --ssh-host NODE=HOST:PORT says another place.';
export const tryAgain = 'Try again; the logs of sshd on the node say more.';

/** The last line that somebody said, without what a terminal would obey; undefined when nothing was said. */
export function lastLine(text: string): string | undefined {
  const line = text.trim().split(/\r?\n/).at(-1) ?? '';
  return line.replace(/[\x00-\x1f\x7f-\x9f]/g, '').trim() || undefined;
}
