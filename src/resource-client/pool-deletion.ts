// Deletes an IP pool in two steps, as Calico does: disabled first, so that nodes stop taking addresses from it, then its
// blocks lose their owners, then it goes. Addresses in use stay allocated. Rules: docs/reference/resource-writes.md.
import { type Datastore, DatastoreError, getIfAny, listAll } from '../datastore/datastore.ts';
import { ipamStoreOf } from '../datastore/stored-ipam.ts';
import { releasePoolAffinities } from '../ipam/affinity/release-by-hand.ts';
import { type Cidr, cidrContains, parseCidr } from '../net/cidr.ts';
import type { Kind } from '../resources/kind.ts';
import { type IPPool, ipPool } from '../resources/kinds/ip-pool.ts';
import { type IPAMBlock, ipamBlock } from '../resources/kinds/ipam-block.ts';
import { windowsHandle } from '../resources/names.ts';
import { counted } from '../text/wording.ts';
import { RefusedError } from '../world/errors.ts';
import type { Clock } from '../world/world.ts';
import { pendingDeletion } from './pending-deletion.ts';

/** How long nodes get to notice that the pool is disabled. */
const pauseMs = 500;
/** How often the delete is repeated when a controller writes the disabled pool at the same time. */
const deleteAttempts = 5;

/** Allocated addresses in the blocks of a pool. */
interface Use {
  readonly blocks: number;
  readonly addresses: number;
}

export interface PoolDeletion {
  /** Deletes the pool although addresses of it are in use. */
  readonly force: boolean;
  readonly dryRun: 'client' | 'server' | undefined;
  /** Looks for what is left behind. */
  readonly looksBack: boolean;
}

/** What is left of a deleted object, as sentences for people. */
export type Leftovers = readonly string[];

function usedAddresses({ spec }: IPAMBlock): number {
  const reserved = new Set(
    (spec.attributes ?? []).flatMap(({ handle_id: handle }, at) => (handle === windowsHandle ? [at] : [])),
  );
  return (spec.allocations ?? []).filter(
    (index) => index !== null && index !== undefined && !reserved.has(Number(index)),
  ).length;
}

async function useOf(store: Datastore, range: Cidr): Promise<Use> {
  const used = (await listAll(store, ipamBlock, { orEmpty: true })).flatMap((block) => {
    const cidr = parseCidr(String(block.spec?.cidr));
    const isInside = cidr !== undefined && cidrContains(range, cidr.base);
    return isInside ? [usedAddresses(block)] : [];
  });
  const inUse = used.filter((addresses) => addresses > 0);
  return { blocks: inUse.length, addresses: inUse.reduce((sum, addresses) => sum + addresses, 0) };
}

function inWords({ addresses, blocks }: Use): string {
  return `${counted(addresses, 'address')} in use, in ${counted(blocks, 'block')}`;
}

function inUse({ metadata: { name }, spec: { cidr } }: IPPool, use: Use): RefusedError {
  return new RefusedError(
    `IPPool ${name} has ${inWords(use)}`,
    'POOL_IN_USE',
    `calictl ipam show --show-blocks lists the blocks of ${cidr}; --force deletes the pool, and leaves the addresses allocated`,
  );
}

/**
 * Deletes the pool and returns what is left behind.
 * Errors: RefusedError for a pool with addresses in use, unless forced; conflict; those of the store.
 */
export async function deletePool(
  store: Datastore,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
  given: IPPool,
  { force, dryRun, looksBack }: PoolDeletion,
): Promise<Leftovers> {
  const range = parseCidr(given.spec.cidr);
  const before = force || range === undefined ? undefined : await useOf(store, range);
  if (before !== undefined && before.addresses > 0) throw inUse(given, before);
  const wasEnabled = given.spec.disabled !== true;
  if (dryRun === 'client') return [];
  if (dryRun === 'server') {
    const { name, uid } = given.metadata;
    await store.delete(ipPool, { name }, { uid }, { dryRun: true });
    return [];
  }
  const disabled = wasEnabled
    ? await store.update(ipPool, { ...given, spec: { ...given.spec, disabled: true } })
    : given;
  if (range !== undefined) {
    if (wasEnabled) await clock.sleep(pauseMs, signal);
    // A node may have taken an address from the pool before it noticed.
    const after = force ? undefined : await useOf(store, range);
    if (after !== undefined && after.addresses > 0) {
      if (wasEnabled) await store.update(ipPool, { ...disabled, spec: given.spec });
      throw inUse(given, after);
    }
    await releasePoolAffinities(ipamStoreOf(store, { signal }), given.spec.cidr);
  }
  const use = looksBack && range !== undefined ? await useOf(store, range) : undefined;
  await remove(store, disabled);
  return looksBack ? leftovers(store, given, use) : [];
}

/** Removes the disabled pool, and nothing that was made of it since. Errors: conflict when another client enabled it again. */
async function remove(store: Datastore, disabled: IPPool): Promise<void> {
  const { name, uid } = disabled.metadata;
  let { resourceVersion } = disabled.metadata;
  for (let attempt = 1; ; attempt++) {
    try {
      await store.delete(ipPool, { name }, { uid, resourceVersion });
      return;
    } catch (error) {
      const changed = error instanceof DatastoreError && error.reason === 'conflict' && attempt < deleteAttempts;
      const now = changed ? await getIfAny(store, ipPool, { name }) : undefined;
      if (now?.spec.disabled !== true) throw error;
      resourceVersion = now.metadata.resourceVersion;
    }
  }
}

async function leftovers(store: Datastore, pool: IPPool, use: Use | undefined): Promise<Leftovers> {
  const { name } = pool.metadata;
  const left = [...(await pendingDeletion(store, ipPool as unknown as Kind, pool))];
  if (use !== undefined && use.addresses > 0) {
    left.push(`${inWords(use)} of the deleted IPPool ${name} stay allocated; calictl ipam check shows them`);
  }
  return left;
}
