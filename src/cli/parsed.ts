// What a command line turns out to mean: a command to run, or a text to print.
import type { Command } from '../commands/command.ts';
import type { ExitCode } from '../world/errors.ts';
import type { GivenFlags } from './input.ts';

export interface ParsedCommand {
  readonly type: 'command';
  readonly command: Command;
  readonly args: readonly string[];
  /** The command's own flags. */
  readonly flags: GivenFlags;
  /** The flags of global-flags.ts. */
  readonly globals: GivenFlags;
}

export interface ParsedText {
  readonly type: 'text';
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ExitCode;
}

export type Parsed = ParsedCommand | ParsedText;

/** A text for one stream only. */
export function textFor(stream: 'stdout' | 'stderr', text: string, exit: ExitCode): ParsedText {
  return {
    type: 'text',
    stdout: stream === 'stdout' ? text : '',
    stderr: stream === 'stderr' ? text : '',
    exit,
  };
}
