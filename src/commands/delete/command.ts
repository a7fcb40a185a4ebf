// calictl delete: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { arg, exclusive, flag, type InputOf, some } from '../parameters.ts';
import { calicoctlManifestFlags, calicoctlNamespaceFlag, outputFlag, writeFlags, yesFlag } from '../shared-flags.ts';

export const flags = {
  ...writeFlags,
  skipNotExists: flag.on('accept objects that do not exist').short('s'),
  force: flag.on('delete pools too of which addresses are in use; the addresses stay allocated'),
  output: outputFlag('text', 'name', 'json'),
  yes: yesFlag,
};

export const args = {
  kind: arg.text('KIND', 'kind of the objects'),
  names: arg.text('NAME', 'names of the objects').repeatable(),
};

export type DeleteInput = InputOf<typeof flags, typeof args>;

const calicoctlFlags = {
  filename: flag.text('FILE', 'manifest to read: a file, a folder, or - for standard input').short('f'),
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
    'Deletes the named objects of a kind, or those of manifests; what a manifest says besides kind, namespace, name and ' +
    'resourceVersion does not matter. A pool is disabled first, its blocks lose their owners, and it is refused while ' +
    'addresses of it are in use. A tier must be empty. On a terminal the command asks before it deletes.',
  examples: [
    { command: 'calictl delete ippool new-pool', about: 'a pool of which no address is in use' },
    { command: 'calictl delete bgppeer rack-1 rack-2 --skip-not-exists', about: 'two peers, if they exist' },
    {
      command: 'calictl delete -f policies/ --skip-not-exists',
      about: 'what the manifests of a folder name, if it is there',
    },
  ],
  exitCodes: {
    2: 'wrong usage, or a manifest with a problem; nothing was deleted',
    4: 'refused: addresses of a pool are in use, or you said no',
    5: 'some objects were deleted, others were not',
  },
  args,
  flags,
  rules: [
    exclusive(['kind', 'filename'], 'leave one of them out'),
    some(['kind', 'filename'], 'nothing to delete is given', 'name a kind and objects, or manifests with -f'),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args,
    flags: calicoctlFlags,
    guarded: true,
    isResourceCommand: true,
    usage: `delete ( (<KIND> [<NAME>...]) |
                   --filename=<FILE> [--recursive] [--skip-empty] )
                   [--skip-not-exists] [--config=<CONFIG>] [--namespace=<NS>] [--context=<context>] [--allow-version-mismatch]`,
    load: () => import('./calicoctl.ts'),
  }),
});
