// The outside world as the program sees it: streams, clock, randomness, environment. Types only.
// src/main.ts builds the real one; tests build theirs.

/** A stream that the program writes text to. */
export interface OutputStream {
  /** True when a person looks at it: colour, progress and prompts are allowed. */
  readonly isTerminal: boolean;
  /** Width in characters; 80 when it is not known. */
  readonly columns: number;
  /** True when colour may be used: a terminal, NO_COLOR unset, no --no-color. */
  readonly colour: boolean;
  /** Writes all of the text or bytes; resolves when more may be written. A closed pipe is no error. */
  write(text: string | Uint8Array): Promise<void>;
  /** Aborted when nothing can be written any more: what goes on without an end has to end then. */
  readonly gone: AbortSignal;
}

/** The stream that answers are read from. */
export interface InputStream {
  readonly isTerminal: boolean;
  /** Everything up to the end of the stream. */
  readAll(): Promise<string>;
  /** One line without its end, or undefined at the end of the stream. */
  readLine(): Promise<string | undefined>;
}

export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export interface Clock {
  now(): Date;
  /** Nanoseconds since 1970, as Calico numbers the first sequence of a block. */
  nowNs(): bigint;
  /** Resolves after the time, or rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** A random UUID, version 4. */
  uuid(): string;
  /** A number from 0 (included) to 1 (excluded). */
  float(): number;
}

/** Names this very process, so that a lock left by a dead one can be told from a live one. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly hostname: string;
  /** Unlike any earlier process with the same pid on any machine (boot id, pid namespace, start time). */
  readonly incarnation: string;
  /** True when a process with that identity is alive on this machine; undefined when it cannot be told. */
  isAlive(pid: number, incarnation: string): boolean | undefined;
}

export interface World {
  /** Last part of argv[0], without a `.js` ending: decides on compat mode. */
  readonly programName: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly io: Io;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: ProcessIdentity;
  /** Sends a signal to a process that this one started and to all that it started; what is gone already is no error. */
  signalGroup(leader: number, signal: 'SIGINT' | 'SIGKILL'): void;
  /** Aborted on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}
