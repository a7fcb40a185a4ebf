// The warning for a cluster of an unknown release.
import { describe, expect, it } from 'vitest';
import { versionWarning } from '../../src/cli/version-warning.ts';
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
