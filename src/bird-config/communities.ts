// Communities of routes (prefixAdvertisements): the function that the export of every session calls.
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import { compareBytes, type Remark } from './objects.ts';
import { block, cidrText, communityRemarks, communityTuple, prefixRemarks } from './syntax.ts';

type Spec = BGPConfiguration['spec'];

const isCommunity = (text: string): boolean => /^\d+(?::\d+){1,2}$/.test(text);

/** The communities of an entry as values, each once; names that the same object does not define are left out. */
function valuesOf(names: readonly string[], defined: NonNullable<Spec['communities']>): string[] {
  const values = names.flatMap((name) =>
    isCommunity(name) ? name : (defined.find((one) => one.name === name)?.value ?? []),
  );
  return [...new Set(values)].sort(compareBytes);
}

interface Entry {
  readonly cidr: string;
  /** Each once, in order. */
  readonly communities: readonly string[];
}

/**
 * What is advertised with communities. The object of the node replaces the list of `default`, for both families, as soon as
 * it has one; names are those that the same object defines.
 */
function entriesOf(own: Spec | undefined, global: Spec | undefined, version: 4 | 6): Entry[] {
  const spec = own?.prefixAdvertisements ? own : global;
  return (spec?.prefixAdvertisements ?? [])
    .filter(({ cidr = '' }) => cidr.includes(':') === (version === 6))
    .map(({ cidr = '', communities }) => ({ cidr, communities: valuesOf(communities ?? [], spec?.communities ?? []) }));
}

const nameOf = ({ cidr }: Entry): string => `prefixAdvertisements ${cidr}`;

/** The function `apply_communities`. Errors: UnrenderableError. */
export function communitiesFunction(own: Spec | undefined, global: Spec | undefined, version: 4 | 6): string[] {
  const lines = entriesOf(own, global, version).flatMap((entry) => {
    const added = entry.communities.map((value) => {
      const { tuple, isLarge } = communityTuple(value, `a community of ${nameOf(entry)}`);
      return `${isLarge ? 'bgp_large_community' : 'bgp_community'}.add(${tuple});`;
    });
    return block(`if ( net ~ ${cidrText(entry.cidr, 'cidr of prefixAdvertisements')} ) then`, added);
  });
  return ['function apply_communities ()', '{', ...lines.map((line) => `  ${line}`), '}'];
}

/** What BIRD refuses in it. */
export const communitiesRemarks = (...specs: Parameters<typeof entriesOf>): Remark[] =>
  entriesOf(...specs).flatMap((entry) => [
    ...prefixRemarks(entry.cidr, 'cidr of prefixAdvertisements'),
    ...entry.communities.flatMap((value) => communityRemarks(value, nameOf(entry))),
  ]);
