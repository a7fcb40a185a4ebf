// What is wrong with a template, or with evaluating one.
import { CalictlError, exitCodes, UsageError } from '../world/errors.ts';

const code = 'TEMPLATE';

/** A template or path that cannot be read: wrong usage. `at` counts characters from 0. */
export function syntaxError(language: string, text: string, at: number, problem: string): UsageError {
  const rest = text.slice(at, at + 20);
  const where = rest === '' ? 'at its end' : `at "${rest}${text.length > at + 20 ? '…' : ''}"`;
  return new UsageError(`invalid ${language}: ${problem} ${where}`, undefined, code);
}

/** A template that is sound but cannot be applied to this value. */
export class EvaluationError extends CalictlError {
  constructor(message: string) {
    super(message, { code, exit: exitCodes.failed });
  }
}
