// calictl edit: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../command.ts';
import { arg, exclusive, flag, type InputOf, some } from '../parameters.ts';
import { manifestFlags, outputFlag } from '../shared-flags.ts';

export const flags = {
  ...manifestFlags,
  namespace: flag.text('NAMESPACE', 'namespace, for kinds that have one (default: default)').short('n'),
  output: outputFlag('text', 'name', 'json', 'yaml'),
};

export const args = {
  kind: arg.text('KIND', 'kind of the objects, or KIND/NAME'),
  names: arg.text('NAME', 'names of the objects').repeatable(),
};

export type EditInput = InputOf<typeof flags, typeof args>;

export const edit = defineCommand({
  path: ['edit'],
  summary: 'Change objects in an editor',
  description:
    'Opens the stored objects as YAML in the editor that KUBE_EDITOR or EDITOR names, or else in vi, and writes your ' +
    'changes back. The editor may have arguments ("code --wait"), quoted as for a shell, but no shell runs it. If the ' +
    'saved text is not valid, the file opens again with the reasons at its top. An unchanged or empty file cancels ' +
    'the edit. If the objects cannot be written, for example because another client changed them, the file is kept ' +
    'and its path is printed. In the metadata, only labels and annotations can be changed. With -f, the stored ' +
    'objects that the manifests name are edited, not the manifests.',
  examples: [
    { command: 'calictl edit ippool default-pool', about: 'a pool' },
    { command: 'calictl edit bgppeer/rack-1 ippool/default-pool', about: 'two objects, as one list' },
    { command: 'calictl edit -f pool.yaml', about: 'the stored objects that a manifest names' },
  ],
  exitCodes: {
    0: 'written, or nothing was changed',
    2: 'wrong usage, or the saved text is not valid; nothing was written',
    5: 'some objects were written, others were not',
  },
  args,
  flags,
  rules: [
    exclusive(['kind', 'filename'], 'leave one of them out'),
    some(['kind', 'filename'], 'nothing to edit', 'specify a KIND and NAMEs, KIND/NAME, or manifests with -f'),
  ],
  load: () => import('./run.ts'),
});
