// calictl wait: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../command.ts';
import { flags as getFlags } from '../get/command.ts';
import { arg, exclusive, flag, type InputOf, some } from '../parameters.ts';
import { manifestFlags, outputFlag } from '../shared-flags.ts';

/** As kubectl: a negative time is a week. */
const weekMs = 7 * 24 * 60 * 60 * 1000;

export const flags = {
  for: flag
    .parsed('CONDITION', 'what to wait for: create, delete, condition=NAME[=VALUE], or jsonpath={PATH}[=VALUE]', {
      noun: 'condition',
      suggests: ['create', 'delete', 'condition=', 'jsonpath='],
      hint: "write create, delete, condition=Ready, condition=Ready=False or jsonpath='{.spec.disabled}'=true",
      parse: async (text) => (await import('./condition.ts')).parseCondition(text),
    })
    .required(),
  timeout: flag
    .parsed('DURATION', 'how long to wait; 0 checks once, a negative duration waits for a week', {
      noun: 'duration',
      hint: 'use a duration such as 30s or 5m',
      parse: async (text) => {
        const { parseGoDuration } = await import('../../text/go-duration.ts');
        const ms = parseGoDuration(text);
        return ms === undefined ? undefined : ms < 0 ? weekMs : Math.min(ms, 2 ** 31 - 1);
      },
    })
    .default('30s'),
  all: flag.on('wait for all objects of the kind in the namespace'),
  allNamespaces: getFlags.allNamespaces,
  namespace: getFlags.namespace,
  selector: getFlags.selector,
  fieldSelector: getFlags.fieldSelector,
  ...manifestFlags,
  output: outputFlag('text', 'json'),
};

export const args = {
  kind: arg.text('KIND', 'kind of the objects, or KIND/NAME'),
  names: arg.text('NAME', 'names of the objects').repeatable(),
};

export type WaitInput = InputOf<typeof flags, typeof args>;

export const wait = defineCommand({
  path: ['wait'],
  summary: 'Wait until objects are created, deleted, or in a certain state',
  description:
    'Waits until each object is created or deleted, or has a status condition or a value at a JSONPath, and prints a ' +
    'line for each. --all and selectors choose among the objects that exist at the start. The datastore reports ' +
    'changes as they happen; a directory is read every second. An object that does not exist, or is deleted in the ' +
    'meantime, is an error unless the command waits for that.',
  examples: [
    {
      command: "calictl wait ippool default-pool --for 'jsonpath={.spec.vxlanMode}=Always' --timeout=1m",
      about: 'until a pool uses VXLAN',
    },
    { command: 'calictl wait ippool/legacy-pool --for=delete', about: 'until a pool is gone' },
    { command: 'calictl wait ippool new-pool --for=create --timeout=5m', about: 'until a pool is created' },
    {
      command: "calictl wait ippools --all --for 'jsonpath={.spec.ipipMode}=Never'",
      about: 'until no pool uses IP in IP',
    },
  ],
  exitCodes: {
    0: 'all objects meet the condition',
    1: 'the time limit was reached, an object does not exist, or the datastore did not answer',
    5: 'some objects meet the condition, others do not',
  },
  args,
  flags,
  rules: [
    some(['kind', 'filename'], 'nothing to wait for', 'specify a KIND and NAMEs, KIND/NAME, or manifests with -f'),
    exclusive(['kind', 'filename'], 'leave one of them out'),
    exclusive(['namespace', 'allNamespaces'], 'leave one of them out'),
  ],
  load: () => import('./run.ts'),
});
