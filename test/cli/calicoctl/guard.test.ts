// calicoctl's refusal of a cluster of another release.
import { describe, expect, it } from 'vitest';
import { refuseOtherVersions } from '../../../src/cli/calicoctl/guard.ts';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import type { CalicoApi } from '../../../src/resources/kind.ts';

const { signal } = new AbortController();
const store = (calicoVersion?: string, calicoApi: CalicoApi = 'crd.projectcalico.org/v1') =>
  new MemoryDatastore(
    [
      {
        apiVersion: 'crd.projectcalico.org/v1',
        kind: 'ClusterInformation',
        metadata: { name: 'default' },
        spec: calicoVersion === undefined ? {} : { calicoVersion },
      },
    ],
    { calicoApi },
  );

describe('refuseOtherVersions', () => {
  it.each(['v3.31.4', '3.31.4', 'v3.31.4-0.dev-12-gabc', ''])(
    'a cluster of version %j is accepted',
    async (version) => {
      await expect(refuseOtherVersions(store(version), signal)).resolves.toBeUndefined();
    },
  );

  it('a cluster without a version is accepted', async () => {
    await expect(refuseOtherVersions(store(), signal)).resolves.toBeUndefined();
    await expect(refuseOtherVersions(new MemoryDatastore([]), signal)).resolves.toBeUndefined();
  });

  it('a cluster of another version is refused in four lines', async () => {
    await expect(refuseOtherVersions(store('v3.30.0-1'), signal)).rejects.toThrow(
      'version mismatch.\nClient Version:   v3.31.4\nCluster Version:  3.30.0\nUse --allow-version-mismatch to override',
    );
  });

  it('a cluster with its objects in projectcalico.org/v3 is compared with v3.32.1, the release whose calicoctl works there', async () => {
    await expect(refuseOtherVersions(store('v3.32.1', 'projectcalico.org/v3'), signal)).resolves.toBeUndefined();
    await expect(refuseOtherVersions(store('v3.33.0', 'projectcalico.org/v3'), signal)).rejects.toThrow(
      'version mismatch.\nClient Version:   v3.32.1\nCluster Version:  3.33.0\n',
    );
  });
});
