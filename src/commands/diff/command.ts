// calictl diff: what it is called and takes. What it does is in run.ts.
import { exitCodes } from '../../world/errors.ts';
import { defineCommand } from '../command.ts';
import { flag, type InputOf, some } from '../parameters.ts';
import { manifestFlags, outputFlag, writeFlags } from '../shared-flags.ts';

export const flags = {
  ...manifestFlags,
  namespace: writeFlags.namespace,
  dryRun: flag
    .choice('MODE', ['client', 'server'], 'who works out the result: calictl, which then only reads, or the datastore')
    .default('server'),
  output: outputFlag('text', 'json'),
};

export type DiffInput = InputOf<typeof flags>;

export const diff = defineCommand({
  path: ['diff'],
  summary: 'Show what apply would change',
  description:
    'Compares the objects in manifests with those in the datastore, and prints the differences as a unified diff. ' +
    'Nothing is written. By default, the datastore works out in a dry run what apply would store, which takes the ' +
    'same permissions as apply; with --dry-run=client, permission to read is enough. Fields that the server manages ' +
    '(uid, revision, creation time, managed fields) are left out. If KUBECTL_EXTERNAL_DIFF is set, as in "colordiff ' +
    '-N -u", that program compares two directories instead; only arguments made of letters, digits, - and = are ' +
    'passed to it.',
  examples: [
    { command: 'calictl diff -f pool.yaml', about: 'what apply -f pool.yaml would change' },
    { command: 'calictl diff -R -f policies/', about: 'a directory of manifests compared with the cluster' },
    { command: 'calictl diff -f pool.yaml -o json', about: 'each object as it is and as it would be' },
  ],
  exitCodes: {
    0: 'no differences',
    1: 'there are differences',
    2: 'wrong usage, or a manifest with a problem; nothing was compared',
    5: 'not everything was compared: the datastore did not answer, or apply would fail for an object',
  },
  failureExit: exitCodes.partial,
  args: {},
  flags,
  rules: [some(['filename'], 'no manifests given', 'specify them with -f')],
  load: () => import('./run.ts'),
});
