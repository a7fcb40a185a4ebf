// calictl snapshot save: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { birdFlags, readingFlags, transportFlags } from '../../transport-flags.ts';

export const flags = {
  nodes: flag.on('also record the state of the nodes'),
  redact: flag.on('leave out labels, annotations and service accounts that no check needs'),
  ...transportFlags,
  ...readingFlags,
  ...birdFlags,
  output: outputFlag('text', 'json'),
};

export const args = { path: arg.text('PATH', 'directory or .tgz file, which must not exist yet').required() };

export type SaveInput = InputOf<typeof flags, typeof args>;

export const snapshotSave = defineCommand({
  path: ['snapshot', 'save'],
  summary: 'Save the objects of a cluster, and the state of its nodes, for offline analysis',
  description:
    'Writes a directory, or one file if PATH ends in .tgz. Every command that only reads works on it with --datastore ' +
    'PATH. It holds no secrets: only the fields of pods and nodes that calictl reads are saved, and services and ' +
    'namespaces without managed fields and last applied configuration. With --nodes, what the nodes answer is ' +
    'recorded too, and node commands work on it. Output is byte-identical for the same state, except timestamps.',
  examples: [
    { command: 'calictl snapshot save ./case-17', about: 'the objects into a directory' },
    { command: 'calictl snapshot save case-17.tgz --nodes', about: 'with the state of the nodes, in one file' },
    { command: 'calictl snapshot save case-17.tgz --nodes --via ssh --ssh-user core', about: 'nodes over SSH' },
  ],
  exitCodes: {
    0: 'everything was saved',
    4: 'refused: the path exists',
    5: 'some kinds or answers of nodes are missing',
  },
  args,
  flags,
  load: () => import('./run.ts'),
});
