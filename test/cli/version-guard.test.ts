// Versions of program and cluster: refusal of compat mode, warning otherwise.
import { describe, expect, it } from 'vitest';
import { refuseOtherVersions, versionWarning } from '../../src/cli/version-guard.ts';
import { MemoryDatastore } from '../../src/datastore/memory.ts';

const { signal } = new AbortController();
const store = (calicoVersion?: string) =>
  new MemoryDatastore([
    {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'ClusterInformation',
      metadata: { name: 'default' },
      spec: calicoVersion === undefined ? {} : { calicoVersion },
    },
  ]);

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
});

describe('versionWarning', () => {
  it.each(['v3.25.0', 'v3.31.4', 'v3.33.9', ''])('version %j is not warned about', async (version) => {
    expect(await versionWarning(store(version), signal)).toBeUndefined();
  });

  it.each(['v3.24.5', 'v3.34.0', 'v4.0.0', 'v2.6.1'])('version %s is warned about in one line', async (version) => {
    const warning = await versionWarning(store(version), signal);
    expect(warning).toContain(version);
    expect(warning).not.toContain('\n');
  });

  it('an unreadable version is not warned about', async () => {
    expect(await versionWarning(new MemoryDatastore([]), signal)).toBeUndefined();
  });
});
