// Flags that several commands have, described once.
import { flag, type Parameter } from './parameters.ts';

/** -o with these formats; the first is the default. */
export function outputFlag<Format extends string>(
  ...formats: readonly [Format, ...Format[]]
): Parameter<Format, Format> {
  return flag.choice('FORMAT', formats, 'output format').short('o').default(formats[0]);
}

export const yesFlag = flag.on('do not ask for confirmation; only a terminal is asked').short('y');
