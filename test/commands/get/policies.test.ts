// calictl get of policies, tiers, sets and profiles over a folder, and what it says about names of policies.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import { everyKind } from '../../support/clusters/every-kind.ts';
import { run } from '../../support/program/world.ts';

const shop: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', resourceVersion: '9', labels: { env: 'prod' } },
};
const get = (line: string) => run(`get ${line}`, { objects: [...everyKind, shop] });
const rows = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((row) => row.split(/ {2,}/).filter(Boolean));

describe('get of policies', () => {
  it('get shows the names that people gave to policies, not those under which they are stored', async () => {
    const { code, stdout } = await get('np -n shop -o wide');
    expect(code).toBe(0);
    const [heading, ...policies] = rows(stdout);
    expect(heading).toEqual(['NAMESPACE', 'NAME', 'TIER', 'ORDER', 'SELECTOR']);
    expect(policies.sort()).toEqual([
      ['shop', 'allow-dns', 'default', '1000.5', 'all()'],
      ['shop', 'default.annotated', 'default', '<nil>', 'has(b)'],
      ['shop', 'default.of-kubectl', 'default', '<nil>', 'has(a)'],
      ['shop', 'default.spelled-out', 'default', '1e+06'],
      ['shop', 'platform.deny-all', 'platform', '0', "app == 'web'"],
      ['shop', 'platform.of-kubectl', 'platform', '1e-05'],
    ]);
  });

  it('get finds a policy by its name, and says how another spelling is right', async () => {
    expect((await get('np allow-dns -n shop -o name')).stdout).toBe('networkpolicy/allow-dns\n');
    const { code, stdout, stderr } = await get('np default.allow-dns -n shop');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/NetworkPolicy (shop\/)?default\.allow-dns does not exist/);
    expect(stderr).toContain('NetworkPolicy is called allow-dns');
  });

  it('get finds a policy that Calico from 3.32 stored under its own name', async () => {
    const newer: KubeObject = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'GlobalNetworkPolicy',
      metadata: {
        name: 'newer',
        annotations: { 'projectcalico.org/metadata': '{"name":"newer","creationTimestamp":null}' },
      },
      spec: { selector: 'all()', tier: 'default' },
    };
    const { code, stdout } = await run('get gnp newer -o name', { objects: [newer] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'globalnetworkpolicy/newer\n' });
  });

  it('get networkpolicies does not mix in the policies of Kubernetes, which have the same kind', async () => {
    const { stdout } = await get('networkpolicies -A -o yaml');
    expect(stdout).not.toContain('networking.k8s.io');
    expect(stdout.match(/^ {2}kind: NetworkPolicy$/gm)).toHaveLength(7);
  });

  it('get tiers sorts tiers by their order, those that say none like the default', async () => {
    expect(rows((await get('tiers')).stdout)).toEqual([
      ['NAME', 'ORDER'],
      ['first', '-2.5'],
      ['adminnetworkpolicy', '1000'],
      ['a-last', '1e+06'],
      ['default', '1e+06'],
      ['platform', '1.234567e+06'],
    ]);
  });

  it('get profiles shows one for each namespace and service account, after the one that always exists', async () => {
    expect(rows((await get('profiles -o wide')).stdout)).toEqual([
      ['NAME', 'LABELS'],
      ['projectcalico-default-allow'],
      ['kns.shop', 'pcns.env=prod,pcns.projectcalico.org/name=shop'],
      ['ksa.shop.cart', 'pcsa.a.b/c=d,pcsa.projectcalico.org/name=cart,pcsa.role=shop'],
    ]);
  });

  it('get profile with the name of a namespace fails, and names the profile of that namespace', async () => {
    const { code, stderr } = await get('profile shop');
    expect(code).toBe(1);
    expect(stderr).toContain('Profile shop does not exist');
    expect(stderr).toContain('Profile of shop is called kns.shop');
  });

  it('get caliconodestatuses shows the classes, which calicoctl does not have', async () => {
    expect(rows((await get('nodestatus -o wide')).stdout)).toEqual([
      ['NAME', 'NODE', 'CLASSES'],
      ['node-a', 'node-a', 'Agent,BGP,Routes'],
    ]);
    const compat = await run('get nodestatus', { objects: everyKind, programName: 'calicoctl' });
    expect(compat.stderr).toBe("failed to get resources: resource type 'nodestatus' is not supported\n");
  });
});
