// Exit codes of programs that a signal ended, with the numbers of Linux: nodes run Linux, whatever this machine runs.

const signalNumbers: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  USR1: 10,
  SEGV: 11,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  XCPU: 24,
  XFSZ: 25,
  SYS: 31,
};

/** A shell's exit code for a program that this signal ended: 143 for `TERM` and `SIGTERM`; 128 for an unknown signal. */
export function exitOfSignal(signal: string): number {
  return 128 + (signalNumbers[signal.replace(/^SIG/, '')] ?? 0);
}
