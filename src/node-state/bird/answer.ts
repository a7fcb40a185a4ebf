// What birdc and birdcl print around every answer: the banner, and errors, for which they exit with 0 as well.
import { cut, linesOf } from '../parsing.ts';

const banner = /^BIRD (\S+) ready\.$/;

/** How lines begin that BIRD and its client print instead of an answer. */
const problems: readonly RegExp[] = [
  /^Unable to connect to server control socket/,
  /^Cannot create socket/,
  /^Connection closed by server/,
  /^Server (read|write) error/,
  /^No such command\./,
  /^Ambiguous command/,
  /^(\S+:\d+(:\d+)? )?syntax error/,
  /^Access denied$/,
  /^Network not in table$/,
  /^No protocols match$/,
  /^There (is no|are multiple) \S+ protocols? running/,
  /^\S+ is not a (protocol|table|ROA table)$/,
];

/**
 * The error that was printed instead of an answer, as BIRD words it; undefined when there is none. Lines of an answer
 * that could begin like an error are indented, so a description cannot be mistaken for one.
 */
export function birdProblem(text: string): string | undefined {
  const line = linesOf(text).find((candidate) => problems.some((problem) => problem.test(candidate)));
  return line === undefined ? undefined : cut(line);
}

/** Output of birdc: whether BIRD greeted, and the other lines, without the note about a restricted session. */
export function birdAnswer(text: string): { greeted: boolean; lines: readonly string[] } {
  const lines = linesOf(text);
  return {
    greeted: lines.some((line) => banner.test(line)),
    lines: lines.filter((line) => line !== '' && line !== 'Access restricted' && !banner.test(line)),
  };
}
