// Which API counts where a cluster has two: by the phase of a migration, else by what each holds.
import { describe, expect, it } from 'vitest';
import { type ApiHoldings, type CalicoApiFacts, chosenCalicoApi } from '../../src/datastore/calico-api.ts';
import type { CalicoApi } from '../../src/resources/kind.ts';

const crd: CalicoApi = 'crd.projectcalico.org/v1';
const v3: CalicoApi = 'projectcalico.org/v3';

const holds = (isReady: boolean): ApiHoldings => ({ information: { isReady, version: 'v3.32.1' }, hasPools: true });
const nothing: ApiHoldings = { information: undefined, hasPools: false };
const ready = holds(true);
const locked = holds(false);
/** What calicoctl makes before it writes: no node runs there. */
const unused: ApiHoldings = { information: { isReady: true, version: undefined }, hasPools: false };

function choice(facts: Partial<CalicoApiFacts>, asked?: CalicoApi) {
  const all: CalicoApiFacts = { servesCrd: true, v3: 'native', crd: ready, native: nothing, ...facts };
  const { calicoApi, note, readOnly } = chosenCalicoApi(all, 'https://server', asked);
  return { calicoApi, hasNote: note !== undefined, refuses: readOnly?.exit === 4 };
}

describe('a cluster with one API of Calico', () => {
  it.each([
    [{ v3: 'none' }, crd],
    [{ v3: 'aggregated' }, crd],
    [{ v3: 'unknown' }, crd],
    [{ servesCrd: false, v3: 'native' }, v3],
  ] as const)('%j is read from %s without a note', (facts, calicoApi) => {
    expect(choice(facts)).toEqual({ calicoApi, hasNote: false, refuses: false });
  });

  it.each([
    [{ servesCrd: false, v3: 'none' }, undefined, 'https://server serves no API group of Calico'],
    [
      { servesCrd: false, v3: 'aggregated' },
      undefined,
      "https://server serves projectcalico.org/v3 from Calico's API server, and no crd.projectcalico.org/v1",
    ],
    [{ servesCrd: false, v3: 'native' }, crd, 'https://server does not serve crd.projectcalico.org/v1'],
    [{ v3: 'none' }, v3, 'https://server does not serve projectcalico.org/v3'],
    [
      { v3: 'aggregated' },
      v3,
      "https://server serves projectcalico.org/v3 from Calico's API server, without IPAM data",
    ],
  ] as const)('%j with CALICO_API_GROUP %s is an error', (facts, asked, message) => {
    expect(() => choice(facts, asked)).toThrow(expect.objectContaining({ code: 'NO_CALICO', message }));
  });
});

describe('a migration', () => {
  it.each([
    ['', ready, crd, false],
    ['Pending', ready, crd, false],
    ['Pending', locked, crd, true],
    ['WaitingForConflictResolution', ready, crd, false],
    ['WaitingForConflictResolution', locked, crd, true],
    ['Migrating', locked, crd, true],
    ['Migrating', ready, crd, true],
    ['Failed', ready, crd, false],
    ['Converged', locked, v3, false],
    ['Complete', locked, v3, false],
    // One of a later release: nothing is known about it.
    ['Rewinding', ready, crd, true],
  ] as const)(
    'in phase "%s" objects are read from the API that counts, and lost writes are refused',
    (phase, inCrd, calicoApi, refuses) => {
      const facts = { phase, crd: inCrd, native: ready };
      expect(choice(facts)).toEqual({ calicoApi, hasNote: true, refuses });
    },
  );

  it.each([
    ['Pending', v3],
    ['Migrating', v3],
    ['Migrating', crd],
    ['Failed', v3],
    ['Converged', crd],
    ['Complete', crd],
  ] as const)('in phase %s, %s can be read when the user asks for it, but not written', (phase, asked) => {
    expect(choice({ phase, crd: locked, native: ready }, asked)).toEqual({
      calicoApi: asked,
      hasNote: true,
      refuses: true,
    });
  });

  it.each([
    ['Complete', v3],
    ['Failed', crd],
  ] as const)('in phase %s, %s can be written when the user asks for it', (phase, asked) => {
    expect(choice({ phase, crd: ready, native: ready }, asked)).toMatchObject({ calicoApi: asked, refuses: false });
  });

  it('the error names the phase, the API that counts, and what to do', () => {
    const facts = { servesCrd: true, v3: 'native', phase: 'Migrating', crd: locked, native: locked } as const;
    expect(chosenCalicoApi(facts, 'https://server').readOnly).toMatchObject({
      message:
        "the migration to projectcalico.org/v3 is in phase Migrating: Calico's objects are in crd.projectcalico.org/v1, " +
        'which is being copied, and a write to either API can be lost',
      hint:
        'Wait until it is complete (kubectl get datastoremigration v1-to-v3 -o yaml), or delete the DatastoreMigration ' +
        'to end it.',
    });
  });
});

describe('both APIs served by CRDs, without a migration', () => {
  it.each([
    ['CRDs installed before a migration', ready, nothing, crd],
    ['a locked cluster with new CRDs', locked, nothing, crd],
    ['left-over CRDs', nothing, ready, v3],
    ['left-over CRDs of a finished migration', locked, ready, v3],
    ['left-over CRDs in which calicoctl made an object', unused, ready, v3],
    ['a temporarily locked cluster, with an object that calicoctl made in the other API', locked, unused, crd],
    ['pools in projectcalico.org/v3 only', nothing, { information: undefined, hasPools: true }, v3],
    ['nothing in either', nothing, nothing, crd],
  ])('%s: the API in use is read and written', (_, inCrd, native, calicoApi) => {
    expect(choice({ crd: inCrd, native })).toEqual({ calicoApi, hasNote: true, refuses: false });
    expect(choice({ crd: inCrd, native }, calicoApi)).toEqual({ calicoApi, hasNote: false, refuses: false });
  });

  it.each([
    ['both in use', ready, ready],
    ['both locked', locked, locked],
    ['one that may not be read', { information: 'unreadable', hasPools: false } as const, ready],
  ])('%s: nothing is written until the user chooses', (_, inCrd, native) => {
    expect(choice({ crd: inCrd, native })).toEqual({ calicoApi: crd, hasNote: true, refuses: true });
    for (const asked of [crd, v3] satisfies CalicoApi[]) {
      expect(choice({ crd: inCrd, native }, asked)).toEqual({ calicoApi: asked, hasNote: false, refuses: false });
    }
  });

  it('the API that is not in use can be read when the user asks for it, but not written', () => {
    expect(choice({ crd: nothing, native: ready }, crd)).toEqual({ calicoApi: crd, hasNote: true, refuses: true });
    expect(choice({ crd: ready, native: nothing }, v3)).toEqual({ calicoApi: v3, hasNote: true, refuses: true });
  });

  it('where there is nothing in either, the user chooses', () => {
    expect(choice({ crd: nothing, native: nothing }, v3)).toMatchObject({ calicoApi: v3, refuses: false });
  });
});
