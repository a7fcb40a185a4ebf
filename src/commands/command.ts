// A command is typed data plus one function: what it is called, what it takes, and run(ctx, input) -> result.
// cli/ parses the command line into Input, calls run, renders the result and maps it to an exit code.
import type { ConnectionSettings } from '../connect/settings.ts';
import type { Datastore } from '../datastore/datastore.ts';
import type { NodeExec } from '../node-exec/node-exec.ts';
import type { World } from '../world/world.ts';

export interface FlagSpec {
  /** Long name without dashes, kebab case: `dry-run`. */
  readonly name: string;
  /** One letter, without a dash. */
  readonly short?: string;
  /** Word shown for its value (`FILE`); a flag without one is a boolean. */
  readonly value?: string;
  readonly about: string;
  readonly repeatable?: boolean;
  readonly default?: string;
  /** The only values accepted, when they are few. */
  readonly choices?: readonly string[];
  /** Set for what calicoctl has too: in compat mode nothing else is accepted, and what is required must be there. */
  readonly calicoctl?: boolean | 'required';
}

export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  readonly required?: boolean;
  readonly variadic?: boolean;
  /** False for what calicoctl does not take: in compat mode it is not there. */
  readonly calicoctl?: false;
}

/** What the person typed, checked against the specs; flag names as in FlagSpec.name. */
export interface Input {
  readonly args: readonly string[];
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  on(flag: string): boolean;
}

/** What every command gets: the world and, made on first use, what is costly. */
export interface Context {
  readonly world: World;
  /** Called as calicoctl: its texts, streams and exit codes. */
  readonly compat: boolean;
  readonly version: { readonly calictl: string; readonly calico: string; readonly commit: string };
  /** The datastore that flags, configuration file and environment name. Errors: wrong configuration, no connection data. */
  datastore(): Promise<Datastore>;
  /** How the datastore is reached, by configuration file or environment. Errors: those of the file. */
  settings(): Promise<ConnectionSettings>;
  /**
   * The way to nodes that `--via` names, else the one that goes with the datastore; closed with the command.
   * Errors: UsageError for a way that does not exist, those of the way.
   */
  nodeExec(input: Input): Promise<NodeExec>;
  /** A line on stderr for people, at once; nothing in compat mode. */
  note(line: string): Promise<void>;
  /** Progress on a terminal's stderr; elsewhere nothing. */
  progress(text: string): void;
  /** Asks on a terminal and answers true for yes; never called off a terminal. */
  confirm(question: string): Promise<boolean>;
}

/** Text as one piece or as it becomes ready. */
export type Rendered = string | AsyncIterable<string>;

export interface View {
  readonly columns: number;
  readonly colour: boolean;
  readonly compat: boolean;
}

export type Renderer<R> = (result: R, view: View) => Rendered | Promise<Rendered>;

export interface Example {
  readonly command: string;
  readonly about: string;
}

export interface Command<R = unknown> {
  /** `['ipam', 'check']`; the file is commands/ipam/check.ts. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly Example[];
  readonly args: readonly ArgumentSpec[];
  readonly flags: readonly FlagSpec[];
  /** calicoctl has this command: it exists in compat mode. */
  readonly calicoctl: boolean;
  /** The version-mismatch guard runs before it in compat mode. */
  readonly guarded: boolean;
  run(ctx: Context, input: Input): Promise<R>;
  /**
   * The format that this input asks for: a key of `formats`. Errors: UsageError for an unknown one.
   * Called before run, so that a bad -o costs nothing.
   */
  format(input: Input, compat: boolean): string;
  readonly formats: Readonly<Record<string, Renderer<R>>>;
  /**
   * Called after rendering; in compat mode its 2 to 5 become 1, except that findings are 0. Another number than an
   * ExitCode is that of a program that the command ran.
   */
  exit(result: R): number;
  /** Errors of a result that was printed all the same (one of several names not found): each goes to stderr. */
  errors?(result: R): readonly Error[];
}

/** Keeps R inferred and forgets it for the registry. */
export function defineCommand<R>(command: Command<R>): Command {
  return command as unknown as Command;
}
