// calictl convert: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { flag, type InputOf, some } from '../parameters.ts';
import { manifestFlags, outputFlag } from '../shared-flags.ts';

export const flags = {
  ...manifestFlags,
  ignoreValidation: flag.on('print the result even if Calico would refuse it'),
  output: outputFlag('yaml', 'json'),
};

export type ConvertInput = InputOf<typeof flags>;

const calicoctlFlags = {
  filename: flag.text('FILENAME', 'manifest to read: a file, or - for standard input').short('f').required(),
  output: flag.text('OUTPUT', 'yaml or json').short('o').default('yaml'),
  ignoreValidation: flag.on('print the result even if Calico would refuse it'),
};

export type CalicoctlConvertInput = InputOf<typeof calicoctlFlags>;

export const convert = defineCommand({
  path: ['convert'],
  summary: 'Convert manifests to projectcalico.org/v3',
  description:
    'Prints the objects in manifests as projectcalico.org/v3. Converts objects of Calico 2 (apiVersion: v1), ' +
    'Kubernetes NetworkPolicies, and custom resources of crd.projectcalico.org/v1. Names of Calico 2 that Calico 3 ' +
    'does not accept are changed. If anything cannot be converted, that is reported and nothing is printed. No ' +
    'datastore is contacted.',
  examples: [
    { command: 'calictl convert -f old-policies.yaml > policies.yaml', about: 'manifests of Calico 2' },
    {
      command: 'calictl convert -f networkpolicies.yaml -o json',
      about: 'Kubernetes network policies as Calico network policies',
    },
  ],
  exitCodes: { 0: 'everything was converted', 2: 'wrong usage, or a manifest with a problem; nothing was printed' },
  args: {},
  flags,
  rules: [some(['filename'], 'no manifests given', 'specify them with -f')],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: false,
    takesNoConfig: true,
    usage: `convert --filename=<FILENAME>
                [--output=<OUTPUT>] [--ignore-validation] [--allow-version-mismatch]`,
    load: () => import('./calicoctl.ts'),
  }),
});
