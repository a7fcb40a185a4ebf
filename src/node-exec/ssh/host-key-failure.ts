// What is reported, and advised, when the key of a host is not accepted: the same whether the key was checked here or by
// the system's ssh.
import { SshFailure } from './ssh-failure.ts';

export type HostKeyProblem = 'unknown' | 'changed' | 'revoked' | 'unsupported';

const texts: Readonly<Record<HostKeyProblem, string>> = {
  unknown: 'the host key is not known',
  changed: 'the host key has changed',
  revoked: 'the host key is marked as revoked',
  unsupported: 'no host key of a supported type',
};

/** Commands that a hint can name, where they are known. */
export interface HostKeyCommands {
  /** Prints the fingerprint, on the host. */
  readonly compare?: string;
  /** Adds the host to known_hosts. */
  readonly accept?: string;
}

/** `host` is the label of the host; `detail` says which key, or repeats what ssh reported. */
export function hostKeyFailure(
  problem: HostKeyProblem,
  host: string,
  detail: string,
  { compare, accept }: HostKeyCommands = {},
): SshFailure {
  const onHost = compare === undefined ? 'on the host' : `on the host (${compare})`;
  const hints: Readonly<Record<HostKeyProblem, string>> = {
    unknown:
      `Compare the fingerprint ${onHost}, then accept the key` +
      (accept === undefined ? ' by logging in once with ssh.' : `: ${accept}`),
    changed: `Possible man-in-the-middle attack. If the host was reinstalled, compare the fingerprint ${onHost}, then correct known_hosts.`,
    revoked: 'This key is revoked: a stolen key may be used to impersonate the host. Give the host a new key first.',
    unsupported: 'Add an ed25519 host key to the host.',
  };
  return new SshFailure('host-key', `${host}: ${texts[problem]} (${detail})`, hints[problem]);
}
