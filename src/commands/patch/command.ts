// calictl patch: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { parseJson } from '../../text/json.ts';
import { defineCalicoctl, defineCommand } from '../command.ts';
import { arg, flag, type InputOf } from '../parameters.ts';
import { calicoctlNamespaceFlag, outputFlag, writeFlags } from '../shared-flags.ts';

export const flags = {
  patch: flag
    .parsed('PATCH', 'the patch, as JSON', {
      noun: 'JSON',
      hint: `write it like '{"spec":{"disabled":true}}'`,
      parse: jsonValue,
    })
    .short('p')
    .required(),
  type: flag.choice('TYPE', ['strategic', 'merge', 'json'], 'type of the patch').short('t').default('strategic'),
  namespace: flag.text('NAMESPACE', 'namespace, for kinds that have one (default: default)').short('n'),
  dryRun: writeFlags.dryRun,
  output: outputFlag('text', 'name', 'json', 'yaml'),
};

function jsonValue(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}

export const args = {
  kind: arg.text('KIND', 'kind of the object').required(),
  name: arg.text('NAME', 'name of the object').required(),
};

export type PatchInput = InputOf<typeof flags, typeof args>;

const calicoctlFlags = {
  patch: flag.text('PATCH', 'the patch, as JSON').short('p').required().orEmpty(),
  type: flag.text('TYPE', 'has no effect: patches are always strategic').short('t').orEmpty(),
  namespace: calicoctlNamespaceFlag,
};

export type CalicoctlPatchInput = InputOf<typeof calicoctlFlags, typeof args>;

export const patch = defineCommand({
  path: ['patch'],
  summary: 'Change some fields of an object',
  description:
    'Reads the object, applies the patch and writes the result. If another client changes the object in the meantime, ' +
    'it is read and patched again. A strategic patch merges maps, replaces lists and removes what is null, as a merge ' +
    'patch does; it also accepts the Kubernetes directives $patch and $retainKeys. A JSON patch is a list of ' +
    'operations. Fields that the patch does not name stay as they are.',
  examples: [
    {
      command: `calictl patch ippool default-pool -p '{"spec":{"natOutgoing":true}}'`,
      about: 'one field of a pool',
    },
    {
      command: `calictl patch ippool legacy-pool --type merge -p '{"spec":{"namespaceSelector":null}}'`,
      about: 'remove a field',
    },
    {
      command: `calictl patch ippool default-pool --type json -p '[{"op":"replace","path":"/spec/nodeSelector","value":"all()"}]'`,
      about: 'operations of a JSON patch',
    },
  ],
  exitCodes: {
    2: 'wrong usage, an invalid patch, or an object that would be invalid; nothing was written',
  },
  args,
  flags,
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args,
    flags: calicoctlFlags,
    guarded: true,
    isResourceCommand: true,
    usage:
      'patch <KIND> <NAME> --patch=<PATCH> [--type=<TYPE>] [--config=<CONFIG>] [--namespace=<NS>] [--context=<context>] ' +
      '[--allow-version-mismatch]',
    description:
      'Change some fields of an object.\nThe patch is JSON and is merged into the object: maps are merged, lists are replaced, null removes a field.',
    load: () => import('./calicoctl.ts'),
  }),
});
