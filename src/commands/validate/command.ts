// calictl validate: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { type InputOf, some } from '../parameters.ts';
import { calicoctlManifestFlags, manifestFlags, outputFlag } from '../shared-flags.ts';

export const flags = { ...manifestFlags, output: outputFlag('text', 'json') };

export type ValidateInput = InputOf<typeof flags>;

export type CalicoctlValidateInput = InputOf<typeof calicoctlManifestFlags>;

export const validate = defineCommand({
  path: ['validate'],
  summary: 'Check manifests without a cluster',
  description:
    'Reports the problems of all manifests with file, line and column: YAML, unknown fields, duplicate keys, wrong ' +
    'types, and values that Calico does not accept. The values of an object are checked once its YAML, fields and ' +
    'types are right. No datastore is contacted.',
  examples: [
    { command: 'calictl validate -f pool.yaml', about: 'one file' },
    { command: 'calictl validate -R -f policies/ -o json', about: 'a tree of directories, for scripts' },
    { command: 'calictl validate -f pool.yaml -f policies/', about: 'several at once' },
  ],
  exitCodes: { 0: 'everything is valid', 2: 'wrong usage, or a manifest with a problem' },
  args: {},
  flags,
  rules: [some(['filename'], 'no manifests given', 'specify them with -f')],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlManifestFlags,
    guarded: false,
    takesNoConfig: true,
    usage: `validate --filename=<FILENAME> [--recursive] [--skip-empty] [--allow-version-mismatch]`,
    load: () => import('./calicoctl.ts'),
  }),
});
