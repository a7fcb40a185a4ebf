// The exit code of commands that read nodes and judge their answers.
import { type ExitCode, exitCodes } from '../../world/errors.ts';

export interface Judged {
  /** Some node answered. */
  readonly reached: boolean;
  readonly faulty: boolean;
  readonly unreached: readonly unknown[];
  /** Kinds that were not read. */
  readonly unread: readonly unknown[];
}

/** 1 if no node was reached, else 3 if something is wrong, else 5 if a node or a kind of object was not read, else 0. */
export function exitOf({ reached, faulty, unreached, unread }: Judged): ExitCode {
  if (!reached) return exitCodes.failed;
  if (faulty) return exitCodes.findings;
  return unreached.length + unread.length > 0 ? exitCodes.partial : exitCodes.ok;
}

interface JudgedList {
  readonly items: readonly { readonly reached: boolean }[];
  readonly findings: readonly unknown[];
  readonly unreached: readonly unknown[];
  readonly unread: readonly unknown[];
  /** When absent, every finding counts. */
  readonly faulty?: boolean;
}

/** Same, for a list with one item per node. */
export function exitOfList({ items, findings, unreached, unread, faulty = findings.length > 0 }: JudgedList): ExitCode {
  // Without a node to ask there is none that was not reached.
  const reached = items.length === 0 || items.some((item) => item.reached);
  return exitOf({ reached, faulty, unreached, unread });
}
