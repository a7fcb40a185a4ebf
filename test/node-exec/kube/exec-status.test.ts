// The last message of an exec, in the words of API servers, containerd and CRI-O.
import { describe, expect, it } from 'vitest';
import { execEnd, messageOf, missingRight } from '../../../src/node-exec/kube/exec-status.ts';

const failure = (message: string, reason = 'InternalError'): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code: 500 });

describe('execEnd', () => {
  it('reads success and an exit code', () => {
    expect(execEnd('{"metadata":{},"status":"Success"}')).toEqual({ kind: 'exit', code: 0 });
    const text =
      '{"metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: command terminated with exit code 2","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"2"}]}}';
    expect(execEnd(text)).toEqual({ kind: 'exit', code: 2 });
  });

  it.each([
    [
      127,
      'error executing command in container: failed to exec in container: failed to start exec "1f": OCI runtime exec failed: exec failed: unable to start container process: exec: "ps": executable file not found in $PATH: unknown',
    ],
    [
      127,
      'error executing command in container: exec failed: unable to start container process: exec: "/x": stat /x: no such file or directory',
    ],
    [
      126,
      'OCI runtime exec failed: exec failed: unable to start container process: exec: "/etc": permission denied: unknown',
    ],
    [126, 'OCI runtime exec failed: exec failed: unable to start container process: exec /x: exec format error'],
  ] as const)('returns %i for %s', (code, message) => {
    expect(execEnd(failure(`Internal error occurred: Internal error occurred: ${message}`))).toEqual({
      kind: 'not-started',
      code,
      text: message.slice(0, 300),
    });
  });

  it.each([
    'error sending request: Post "https://10.0.0.1:10250/exec/a/b/c": dial tcp 10.0.0.1:10250: connect: connection refused',
    'unable to upgrade connection: container not found ("calico-node")',
  ])('reads %s as an unreachable container', (message) => {
    expect(execEnd(failure(`Internal error occurred: ${message}`))).toEqual({ kind: 'failed', text: message });
  });

  it.each(['', 'null', '[]', 'not JSON', '{"status":"Failure","reason":"NonZeroExitCode"}'])(
    'reads no exit code from %j',
    (text) => {
      expect(execEnd(text).kind).toBe('failed');
    },
  );
});

describe('messageOf', () => {
  it('removes the command from URLs', () => {
    const text =
      'error sending request: Post "https://10.0.0.1:10250/exec/a/b/c?command=cat&command=x": no route to host';
    expect(messageOf(failure(text))).toBe(
      'error sending request: Post "https://10.0.0.1:10250/exec/a/b/c": no route to host',
    );
  });

  it('reduces an HTML page to one line of text', () => {
    expect(messageOf('<html><body><h1>502 Bad Gateway</h1>\n<hr>nginx</body></html>')).toBe('502 Bad Gateway nginx');
  });
});

describe('missingRight', () => {
  const forbidden = (rest: string): string => failure(`x is forbidden: User "u" cannot ${rest}`, 'Forbidden');

  it('reads the verb, the resource and the namespace', () => {
    expect(missingRight(forbidden('list resource "pods" in API group "" at the cluster scope'), '')).toBe(
      'list pods in all namespaces',
    );
    expect(
      missingRight(forbidden('create resource "pods/exec" in API group "" in the namespace "kube-system": no'), ''),
    ).toBe('create pods/exec in namespace kube-system');
  });

  it('returns the attempted permission for any other message', () => {
    expect(missingRight('denied by a proxy', 'list pods')).toBe('list pods');
  });
});
