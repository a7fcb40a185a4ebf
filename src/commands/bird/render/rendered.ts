// What calictl bird render makes: the configurations, and the files that hold them.
import type { NodeConfiguration } from '../planned-configuration.ts';

export interface Rendered {
  readonly items: readonly NodeConfiguration[];
  /** Files that were written, instead of being printed. */
  readonly written: readonly string[] | undefined;
}
