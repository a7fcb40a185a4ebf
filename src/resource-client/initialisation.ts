// What calicoctl makes sure of before it writes: ClusterInformation `default` with an identity, and the tiers of Calico.
import { type Datastore, DatastoreError, getIfAny } from '../datastore/datastore.ts';
import { fromV3, toV3 } from '../resources/convert/v3.ts';
import { type CalicoApi, v3ApiVersion } from '../resources/kind.ts';
import { type ClusterInformation, clusterInformation } from '../resources/kinds/cluster-information.ts';
import { type Tier, tier } from '../resources/kinds/tier.ts';
import { sameValue } from '../text/plain-values.ts';
import type { World } from '../world/world.ts';
import { asNew } from './metadata.ts';

type InitialisingWorld = Pick<World, 'clock' | 'random' | 'signal'>;

const name = 'default';
const conflictPauseMs = 1000;

/** Errors: those of the store. */
export async function initialise(store: Datastore, world: InitialisingWorld): Promise<void> {
  await initialiseCluster(store, world);
  for (const [tierName, order, defaultAction] of tiers[store.calicoApi])
    await ensureTier(store, world, tierName, { order, defaultAction });
}

type NewTier = readonly [name: string, order: number, defaultAction: string];

/** The tiers of Calico up to 3.31, and from 3.32 on. */
const tiers: Readonly<Record<CalicoApi, readonly NewTier[]>> = {
  'crd.projectcalico.org/v1': [
    ['default', 1_000_000, 'Deny'],
    ['adminnetworkpolicy', 1000, 'Pass'],
    ['baselineadminnetworkpolicy', 10_000_000, 'Pass'],
  ],
  'projectcalico.org/v3': [
    ['default', 1_000_000, 'Deny'],
    ['kube-admin', 1000, 'Pass'],
    ['kube-baseline', 10_000_000, 'Pass'],
  ],
};

async function ensureTier(
  store: Datastore,
  world: InitialisingWorld,
  tierName: string,
  spec: Tier['spec'],
): Promise<void> {
  if ((await getIfAny(store, tier, { name: tierName }, { signal: world.signal })) !== undefined) return;
  const shown = { apiVersion: v3ApiVersion, kind: tier.kind, metadata: { name: tierName }, spec };
  const created = asNew(shown, { uid: world.random.uuid(), now: world.clock.now() });
  try {
    await store.create(tier, fromV3(tier, created, store.calicoApi) as Tier);
  } catch (error) {
    if (!(error instanceof DatastoreError && error.reason === 'already-exists')) throw error;
  }
}

/** The cluster's information with what it lacks: an explicit `datastoreReady: false` stays. */
function completed(spec: ClusterInformation['spec'], guid: string, isKubernetes: boolean): ClusterInformation['spec'] {
  const types = (spec.clusterType ?? '').split(',').filter((type) => type !== '');
  if (isKubernetes && !types.includes('kdd')) types.push('kdd');
  return {
    ...spec,
    clusterGUID: spec.clusterGUID || guid,
    ...(types.length > 0 && { clusterType: types.join(',') }),
    datastoreReady: spec.datastoreReady ?? true,
  };
}

async function initialiseCluster(store: Datastore, world: InitialisingWorld): Promise<void> {
  const guid = world.random.uuid().replaceAll('-', '');
  const isKubernetes = store.type === 'kubernetes';
  for (;;) {
    try {
      const stored = await getIfAny(store, clusterInformation, { name }, { signal: world.signal });
      if (stored === undefined) {
        const shown = {
          apiVersion: v3ApiVersion,
          kind: clusterInformation.kind,
          metadata: { name },
          spec: completed({}, guid, isKubernetes),
        };
        const created = asNew(shown, { uid: world.random.uuid(), now: world.clock.now() });
        await store.create(
          clusterInformation,
          fromV3(clusterInformation, created, store.calicoApi) as ClusterInformation,
        );
        return;
      }
      const shown = toV3(clusterInformation, stored) as ClusterInformation;
      const spec = completed(shown.spec, guid, isKubernetes);
      if (sameValue(spec, shown.spec)) return;
      const wanted = fromV3(clusterInformation, { ...shown, spec }, store.calicoApi) as ClusterInformation;
      await store.update(clusterInformation, wanted);
      return;
    } catch (error) {
      const raced =
        error instanceof DatastoreError && (error.reason === 'conflict' || error.reason === 'already-exists');
      if (!raced) throw error;
      await world.clock.sleep(conflictPauseMs, world.signal);
    }
  }
}
