// calictl create: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { flag, type InputOf, some } from '../parameters.ts';
import { calicoctlManifestFlags, calicoctlNamespaceFlag, outputFlag, writeFlags } from '../shared-flags.ts';

export const flags = {
  ...writeFlags,
  skipExists: flag.on('leave objects that already exist unchanged'),
  output: outputFlag('text', 'name', 'json', 'yaml'),
};

export type CreateInput = InputOf<typeof flags>;

const calicoctlFlags = {
  ...calicoctlManifestFlags,
  skipExists: flag.on('leave objects that already exist unchanged'),
  namespace: calicoctlNamespaceFlag,
};

export type CalicoctlCreateInput = InputOf<typeof calicoctlFlags>;

export const create = defineCommand({
  path: ['create'],
  summary: 'Create objects from manifests',
  description:
    'Creates every object in the manifests. An object that already exists is an error; with --skip-exists it is left ' +
    'unchanged. If one object cannot be created, the others still are.',
  examples: [
    {
      command: 'calictl create -f pool.yaml',
      about: 'the objects in a file',
    },
    {
      command: 'calictl create -R -f policies/ --skip-exists',
      about: 'the objects in a directory and its subdirectories, except those that exist',
    },
  ],
  exitCodes: {
    2: 'wrong usage, or a manifest with a problem; nothing was written',
    5: 'some objects were written, others were not',
  },
  args: {},
  flags,
  rules: [some(['filename'], 'no manifests given', 'specify them with -f')],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: true,
    isResourceCommand: true,
    usage: `create --filename=<FILENAME> [--recursive] [--skip-empty]
                   [--skip-exists] [--config=<CONFIG>] [--namespace=<NS>] [--context=<context>] [--allow-version-mismatch]`,
    load: () => import('./calicoctl.ts'),
  }),
});
