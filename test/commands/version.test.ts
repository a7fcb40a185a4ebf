// calictl version: program, cluster, polling.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { folderOf, run, TestClock } from '../support/program/world.ts';

const information = (spec: Record<string, unknown>): KubeObject => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'ClusterInformation',
  metadata: { name: 'default' },
  spec,
});
const objects = [information({ calicoVersion: 'v3.31.4', clusterType: 'k8s,bgp,kdd' })];

describe('version', () => {
  it('version prints the Calico release it follows, without a cluster', async () => {
    expect(await run('version --client')).toMatchObject({ code: 0, stderr: '' });
    expect((await run('version --client')).stdout).toMatch(
      /^Client Version: {4}v\S+\nImplements Calico: v3\.31\.4\nGit commit: {8}\S+\n$/,
    );
  });

  it("version adds the cluster's version", async () => {
    const { code, stdout } = await run('version', { objects });
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(3)).toEqual(['Cluster Version:   v3.31.4', 'Cluster Type:      k8s,bgp,kdd', '']);
  });

  it('version prints unknown for what the cluster does not report', async () => {
    const { stdout } = await run('version', { objects: [information({})] });
    expect(stdout).toContain('Cluster Version:   unknown\nCluster Type:      unknown\n');
  });

  it('version prints JSON', async () => {
    expect(JSON.parse((await run('version -o json', { objects })).stdout)).toMatchObject({
      client: { calico: 'v3.31.4' },
      cluster: { version: 'v3.31.4', type: 'k8s,bgp,kdd' },
    });
  });

  it('version prints its own lines even when the cluster cannot be read', async () => {
    const other = [{ ...information({}), kind: 'IPPool', metadata: { name: 'p' }, spec: { cidr: '10.0.0.0/16' } }];
    const { code, stdout, stderr } = await run('version', { objects: other });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Client Version/);
    expect(stderr).toContain('unable to retrieve Cluster Version or Type: ');
  });

  it("version without a datastore has no line that could be taken for a cluster's version", async () => {
    const { code, stdout } = await run('version');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Client Version: .*\nImplements Calico: .*\nGit commit: .*\nCluster Version: {3}unknown, because no datastore is configured\n$/,
    );
    expect((await run('version', { programName: 'calicoctl' })).stdout).toContain('Unable to detect installed Calico');
  });

  it('version names the reason when the connection cannot be used', async () => {
    const { code, stdout, stderr } = await run('version --datastore kubernetes');
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.not.stringContaining('Cluster') });
    expect(stderr).toContain('no Kubernetes API server is configured');
  });

  it("calicoctl version prints calicoctl's text", async () => {
    const { code, stdout } = await run('version', { objects, programName: 'calicoctl' });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Client Version: {4}v3\.31\.4\nGit commit: {8}\S+\nCluster Version: {3}v3\.31\.4\nCluster Type: {6}k8s,bgp,kdd\n$/,
    );
    expect(await run('version --poll=soon', { programName: 'calicoctl' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'invalid poll duration specified: 0s\n',
    });
  });

  it('version --poll refuses an interval that is not a duration', async () => {
    const { code, stderr } = await run('version --poll=soon');
    expect(code).toBe(2);
    expect(stderr).toContain('invalid duration for --poll: soon');
  });

  it('version --poll polls until interrupted, and prints changes', async () => {
    const { writeFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const folder = folderOf(objects);
    const clock = new TestClock('2025-06-15T16:00:00Z');
    const interruption = new AbortController();
    let sleeps = 0;
    clock.onSleep = (ms) => {
      expect(ms).toBe(10_000);
      sleeps++;
      const next = information({ calicoVersion: 'v3.32.0', clusterType: 'k8s,bgp,kdd' });
      if (sleeps === 2) writeFileSync(join(folder, 'objects.json'), JSON.stringify(next));
      if (sleeps === 4) interruption.abort();
    };
    const { code, stdout } = await run('version --poll=10s', { folder, clock, signal: interruption.signal });
    expect(code).toBe(130);
    expect(stdout.split('\n').filter((line) => line.startsWith('Cluster'))).toEqual([
      'Cluster Version:   v3.31.4',
      'Cluster Type:      k8s,bgp,kdd',
      'Cluster Version:   v3.32.0',
    ]);
  });
});
