// What a client does around the writes of some kinds: checks that need other objects, and deletion in steps.
import { type Datastore, DatastoreError, listAll } from '../datastore/datastore.ts';
import { toV3 } from '../resources/convert/v3.ts';
import type { Kind } from '../resources/kind.ts';
import { bgpFilter } from '../resources/kinds/bgp-filter.ts';
import { bgpPeer } from '../resources/kinds/bgp-peer.ts';
import { globalNetworkPolicy } from '../resources/kinds/global-network-policy.ts';
import { type IPPool, ipPool } from '../resources/kinds/ip-pool.ts';
import { networkPolicy } from '../resources/kinds/network-policy.ts';
import { stagedGlobalNetworkPolicy } from '../resources/kinds/staged-global-network-policy.ts';
import { stagedNetworkPolicy } from '../resources/kinds/staged-network-policy.ts';
import { tier } from '../resources/kinds/tier.ts';
import type { KubeObject } from '../resources/object.ts';
import { defaultTier } from '../resources/policy-names.ts';
import { goText } from '../resources/rules/rule-problem.ts';
import type { World } from '../world/world.ts';
import { fieldError, nameOf, refusedWrite } from './client-error.ts';
import type { PlannedObjects } from './planned-objects.ts';
import { deletePool, type Leftovers } from './pool-deletion.ts';

/** What the rules need of the client. */
export interface RuleContext {
  readonly store: Datastore;
  readonly world: Pick<World, 'clock' | 'signal'>;
  readonly planned: PlannedObjects;
  readonly options: { readonly asCalicoctl?: boolean; readonly dryRun?: 'client' | 'server' | undefined };
}

export interface KindRules {
  /** Errors: invalid for an object that must not be created. */
  beforeCreate?(shown: KubeObject): Promise<void>;
  /** Errors: invalid for an object, complete with its defaults, that must not be created, nor replace another. */
  beforeWrite?(complete: KubeObject): Promise<void>;
  /** Errors: for an object that must not be deleted now. */
  beforeDelete?(stored: KubeObject): Promise<void>;
  /** Deletes the object in place of a plain delete. Returns what is left behind. */
  remove?(stored: KubeObject, options: { readonly force: boolean }): Promise<Leftovers>;
  /** True when calicoctl compares a given revision before it deletes such an object. */
  readonly comparesRevision?: boolean;
}

const asKind = (kind: unknown): Kind => kind as Kind;

/** The kinds of policies that are in tiers. */
const tiered: readonly Kind[] = [
  networkPolicy,
  globalNetworkPolicy,
  stagedNetworkPolicy,
  stagedGlobalNetworkPolicy,
].map(asKind);

const makers = new Map<Kind, (context: RuleContext) => KindRules>([
  [asKind(ipPool), poolRules],
  [asKind(tier), tierRules],
  [asKind(bgpPeer), peerRules],
  ...tiered.map((kind) => [kind, (context: RuleContext) => policyRules(kind, context)] as const),
]);

const prerequisites: ReadonlySet<Kind> = new Set([ipPool, tier, bgpFilter].map(asKind));

/** True for kinds of which objects of other kinds need some: policies are in tiers, peers have filters. */
export function isPrerequisite(kind: Kind): boolean {
  return prerequisites.has(kind);
}

/** True when the check of one object needs to see those of the same kind that were written before it. */
export function writesOneByOne(kind: Kind): boolean {
  return kind === asKind(ipPool);
}

/** The rules of the kind, on this datastore, for the objects of one command. */
export function rulesOf(kind: Kind, context: RuleContext): KindRules {
  return makers.get(kind)?.(context) ?? {};
}

function poolRules({ store, world, options }: RuleContext): KindRules {
  return {
    comparesRevision: true,
    remove: async (stored, { force }) => {
      const { asCalicoctl = false, dryRun } = options;
      return deletePool(store, world.clock, world.signal, stored as IPPool, {
        force,
        dryRun,
        looksBack: !asCalicoctl,
      });
    },
  };
}

function peerRules({ store, options }: RuleContext): KindRules {
  return {
    beforeWrite: async ({ metadata, spec }) => {
      const { filters = [] } = (spec ?? {}) as { readonly filters?: readonly string[] };
      // calicoctl insists on the filters; a tool that applies a directory may have them in a later file.
      if (!options.asCalicoctl || filters.length === 0) return;
      const stored = await listAll(store, bgpFilter, { orEmpty: true });
      const known = new Set(stored.map(({ metadata: { name } }) => name));
      if (filters.every((name) => known.has(name))) return;
      throw fieldError(`${nameOf(asKind(bgpPeer), metadata)}: one of its filters does not exist`, [
        { field: 'BGPPeer.Spec.Filters', value: goText(filters), reason: 'BGPFilter(s) not found' },
      ]);
    },
  };
}

const tierOf = ({ spec }: KubeObject): string => (spec as { readonly tier?: string } | undefined)?.tier || defaultTier;

function policyRules(kind: Kind, { store, planned, options }: RuleContext): KindRules {
  /** Tiers that were seen: thousands of policies may be in one. */
  const seen = new Set<string>();
  return {
    beforeCreate: async (shown) => {
      const name = tierOf(shown);
      // Calico makes its own tier when it starts; only calicoctl insists on it.
      if (seen.has(name) || (name === defaultTier && !options.asCalicoctl)) return;
      if (planned.has(asKind(tier), { name })) return;
      try {
        await store.get(tier, { name });
        seen.add(name);
      } catch (error) {
        if (!(error instanceof DatastoreError && error.reason === 'not-found')) throw error;
        throw new DatastoreError('invalid', `${nameOf(kind, shown.metadata)}: tier ${name} does not exist`, {
          code: 'NO_TIER',
          storeText: `resource does not exist: Tier(${name}) with error: ${error.storeText ?? error.message}`,
          hint: 'create the tier first',
        });
      }
    },
  };
}

function tierRules({ store }: RuleContext): KindRules {
  return {
    beforeDelete: async ({ metadata: { name } }) => {
      for (const kind of tiered) {
        const all = await listAll(store, kind, { orEmpty: true });
        const member = all.map((stored) => toV3(kind, stored)).find((policy) => tierOf(policy) === name);
        if (member === undefined) continue;
        throw refusedWrite(
          `Tier ${name} has policies: ${nameOf(kind, member.metadata)}`,
          `operation delete is not supported on ${name}: Cannot delete a non-empty tier`,
          'delete the policies of the tier first',
        );
      }
    },
  };
}
