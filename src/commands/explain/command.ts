// calictl explain: what it is called and takes.
import { defineCommand } from '../command.ts';
import { arg, type InputOf } from '../parameters.ts';
import { outputFlag } from '../shared-flags.ts';

export const flags = { output: outputFlag('text', 'json') };

export const args = {
  topic: arg
    .text('TOPIC', 'the ID of a finding (INV-45, F62), a kind, KIND.FIELD, or a list: invariants, faults or kinds')
    .required(),
};

export type ExplainInput = InputOf<typeof flags, typeof args>;

export const explain = defineCommand({
  path: ['explain'],
  summary: 'Explain a finding, a kind of object or a field',
  description:
    'For the ID of a finding, prints its title, its severity, what it means and what to do; for a kind, its names and ' +
    'fields; for a field, its type, what it accepts, its default and what it is for. `invariants` lists the findings of ' +
    'ipam check, `faults` those on nodes, and `kinds` the kinds. No cluster is needed.',
  examples: [
    { command: 'calictl explain INV-45', about: 'what a finding of ipam check means' },
    { command: 'calictl explain F62', about: 'what a finding on a node means' },
    { command: 'calictl explain ippool', about: 'the fields of a kind' },
    { command: 'calictl explain ippool.spec.blockSize', about: 'one field: type, range, default' },
    { command: 'calictl explain invariants', about: 'the IDs of all findings of ipam check' },
    { command: 'calictl explain F62 -o json', about: 'the same for a script' },
  ],
  args,
  flags,
  load: () => import('./run.ts'),
});
