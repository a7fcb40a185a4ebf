// What ssh's own words mean when it ends with 255: which kind of failure it was, and what to do about it.
import type { TransportFailure } from '../node-exec.ts';
import { isItUp, lastLine, SshFailure, tryAgain } from './ssh-failure.ts';

interface Meaning {
  readonly pattern: RegExp;
  readonly reason: TransportFailure;
  readonly text: string;
  readonly hint: string;
}

/** The first that fits counts: what says more comes before. */
const meanings: readonly Meaning[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for .* has changed/,
    reason: 'host-key',
    text: 'the host key has changed',
    hint: 'Somebody may be in between. If the host was set up anew, compare the fingerprint on it, then correct the list.',
  },
  {
    pattern: /REVOKED HOST KEY|is marked as revoked/,
    reason: 'host-key',
    text: 'the host key is revoked',
    hint: 'Whoever has this key may be somebody else. Give the host a new one before anything is sent to it.',
  },
  {
    pattern: /Host key verification failed|No .* host key is known|no matching host key/,
    reason: 'host-key',
    text: 'the host key is not known',
    hint: 'Log in once with ssh, compare the fingerprint with that on the host, and accept it.',
  },
  {
    pattern: /Permission denied|Too many authentication failures|No supported authentication methods/,
    reason: 'unauthorized',
    text: 'it does not let us in',
    hint: 'Name the user with --ssh-user and the key with --ssh-key, or add the key to ssh-agent.',
  },
  {
    pattern: /closed by remote host|client_loop: |Timeout, server|Read from remote host|Broken pipe|Killed by signal/,
    reason: 'broken',
    text: 'the connection broke off',
    hint: tryAgain,
  },
];

/**
 * `said`: the end of what came on stderr. Whether it was ssh that ended with 255, or the command on the node, is not told
 * here.
 */
export function failureFromMessages(said: string, place: string): SshFailure {
  const last = lastLine(said) ?? 'it says nothing';
  const meaning = meanings.find(({ pattern, reason }) => pattern.test(reason === 'broken' ? last : said));
  return meaning === undefined
    ? new SshFailure('unreachable', `${place}: ${last}`, isItUp)
    : new SshFailure(meaning.reason, `${place}: ${meaning.text} (${last})`, meaning.hint);
}
