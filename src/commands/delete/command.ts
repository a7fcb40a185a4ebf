// calictl delete: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { arg, exclusive, flag, type InputOf, some } from '../parameters.ts';
import { calicoctlManifestFlags, calicoctlNamespaceFlag, outputFlag, writeFlags, yesFlag } from '../shared-flags.ts';

export const flags = {
  ...writeFlags,
  skipNotExists: flag.on('do not fail if an object does not exist').short('s'),
  force: flag.on('also delete pools whose addresses are in use; the addresses stay allocated'),
  output: outputFlag('text', 'name', 'json'),
  yes: yesFlag,
};

export const args = {
  kind: arg.text('KIND', 'kind of the objects'),
  names: arg.text('NAME', 'names of the objects').repeatable(),
};

export type DeleteInput = InputOf<typeof flags, typeof args>;

const calicoctlFlags = {
  filename: flag.text('FILE', 'manifest to read: a file, a directory, or - for standard input').short('f'),
  recursive: calicoctlManifestFlags.recursive,
  skipEmpty: calicoctlManifestFlags.skipEmpty,
  skipNotExists: flag.on('accept objects that do not exist').short('s'),
  namespace: calicoctlNamespaceFlag,
};

export type CalicoctlDeleteInput = InputOf<typeof calicoctlFlags, typeof args>;

export const deleteObjects = defineCommand({
  path: ['delete'],
  summary: 'Delete objects',
  description:
    'Deletes objects by kind and name, or the objects that manifests name; of manifests, only kind, namespace, name ' +
    'and resourceVersion are used. A pool with addresses in use is not deleted without --force. A pool is disabled ' +
    'before it is deleted, and its blocks lose their owners. A tier must be empty. On a terminal, the command asks ' +
    'for confirmation.',
  examples: [
    { command: 'calictl delete ippool new-pool', about: 'a pool with no addresses in use' },
    { command: 'calictl delete bgppeer rack-1 rack-2 --skip-not-exists', about: 'two peers, if they exist' },
    {
      command: 'calictl delete -f policies/ --skip-not-exists',
      about: 'the objects that the manifests in a directory name, if they exist',
    },
  ],
  exitCodes: {
    2: 'wrong usage, or a manifest with a problem; nothing was deleted',
    4: 'refused: addresses of a pool are in use, or you declined',
    5: 'some objects were deleted, others were not',
  },
  args,
  flags,
  rules: [
    exclusive(['kind', 'filename'], 'leave one of them out'),
    some(['kind', 'filename'], 'nothing to delete', 'specify a KIND and NAMEs, or manifests with -f'),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args,
    flags: calicoctlFlags,
    guarded: true,
    isResourceCommand: true,
    takesArgumentsOrFile: true,
    usage: `delete ( (<KIND> [<NAME>...]) |
                   --filename=<FILE> [--recursive] [--skip-empty] )
                   [--skip-not-exists] [--config=<CONFIG>] [--namespace=<NS>] [--context=<context>] [--allow-version-mismatch]`,
    load: () => import('./calicoctl.ts'),
  }),
});
