// Flags that several commands have, described once.
import { flag, type Parameter } from './parameters.ts';

/** -o with these formats; the first is the default. */
export function outputFlag<Format extends string>(
  ...formats: readonly [Format, ...Format[]]
): Parameter<Format, Format> {
  return flag.choice('FORMAT', formats, 'output format').short('o').default(formats[0]);
}

export const yesFlag = flag.on('do not ask for confirmation; scripts are never asked').short('y');

/** -f, -R and --skip-empty: the manifests that a command reads, see load-manifests.ts. */
export const manifestFlags = {
  filename: flag
    .text('FILE', 'manifest to read: a file, a directory, a pattern, or - for standard input')
    .short('f')
    .repeatable(),
  recursive: flag.on('with a directory: read its subdirectories too').short('R'),
  skipEmpty: flag.on('accept files and directories that hold no objects'),
};

/** The flags of commands that write the objects of manifests. */
export const writeFlags = {
  ...manifestFlags,
  namespace: flag.text('NAMESPACE', 'namespace of objects that do not set one (default: default)').short('n'),
  dryRun: flag.choice(
    'MODE',
    ['client', 'server'],
    'write nothing; with server, the datastore also checks each write. One of',
  ),
};

/** -f, -R and --skip-empty, -n: as calicoctl has them. */
export const calicoctlManifestFlags = {
  filename: flag
    .text('FILENAME', 'manifest to read: a file, a directory, or - for standard input')
    .short('f')
    .required(),
  recursive: flag.on('with a directory: read its subdirectories too').short('R'),
  skipEmpty: flag.on('accept files and directories that hold no objects'),
};

export const calicoctlNamespaceFlag = flag
  .text('NS', 'namespace of objects that do not set one (default: default)')
  .short('n');
