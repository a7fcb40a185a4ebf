// Why a host was not reached, without the name of the node: a jump host serves many nodes.
import { TransportError, type TransportFailure } from '../node-exec.ts';

/** A TransportError that does not name the node yet. */
export class SshFailure extends Error {
  readonly reason: TransportFailure;
  readonly hint: string | undefined;

  constructor(reason: TransportFailure, message: string, hint?: string) {
    super(message);
    this.name = new.target.name;
    this.reason = reason;
    this.hint = hint;
  }

  /** The same failure for one node. */
  on(node: string): TransportError {
    return new TransportError(this.reason, `${node}: ${this.message}`, { hint: this.hint, cause: this });
  }
}

export const unreachableHint =
  'Check that the host is up and that sshd listens there; to use another address: --ssh-host NODE=HOST:PORT.';
export const permissionHint = 'Set the user with --ssh-user and the key with --ssh-key, or add the key to ssh-agent.';
export const brokenHint = "Try again; if it keeps failing, see sshd's log on the node.";

/** The last line of a program's messages, without terminal control characters; undefined when there is none. */
export function lastLine(text: string): string | undefined {
  const line = text.trim().split(/\r?\n/).at(-1) ?? '';
  return line.replace(/[\x00-\x1f\x7f-\x9f]/g, '').trim() || undefined;
}
