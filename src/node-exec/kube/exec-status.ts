// What the API server says of an exec at its end, or in place of it: an exit code, a program that was not started, or why
// the container was not reached. Reads texts only.

export type ExecEnd =
  | { readonly kind: 'exit'; readonly code: number }
  /** `code` is 126 or 127, as in a shell. */
  | { readonly kind: 'not-started'; readonly code: 126 | 127; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

/** meta/v1 Status, as far as it is used. */
interface Status {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] | null;
  } | null;
}

/** Reads a Status; anything else has no message. */
function statusIn(text: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Status) : undefined;
  } catch {
    return undefined;
  }
}

/** The address of an exec repeats the whole command. */
const commandInUrl = /(https?:\/\/[^\s"?]*)\?[^\s"]*/g;

/** The message of an answer, of a proxy's page as much as one line of it shows. */
export function messageOf(body: string): string {
  const message = statusIn(body)?.message ?? body.replace(/<[^>]*>/g, ' ');
  // Each layer that an error passes puts this before it.
  const bare = message.replace(/(?:Internal error occurred: )+/g, '').replace(commandInUrl, '$1');
  return bare.replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** What the container runtimes say of a program that they cannot start. */
const notStarted = /OCI runtime|unable to start container process|executable file not found|exec format error/i;
const notAllowed = /permission denied|exec format error|is a directory/i;

/** The last message of an exec. */
export function execEnd(text: string): ExecEnd {
  const status = statusIn(text);
  if (status?.status === 'Success') return { kind: 'exit', code: 0 };
  const said = status?.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status?.reason === 'NonZeroExitCode' && said !== undefined && /^\d+$/.test(said)) {
    return { kind: 'exit', code: Number(said) };
  }
  const message = messageOf(text);
  if (notStarted.test(message)) {
    return { kind: 'not-started', code: notAllowed.test(message) ? 126 : 127, text: message };
  }
  return { kind: 'failed', text: message };
}

/** The right that a refusal (403) names: `get pods/exec in namespace kube-system`. */
export function missingRight(body: string, otherwise: string): string {
  const found = /cannot (\S+) resource "([^"]+)".*? (?:(at the cluster scope)|in the namespace "([^"]+)")/.exec(
    statusIn(body)?.message ?? '',
  );
  if (found === null) return otherwise;
  const [, verb, resource, everywhere, namespace] = found;
  return `${verb} ${resource} in ${everywhere === undefined ? `namespace ${namespace}` : 'all namespaces'}`;
}
