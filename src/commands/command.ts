// A command is typed data: what it is called, what it takes, and where its body is. cli/ parses and checks the command
// line, loads the body, renders what `run` returns and maps it to an exit code.
import type { ConnectionSettings } from '../connect/settings.ts';
import type { Datastore } from '../datastore/datastore.ts';
import type { NodeExec } from '../node-exec/node-exec.ts';
import type { ExitCode } from '../world/errors.ts';
import type { Progress } from '../world/progress.ts';
import type { World } from '../world/world.ts';
import type { InputOf, Parameters, Rule } from './parameters.ts';
import type { TransportInput } from './transport-flags.ts';

/** What every command gets: the world and, made on first use, what is costly. */
export interface Context {
  readonly world: World;
  readonly version: { readonly calictl: string; readonly calico: string; readonly commit: string };
  /** The datastore that flags, configuration file and environment name. Errors: wrong configuration, no connection data. */
  datastore(): Promise<Datastore>;
  /** How the datastore is reached, by configuration file or environment. Errors: those of the file. */
  settings(): Promise<ConnectionSettings>;
  /**
   * The transport to nodes that `--via` names, else the one that goes with the datastore; closed with the command.
   * Errors: UsageError for a transport that does not exist, those of the transport.
   */
  nodeExec(input: TransportInput): Promise<NodeExec>;
  /** Writes a line for people to stderr, at once; nothing under the name calicoctl. */
  note(line: string): Promise<void>;
  /** Shows progress on a terminal's stderr; elsewhere nothing. */
  readonly progress: Progress;
  /** Asks on a terminal and returns true for yes; never called off a terminal. */
  confirm(question: string): Promise<boolean>;
}

/** Text as one piece or as it becomes ready. */
export type Rendered = string | AsyncIterable<string>;

export interface View {
  /** Width of the terminal, Infinity when the output goes elsewhere. */
  readonly columns: number;
  readonly colour: boolean;
}

export type Renderer<Result> = (result: Result, view: View) => Rendered | Promise<Rendered>;

/** The formats that `--output` of this input may name. */
type FormatOf<Input> = Input extends { readonly output: infer Format extends string } ? Format : string;

/** What a command does: the exports of its run.ts. */
export interface Body<Input, Result> {
  run(ctx: Context, input: Input): Promise<Result>;
  /** One renderer for each format that `--output` takes. */
  readonly formats: Readonly<Record<FormatOf<Input>, Renderer<Result>>>;
  /** The format of this input: `--output`, when the body does not say otherwise. */
  format?(input: Input): NoInfer<FormatOf<Input>>;
  /** The exit code, 0 when absent. A number that is not an ExitCode is that of a program that the command ran. */
  exit?(result: Result): number;
  /** Errors of a result that was printed all the same (one of several names not found): each goes to stderr. */
  errors?(result: Result): readonly Error[];
}

export interface Example {
  readonly command: string;
  readonly about: string;
}

interface Described {
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly Example[];
  /** What exit codes mean for this command, where that says more than the general list. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** The exit code of a failure, where 1 means something else. */
  readonly failureExit?: ExitCode;
  /** How calicoctl has this command; absent when it does not. */
  readonly calicoctl?: CalicoctlFace;
}

/** A command as the register holds it: the types of its input and result are between its own files. */
export interface Command extends Described {
  readonly args: Parameters;
  readonly flags: Parameters;
  readonly rules: readonly Rule[];
  load(): Promise<Body<unknown, unknown>>;
}

interface CommandDefinition<Flags extends Parameters, Args extends Parameters, Result> extends Described {
  readonly args: Args;
  readonly flags: Flags;
  readonly rules?: readonly Rule<Extract<keyof Flags | keyof Args, string>>[];
  load(): Promise<Body<InputOf<Flags, Args>, Result>>;
}

/** Checks that the body takes what flags and arguments give, and forgets both types for the register. */
export function defineCommand<Flags extends Parameters, Args extends Parameters, Result>(
  definition: CommandDefinition<Flags, Args, Result>,
): Command {
  return { rules: [], ...definition } as unknown as Command;
}

const generalExitCodes: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'failed: the datastore or the network did not answer, or an unexpected error',
  2: 'wrong usage or invalid input',
};

/** What the exit codes of a command mean: its own words first, else the general ones. */
export function exitCodeMeanings({ exitCodes = {} }: Pick<Command, 'exitCodes'>): Readonly<Record<number, string>> {
  return { ...generalExitCodes, ...exitCodes };
}

/** What calicoctl's face of a command does: the exports of its calicoctl.ts. */
export interface CalicoctlBody<Input, Result> {
  /** What comes before the version-mismatch guard. Errors: UsageError for a value that cannot be right. */
  check?(input: Input): void;
  run(ctx: Context, input: Input): Promise<Result>;
  /** What goes to stdout. */
  text(result: Result): Rendered;
  /** 0 when absent. calicoctl knows 0 and 1 only. */
  exit?(result: Result): number;
  /** Errors of a result that was printed all the same: each goes to stderr. */
  errors?(result: Result): readonly Error[];
}

/** A command as calicoctl has it. Its parser takes nothing but these flags and arguments, as texts. */
export interface CalicoctlFace {
  readonly args: Parameters;
  readonly flags: Parameters;
  /** The version-mismatch guard runs before it; `guardPrefix` comes before what it says. */
  readonly guarded: boolean;
  readonly guardPrefix?: string | ((input: never) => string);
  /** One of the commands on resources: takes --context after its name, reports an unusable datastore on stdout. */
  readonly isResourceCommand?: boolean;
  /** Takes either its arguments or --filename, with which --recursive and --skip-empty go. */
  readonly takesArgumentsOrFile?: true;
  /** Takes no --config. */
  readonly takesNoConfig?: boolean;
  /** Rewrites a word of the command line before it is parsed. */
  readonly rewrite?: (word: string) => string;
  /** The usage line after the program's name, where it is not the one that flags and arguments give. */
  readonly usage?: string;
  /** For its help, where the command does less than calictl's, or other things. */
  readonly description?: string;
  load(): Promise<CalicoctlBody<unknown, unknown>>;
}

interface CalicoctlDefinition<Flags extends Parameters, Args extends Parameters, Result>
  extends Omit<CalicoctlFace, 'load' | 'guardPrefix'> {
  readonly args: Args;
  readonly flags: Flags;
  readonly guardPrefix?: string | ((input: InputOf<Flags, Args>) => string);
  load(): Promise<CalicoctlBody<InputOf<Flags, Args>, Result>>;
}

/** Checks that calicoctl's body takes what its flags and arguments give. */
export function defineCalicoctl<Flags extends Parameters, Args extends Parameters, Result>(
  definition: CalicoctlDefinition<Flags, Args, Result>,
): CalicoctlFace {
  return definition as unknown as CalicoctlFace;
}
