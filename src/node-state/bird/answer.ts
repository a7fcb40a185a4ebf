// What birdc and birdcl print around every answer: the banner, and errors, for which they end with exit code 0 too.
import { cut, linesOf } from '../parsing.ts';

const banner = /^BIRD (\S+) ready\.$/;

/** What BIRD and its client print in place of an answer, each a line of its own that begins so. */
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
 * Why the text is no answer: the line that says so, as BIRD prints it; undefined when there is none.
 * Every line of an answer itself that could begin so is indented, so a description cannot be taken for an error.
 */
export function birdProblem(text: string): string | undefined {
  const line = linesOf(text).find((candidate) => problems.some((problem) => problem.test(candidate)));
  return line === undefined ? undefined : cut(line);
}

/** A text of birdc: whether BIRD greeted, and the lines below that, without those of a restricted session. */
export function birdAnswer(text: string): { greeted: boolean; lines: readonly string[] } {
  const lines = linesOf(text);
  return {
    greeted: lines.some((line) => banner.test(line)),
    lines: lines.filter((line) => line !== '' && line !== 'Access restricted' && !banner.test(line)),
  };
}
