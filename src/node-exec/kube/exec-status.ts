// What the API server reports at the end of an exec, or instead of one: an exit code, a program that was not started, or
// why the container was not reached.

export type ExecEnd =
  | { readonly kind: 'exit'; readonly code: number }
  /** `code` is 126 or 127, as in a shell. */
  | { readonly kind: 'not-started'; readonly code: 126 | 127; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

/** The fields of a meta/v1 Status that are used here. */
interface Status {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] | null;
  } | null;
}

/** Parses a Status; returns undefined for anything else. */
function statusIn(text: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Status) : undefined;
  } catch {
    return undefined;
  }
}

/** The URL of an exec repeats the whole command. */
const commandInUrl = /(https?:\/\/[^\s"?]*)\?[^\s"]*/g;

/** The message of a response, on one line; also of a proxy's HTML page. */
export function messageOf(body: string): string {
  const message = statusIn(body)?.message ?? body.replace(/<[^>]*>/g, ' ');
  // Every layer that an error passes adds this prefix.
  const bare = message.replace(/(?:Internal error occurred: )+/g, '').replace(commandInUrl, '$1');
  return bare.replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** Messages of container runtimes about a program that they cannot start. */
const notStarted = /OCI runtime|unable to start container process|executable file not found|exec format error/i;
const notAllowed = /permission denied|exec format error|is a directory/i;

/** Reads the last message of an exec. */
export function execEnd(text: string): ExecEnd {
  const status = statusIn(text);
  if (status?.status === 'Success') return { kind: 'exit', code: 0 };
  const code = status?.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status?.reason === 'NonZeroExitCode' && code !== undefined && /^\d+$/.test(code)) {
    return { kind: 'exit', code: Number(code) };
  }
  const message = messageOf(text);
  if (notStarted.test(message)) {
    return { kind: 'not-started', code: notAllowed.test(message) ? 126 : 127, text: message };
  }
  return { kind: 'failed', text: message };
}

/** The permission that a 403 response names, `get pods/exec in namespace kube-system`; else `otherwise`. */
export function missingRight(body: string, otherwise: string): string {
  const found = /cannot (\S+) resource "([^"]+)".*? (?:(at the cluster scope)|in the namespace "([^"]+)")/.exec(
    statusIn(body)?.message ?? '',
  );
  if (found === null) return otherwise;
  const [, verb, resource, everywhere, namespace] = found;
  return `${verb} ${resource} in ${everywhere === undefined ? `namespace ${namespace}` : 'all namespaces'}`;
}
