// Writes that Calico's clients refuse, for the kinds that share them.
import type { Refusal, WriteVerb } from './kind.ts';

const operations: Readonly<Record<WriteVerb, string>> = {
  create: 'Create',
  apply: 'Apply',
  update: 'Update',
  delete: 'Delete',
};

/** `operation Create is not supported on IPPool(x)`, with a reason or not: what calicoctl says of objects it cannot write. */
export function notSupported(
  verbs: readonly WriteVerb[],
  when: Refusal['when'],
  hint: string,
  reason?: string,
): Refusal {
  const because = reason === undefined ? '' : `: ${reason}`;
  return {
    verbs,
    when,
    hint,
    message: (id, _, verb) => `operation ${operations[verb]} is not supported on ${id}${because}`,
  };
}

/** All writes of the objects with these names. */
export function refusedNames(names: (name: string) => boolean, reason: string, hint: string): readonly Refusal[] {
  const refused = (verb: WriteVerb, words: string, when: Refusal['when'] = 'asked'): Refusal => ({
    verbs: [verb],
    names,
    when,
    message: (id) => `operation ${words} is not supported on ${id}: ${reason}`,
    hint,
  });
  return [
    refused('create', 'create or apply'),
    refused('update', 'apply or replace', 'written'),
    refused('delete', 'delete'),
  ];
}

/** All writes of IPAM's own objects: several of them change together, which the commands of `ipam` take care of. */
export const ipamOnly: readonly Refusal[] = [
  notSupported(
    ['create', 'update', 'delete'],
    'asked',
    'use the commands of calictl ipam, which keep all objects of IPAM consistent',
  ),
];
