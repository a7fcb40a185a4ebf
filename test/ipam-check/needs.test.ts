// The kinds that each invariant needs according to the catalogue, compared with what the rules do when a kind was not read:
// in every cluster of the corpus, nothing is judged without its kinds, and no finding appears only because a kind is missing.
import { expect, it } from 'vitest';
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import { evaluate } from '../../src/ipam-check/evaluate.ts';
import type { OptionalKind } from '../../src/ipam-check/invariant.ts';
import { type InvariantId, invariantIds, invariants, invariantsNeeding } from '../../src/ipam-check/invariants.ts';
import type { IpamSnapshot } from '../../src/ipam-check/snapshot.ts';
import { observe } from '../../src/ipam-live/check/observe.ts';
import { corpus } from '../support/clusters/corpus.ts';
import { unread } from '../support/clusters/snapshot-builder.ts';
import { TestClock } from '../support/program/world.ts';

/** The fields of a snapshot in which a kind was not read. */
const withoutKind: Readonly<Record<OptionalKind, Partial<IpamSnapshot>>> = {
  BlockAffinity: { affinities: [] },
  ClusterInformation: { clusterInformation: undefined },
  IPAMBlock: { blocks: [] },
  IPAMConfig: { config: undefined },
  IPAMHandle: { handles: [] },
  IPPool: { pools: [] },
  IPReservation: { reservations: [] },
  KubeControllersConfiguration: { kubeControllers: undefined },
  Node: { nodes: [] },
  Pod: { pods: [] },
  Service: { services: [] },
  WorkloadEndpoint: { workloads: [] },
};
const kinds = Object.keys(withoutKind) as OptionalKind[];

const snapshots: { readonly name: string; readonly snapshot: IpamSnapshot }[] = [];
for (const { name, objects } of corpus()) {
  const clock = new TestClock('2026-06-01T00:00:00Z');
  snapshots.push({ name, snapshot: await observe(new MemoryDatastore(objects), { clock }) });
}

/** `INV-53 IPAMBlock/10-60-0-0-29` for each invariant that a judgement names. */
function breaches(snapshot: IpamSnapshot): { readonly id: InvariantId; readonly line: string }[] {
  return evaluate(snapshot).judgements.flatMap(({ finding: { id, also, object } }) =>
    [id, ...also].map((one) => ({ id: one, line: `${one} ${object.kind}/${object.name}` })),
  );
}

it('each kind lists exactly the invariants that need it', () => {
  for (const kind of kinds) {
    expect(invariantsNeeding(kind)).toEqual(invariantIds.filter((id) => invariants[id].needs.includes(kind)));
  }
  expect(invariantsNeeding('IPAMHandle')).toEqual(['INV-45', 'INV-46', 'INV-47', 'INV-48', 'INV-49', 'INV-52']);
  expect(invariantsNeeding('IPReservation')).toEqual(['INV-27', 'INV-42', 'INV-43', 'INV-73']);
  expect(invariantsNeeding('ClusterInformation')).toEqual([]);
});

it.each(kinds)('no invariant that needs %s is judged when it was not read', (kind) => {
  const needing = new Set<string>(invariantsNeeding(kind));
  for (const { name, snapshot } of snapshots) {
    const found = breaches({ ...snapshot, ...withoutKind[kind], unread: unread(kind) });
    expect(
      found.filter(({ id }) => needing.has(id)).map(({ line }) => line),
      name,
    ).toEqual([]);
  }
});

/** INV-68 is reported only for addresses without another finding, and so may take the place of one. */
const leastOfAll: InvariantId = 'INV-68';

it.each(kinds)('no additional finding appears when %s was not read', (kind) => {
  for (const { name, snapshot } of snapshots) {
    const before = new Set(breaches(snapshot).map(({ line }) => line));
    const after = breaches({ ...snapshot, ...withoutKind[kind], unread: unread(kind) });
    const fresh = after.filter(({ id, line }) => id !== leastOfAll && !before.has(line)).map(({ line }) => line);
    expect(fresh, name).toEqual([]);
  }
});
