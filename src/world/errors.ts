// The one error base: what happened, a code for machines, a hint on what to do, and the exit code it maps to.
// Printing and redaction are in cli/exit.ts.

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
  /** For machines, upper case: `IPAM_CONFLICT`. */
  readonly code: string;
  /** What the person can do about it, one sentence. */
  readonly hint?: string | undefined;
  readonly exit?: ExitCode;
  readonly cause?: unknown;
}

/** An error with a known cause: printed as one sentence, never with a stack. */
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

/** A guard said no: exit 4. */
export class RefusedError extends CalictlError {
  constructor(message: string, code: string, hint?: string) {
    super(message, { code, hint, exit: exitCodes.refused });
  }
}
