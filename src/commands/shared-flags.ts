// Flags that several commands have, described once.
import { flag, type Parameter } from './parameters.ts';

/** -o with these formats; the first is the default. */
export function outputFlag<Format extends string>(
  ...formats: readonly [Format, ...Format[]]
): Parameter<Format, Format> {
  return flag.choice('FORMAT', formats, 'output format').short('o').default(formats[0]);
}

export const yesFlag = flag.on('do not ask for confirmation; only a terminal is asked').short('y');

/** -f, -R and --skip-empty: the manifests that a command reads, see load-manifests.ts. */
export const manifestFlags = {
  filename: flag
    .text('FILE', 'manifest to read: a file, a folder, a pattern, or - for standard input')
    .short('f')
    .repeatable(),
  recursive: flag.on('with a folder: read its subfolders too').short('R'),
  skipEmpty: flag.on('accept files and folders that hold no objects'),
};
