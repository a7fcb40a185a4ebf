// The exit code of commands that read nodes and judge their answers.
import { type ExitCode, exitCodes } from '../../world/errors.ts';

export interface Judged {
  /** Some node answered. */
  readonly reached: boolean;
  readonly faulty: boolean;
  readonly unreached: readonly unknown[];
}

/** 1 if no node was reached, else 3 if something is wrong, else 5 if a node was not reached, else 0. */
export function exitOf({ reached, faulty, unreached }: Judged): ExitCode {
  if (!reached) return exitCodes.failed;
  if (faulty) return exitCodes.findings;
  return unreached.length > 0 ? exitCodes.partial : exitCodes.ok;
}

interface JudgedList {
  readonly items: readonly { readonly reached: boolean }[];
  readonly findings: readonly unknown[];
  readonly unreached: readonly unknown[];
  /** When absent, every finding counts. */
  readonly faulty?: boolean;
}

/** Same, for a list with one item per node. */
export function exitOfList({ items, findings, unreached, faulty = findings.length > 0 }: JudgedList): ExitCode {
  return exitOf({ reached: items.some(({ reached }) => reached), faulty, unreached });
}
