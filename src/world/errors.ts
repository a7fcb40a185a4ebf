// The base of all errors: what happened, a code for programs, a hint on what to do, and the exit code.
// Printing and redaction are in cli/print-error.ts.

/** Exit codes, docs/reference/exit-codes.md. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  findings: 3,
  refused: 4,
  partial: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface ErrorDetails {
  /** For programs, in upper case: `IPAM_CONFLICT`. */
  readonly code: string;
  /** What the user can do about it, in one sentence. */
  readonly hint?: string | undefined;
  readonly exit?: ExitCode;
  readonly cause?: unknown;
}

/** An error with a known cause: printed as one sentence, without a stack trace. */
export class CalictlError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly exit: ExitCode;

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code;
    this.hint = details.hint;
    this.exit = details.exit ?? exitCodes.failed;
  }
}

/** Wrong command line or invalid input: exit 2. */
export class UsageError extends CalictlError {
  constructor(message: string, hint?: string, code = 'USAGE') {
    super(message, { code, hint, exit: exitCodes.usage });
  }
}

/** A failure that calicoctl reports on stdout; exists only in compat mode. */
export class StdoutFailure extends Error {}

/** An argument that should be an address. */
export function invalidIp(text: string): UsageError {
  return new UsageError(
    `invalid IP address specified: ${text}`,
    'write it without a prefix length, like 10.60.0.1 or fd00::1',
    'INVALID_IP',
  );
}

/** Refused, because it would do harm or is not permitted: exit 4. */
export class RefusedError extends CalictlError {
  constructor(message: string, code: string, hint?: string) {
    super(message, { code, hint, exit: exitCodes.refused });
  }
}

const systemTexts: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  ENOSPC: 'no space left on device',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  // Of mkdir for a whole path: something else has the name of one of the folders.
  EEXIST: 'part of the path is not a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EMFILE: 'too many open files',
  EIO: 'input/output error',
};

/** Why a system call failed, in the words of the C library and of Go: `permission denied`. */
export function systemText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return systemTexts[code] ?? (error instanceof Error ? error.message : String(error));
}
