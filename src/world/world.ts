// The outside world as the program sees it: streams, clock, randomness, environment. Types only:
// src/main.ts builds the real world, tests build their own.

/** A stream that the program writes text to. */
export interface OutputStream {
  /** True for a terminal: colour, progress and prompts are allowed. */
  readonly isTerminal: boolean;
  /** Width in characters; 80 if unknown. */
  readonly columns: number;
  /** True when colour may be used: a terminal, NO_COLOR unset, no --no-color. */
  readonly colour: boolean;
  /** Writes all of the text or bytes; resolves when more may be written. A closed pipe is not an error. */
  write(text: string | Uint8Array): Promise<void>;
  /** Aborted when nothing can be written any more: commands that would run for ever end then. */
  readonly gone: AbortSignal;
}

/** The stream that a user's input is read from. */
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
  /** Resolves after the time, or rejects with the signal's reason if it is aborted earlier. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** A random UUID, version 4. */
  uuid(): string;
  /** A number from 0 (included) to 1 (excluded). */
  float(): number;
}

/** Identifies this process, so that the lock of a dead process is recognised as such. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly hostname: string;
  /** Differs from that of every other process with the same pid, on any machine (boot id, pid namespace, start time). */
  readonly incarnation: string;
  /** Whether a process with that identity is alive on this machine; undefined when that cannot be determined. */
  isAlive(pid: number, incarnation: string): boolean | undefined;
}

export interface World {
  /** Last part of argv[0], without `.js`: decides on compat mode. */
  readonly programName: string;
  /** The file of the program: an executable, or the script that Node runs. */
  readonly programPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: string;
  readonly io: Io;
  readonly clock: Clock;
  readonly random: Random;
  readonly self: ProcessIdentity;
  /** Sends a signal to a child process and all of its descendants; processes that have ended are not an error. */
  signalGroup(leader: number, signal: 'SIGINT' | 'SIGKILL'): void;
  /**
   * Does the work while a program of the user has the terminal, an editor: Ctrl-C then is for that program and does not
   * abort `signal`; SIGTERM still does.
   */
  lendTerminal<T>(work: () => Promise<T>): Promise<T>;
  /** Aborted on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}
