// calictl replace: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { type InputOf, some } from '../parameters.ts';
import { calicoctlManifestFlags, calicoctlNamespaceFlag, outputFlag, writeFlags } from '../shared-flags.ts';

export const flags = {
  ...writeFlags,
  output: outputFlag('text', 'name', 'json', 'yaml'),
};

export type ReplaceInput = InputOf<typeof flags>;

const calicoctlFlags = {
  ...calicoctlManifestFlags,
  namespace: calicoctlNamespaceFlag,
};

export type CalicoctlReplaceInput = InputOf<typeof calicoctlFlags>;

export const replace = defineCommand({
  path: ['replace'],
  summary: 'Replace existing objects with those in manifests',
  description:
    'Updates the objects in the manifests, all of which must exist: spec, labels and annotations are replaced by ' +
    'those in the manifest. If the manifest has a resourceVersion, the update fails unless the stored object still ' +
    'has it.',
  examples: [
    {
      command: 'calictl replace -f pool.yaml',
      about: 'a pool that was printed with get -o yaml and edited; fails if it has been changed in the meantime',
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
    usage: `replace --filename=<FILENAME> [--recursive] [--skip-empty]
                    [--config=<CONFIG>] [--namespace=<NS>] [--context=<context>] [--allow-version-mismatch]`,
    load: () => import('./calicoctl.ts'),
  }),
});
