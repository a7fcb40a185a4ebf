// calictl apply: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { type InputOf, some } from '../parameters.ts';
import { calicoctlManifestFlags, calicoctlNamespaceFlag, outputFlag, writeFlags } from '../shared-flags.ts';

export const flags = {
  ...writeFlags,
  output: outputFlag('text', 'name', 'json', 'yaml'),
};

export type ApplyInput = InputOf<typeof flags>;

const calicoctlFlags = {
  ...calicoctlManifestFlags,
  namespace: calicoctlNamespaceFlag,
};

export type CalicoctlApplyInput = InputOf<typeof calicoctlFlags>;

export const apply = defineCommand({
  path: ['apply'],
  summary: 'Create or update objects from manifests',
  description:
    'Creates the objects that do not exist, and updates those that differ from the manifests: spec, labels and ' +
    'annotations are replaced by those in the manifest. If one object cannot be written, the others still are.',
  examples: [
    {
      command: 'calictl apply -f policies/',
      about: 'all manifests in a directory',
    },
    {
      command: 'calictl apply -f pool.yaml --dry-run=server',
      about: 'what would happen, checked by the datastore',
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
    usage: `apply --filename=<FILENAME> [--recursive] [--skip-empty]
                  [--config=<CONFIG>] [--namespace=<NS>] [--context=<context>] [--allow-version-mismatch]`,
    load: () => import('./calicoctl.ts'),
  }),
});
