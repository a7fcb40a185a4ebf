// What differs on purpose between calicoctl and calictl in compat mode: as generated scenarios find it, and as
// docs/reference/parity.md tells it.
import type { Difference } from './compare.ts';

export interface KnownDifference {
  readonly calicoctl: string;
  readonly calictl: string;
  readonly why: string;
  /** In the command line, the answer of calicoctl and the answer of calictl; all that are given must be found. */
  readonly command?: RegExp;
  readonly expected?: RegExp;
  readonly actual?: RegExp;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    calicoctl:
      'crashes with a Go panic (exit 2): for an item of a `…List` that has no `kind`, for the metadata of a refused namespace, for tables of BGPFilters with rules',
    calictl: 'does what the command line says, or reports what is wrong',
    why: 'no script can depend on a crash',
    expected: /^exit 2\n[\s\S]*^panic: /m,
  },
  {
    calicoctl: 'refuses an item of a `…List` that has a namespace and no `kind`: ` is not a namespaced resource`',
    calictl: 'takes the kind of the list',
    why: 'calicoctl crashes on the same item without a namespace',
    expected: /namespace should not be specified for a non-namespaced resource\. {2}is not a namespaced resource/,
  },
  {
    calicoctl: 'help texts',
    calictl: 'its own words, with the same exit code and on the same stream',
    why: 'they are for people to read; scripts have no use for them',
    expected: /^exit ([01])\n[\s\S]*(?:^Usage:|^ +check +Check the integrity)/m,
    actual: /^exit [01]\n[\s\S]*(?:^Usage:|^Options:|^Commands:)/m,
    command: /(?:^| )(?:-h|--help)\b|^ipam(?: bogus)?$|^(?:bogus|node|cluster)$/,
  },
  {
    calicoctl: 'prints the whole Go struct of a Kubernetes policy that it does not write',
    calictl: 'prints `NetworkPolicy(shop/name)`',
    why: 'the dump has addresses of memory in it, and names the object no better',
    expected: /is not supported on &\{\{/,
    actual: /is not supported on \w*NetworkPolicy\(/,
  },
  {
    calicoctl: 'lists the headings that custom columns may have in random order',
    calictl: 'in the order of the table',
    why: 'the same command gives the same output',
    expected: /unknown heading .*, valid values are: /,
    actual: /unknown heading .*, valid values are: /,
  },
  {
    calicoctl:
      '`delete workloadendpoint` takes the addresses from the pod that the name mentions, whatever node and interface it names',
    calictl: 'only if the pod has an endpoint of that name',
    why: 'a mistyped name would make a running pod lose its addresses',
    command: /^delete /,
    actual: /resource does not exist: WorkloadEndpoint\(.*\) with error: <nil>/,
  },
  {
    calicoctl:
      '3.31.4: deletes a tier that has policies when kubectl made them: it counts those with the label of the tier, which only clients of Calico set',
    calictl: 'counts all policies in the tier, and refuses: `Cannot delete a non-empty tier`',
    why: 'policies without their tier are not applied; 3.32.1 refuses it too',
    command: /^delete /,
    expected: /^exit 0\n/,
    actual: /Cannot delete a non-empty tier/,
  },
  {
    calicoctl: '3.31.4: `delete tier` with a name that cannot be a label fails with `found …, expected: …`',
    calictl: 'says that the tier does not exist',
    why: 'the words are about a query that calicoctl makes before it looks for the tier',
    command: /^delete /,
    expected: /Failed to delete 'Tier' resource: found '.*', expected: /,
    actual: /Failed to delete 'Tier' resource: resource does not exist: /,
  },
  {
    calicoctl: '3.32.1: `ipam show --show-configuration` prints a Go pointer for KubeVirtVMAddressPersistence',
    calictl: 'prints the three other settings',
    why: 'the pointer says nothing about the setting',
    expected: /\(\*ipam\.VMAddressPersistence\)\((?:nil|0x\w+)\)/,
  },
  {
    calicoctl:
      '3.32.1: `ipam configure` without an option fails with `at least one configuration option must be specified`',
    calictl: 'fails with the usage of 3.31.4, which needs `--strictaffinity`',
    why: 'the command line is read before the cluster, and with it the release, is known',
    command: /^ipam configure$/,
  },
]; // prettier-ignore

/** What calicoctl prints for values that its Go code has pointers to. */
export const memoryAddress: Omit<KnownDifference, 'expected'> = {
  calicoctl: 'prints an address of its memory for some values in errors (`Order = 0xc000…`)',
  calictl: 'prints the value',
  why: 'the address says nothing, and is another one each time',
};

const found = (pattern: RegExp | undefined, text: string): boolean => pattern === undefined || pattern.test(text);

/** The line of the table that a difference belongs to; undefined for one that is a defect. */
export function reasonFor({ command, expected, actual }: Difference): KnownDifference | undefined {
  return knownDifferences.find(
    (known) => found(known.command, command) && found(known.expected, expected) && found(known.actual, actual),
  );
}
