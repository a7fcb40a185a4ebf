// calictl label: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { arg, flag, type InputOf, some } from '../parameters.ts';
import { calicoctlNamespaceFlag, outputFlag, writeFlags } from '../shared-flags.ts';
import { parseLabel } from './label-word.ts';

export const flags = {
  overwrite: flag.on('change labels that already have a different value'),
  remove: flag.on('remove the labels with these keys'),
  namespace: flag.text('NAMESPACE', 'namespace, for kinds that have one (default: default)').short('n'),
  dryRun: writeFlags.dryRun,
  output: outputFlag('text', 'name', 'json', 'yaml'),
};

export const args = {
  kind: arg.text('KIND', 'kind of the object').required(),
  name: arg.text('NAME', 'name of the object').required(),
  labels: arg
    .parsed('KEY=VALUE', 'labels to set; KEY- removes one', {
      noun: 'label',
      hint: 'write KEY=VALUE to set it, and KEY- to remove it',
      parse: parseLabel,
    })
    .repeatable(),
};

export type LabelInput = InputOf<typeof flags, typeof args>;

const calicoctlFlags = {
  overwrite: flag.on('change a label that already has a different value'),
  remove: flag.on('remove the label, which is given as a key'),
  namespace: calicoctlNamespaceFlag,
};

const calicoctlArgs = {
  kind: args.kind,
  name: args.name,
  label: arg.text('key=value', 'the label').required(),
};

export type CalicoctlLabelInput = InputOf<typeof calicoctlFlags, typeof calicoctlArgs>;

export const label = defineCommand({
  path: ['label'],
  summary: 'Set or remove labels of an object',
  description:
    'Calico keeps the labels of a Node in an annotation; the labels of the Kubernetes node itself are not changed. ' +
    'Without --overwrite, the command refuses to change the value of a label.',
  examples: [
    { command: 'calictl label node worker-1 rack=r7 zone=b', about: 'set two labels' },
    { command: 'calictl label node worker-1 rack=r8 --overwrite', about: 'change a label' },
    { command: 'calictl label node worker-1 rack-', about: 'remove a label' },
  ],
  exitCodes: { 4: 'refused: a label already has a different value, and --overwrite was not given' },
  args,
  flags,
  rules: [some(['labels'], 'no labels given', 'write KEY=VALUE to set one, KEY- to remove one')],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: calicoctlArgs,
    flags: calicoctlFlags,
    guarded: true,
    guardPrefix: ({ kind, name }) => `failed to get ${kind} ${name}, error `,
    isResourceCommand: true,
    usage: `label (<KIND> <NAME>
  \t              ( <key>=<value> [--overwrite] |
  \t                <key> --remove )
                  [--config=<CONFIG>] [--namespace=<NS>] [--context=<context>]) [--allow-version-mismatch]`,
    description: 'Set or remove a label of an object.',
    load: () => import('./calicoctl.ts'),
  }),
});
