// calictl policy effective: what it is called and takes.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

export const flags = {
  namespace: flag.text('NAMESPACE', 'namespace of a pod that is named without one (default: default)').short('n'),
  output: outputFlag('text', 'json', 'yaml'),
};

export const args = {
  pod: arg
    .text('POD', 'the pod, as NAMESPACE/POD or by its name; or node/NAME for the host endpoints of a node')
    .required(),
};

export type EffectiveInput = InputOf<typeof flags, typeof args>;

export const policyEffective = defineCommand({
  path: ['policy', 'effective'],
  summary: 'Show which policies and rules apply to a pod, in the order of evaluation',
  description:
    'For each direction, shows the tiers that have policies for the pod, their policies and rules in order, and the ' +
    'profiles that decide when no tier does. Staged policies are shown in their place but have no effect. For a node, ' +
    'shows the policies of its host endpoints, those with doNotTrack and preDNAT first.',
  examples: [
    { command: 'calictl policy effective shop/db', about: 'all policies of a pod' },
    { command: 'calictl policy effective db -n shop -o json', about: 'the same for a script' },
    { command: 'calictl policy effective node/node-a', about: 'the policies of the host endpoints of a node' },
  ],
  exitCodes: { 5: 'some policies could not be read, or it is not known whether they apply' },
  args,
  flags,
  load: () => import('./run.ts'),
});
