// What ssh's own messages mean when it exits with 255: the kind of failure, and what to do about it.
import type { TransportFailure } from '../node-exec.ts';
import { type HostKeyProblem, hostKeyFailure } from './host-key-failure.ts';
import { brokenHint, lastLine, permissionHint, SshFailure, unreachableHint } from './ssh-failure.ts';

const hostKeyPatterns: readonly (readonly [HostKeyProblem, RegExp])[] = [
  ['changed', /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for .* has changed/],
  ['revoked', /REVOKED HOST KEY|is marked as revoked/],
  ['unsupported', /no matching host key/],
  // ssh ends with this line after the messages above as well, so it is tried last.
  ['unknown', /Host key verification failed|No .* host key is known/],
];

interface Meaning {
  readonly pattern: RegExp;
  readonly reason: TransportFailure;
  readonly text: string;
  readonly hint: string;
}

const denied: Meaning = {
  pattern: /Permission denied|Too many authentication failures|No supported authentication methods/,
  reason: 'unauthorized',
  text: 'permission denied',
  hint: permissionHint,
};

const lost: Meaning = {
  pattern: /closed by remote host|client_loop: |Timeout, server|Read from remote host|Broken pipe|Killed by signal/,
  reason: 'broken',
  text: 'the connection was lost',
  hint: brokenHint,
};

/**
 * The failure that `messages`, the end of ssh's standard error, report for the host with this label. Whether it was ssh
 * that exited with 255, or the command on the node, must be known already.
 */
export function failureFromMessages(messages: string, host: string): SshFailure {
  const last = lastLine(messages) ?? 'ssh printed no message';
  for (const [problem, pattern] of hostKeyPatterns) {
    if (pattern.test(messages)) return hostKeyFailure(problem, host, last);
  }
  // A message about the connection counts only as the last word.
  const meaning = denied.pattern.test(messages) ? denied : lost.pattern.test(last) ? lost : undefined;
  if (meaning === undefined) return new SshFailure('unreachable', `${host}: ${last}`, unreachableHint);
  return new SshFailure(meaning.reason, `${host}: ${meaning.text} (${last})`, meaning.hint);
}
