// calictl convert: objects of Calico 2 and of Kubernetes in projectcalico.org/v3, every problem with its place, and nothing
// that would allow more than the original. Byte for byte as calicoctl: test/parity/convert.test.ts.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../support/program/world.ts';

const convert = (stdin: string, more = '') => run(`convert -f - ${more}`.trim(), { stdin });

const kubernetesPolicy = (spec: string): string =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: shop}\nspec: ${spec}\n`;

describe('convert', () => {
  it('convert prints a pool of Calico 2 with the name and the defaults of Calico 3', async () => {
    const { code, stdout, stderr } = await convert(
      'apiVersion: v1\nkind: ipPool\nmetadata: {cidr: 192.168.0.0/16}\nspec:\n  ipip: {enabled: true, mode: cross-subnet}\n  nat-outgoing: true\n',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(parse(stdout)).toEqual({
      apiVersion: 'projectcalico.org/v3',
      kind: 'IPPool',
      metadata: { name: '192-168-0-0-16', creationTimestamp: null },
      spec: {
        cidr: '192.168.0.0/16',
        ipipMode: 'CrossSubnet',
        vxlanMode: 'Never',
        natOutgoing: true,
        blockSize: 26,
        nodeSelector: 'all()',
        allowedUses: ['Workload', 'Tunnel'],
        assignmentMode: 'Automatic',
      },
    });
  });

  it('convert changes names that Calico 3 does not accept, and never makes one of two', async () => {
    const node = (name: string): string => `- {apiVersion: v1, kind: profile, metadata: {name: ${name}}}\n`;
    const { stdout } = await convert(['Prof_A', 'prof-a', 'k8s_ns.shop'].map(node).join(''), '-o json');
    const { kind, apiVersion, items } = JSON.parse(stdout);
    expect({ kind, apiVersion }).toEqual({ kind: 'List', apiVersion: 'v1' });
    expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      'prof-a-14bb1c18',
      'prof-a',
      'kns.shop',
    ]);
  });

  it('convert writes protocols of workload endpoints as Calico 3 spells them', async () => {
    const { code, stdout } = await convert(
      'apiVersion: v1\nkind: workloadEndpoint\nmetadata: {name: eth0, workload: shop.web-1, orchestrator: k8s, node: node-a}\n' +
        'spec: {interfaceName: cali1, ports: [{name: http, protocol: tcp, port: 80}]}\n',
    );
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({
      metadata: { name: 'node--a-k8s-web--1-eth0', namespace: 'shop' },
      spec: { pod: 'web-1', ports: [{ name: 'http', protocol: 'TCP', port: 80, hostPort: 0, hostIP: '' }] },
    });
  });

  it('convert reads custom resources of crd.projectcalico.org/v1, and leaves objects of projectcalico.org/v3 as they are', async () => {
    const { code, stdout } = await convert(
      'apiVersion: crd.projectcalico.org/v1\nkind: IPPool\nmetadata: {name: a}\nspec: {cidr: 10.0.0.0/16, unknown: 1}\n',
    );
    // The reader of manifests names unknown fields.
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const { stdout: shown } = await convert(
      'apiVersion: crd.projectcalico.org/v1\nkind: IPPool\nmetadata: {name: a}\nspec: {cidr: 10.0.0.0/16}\n' +
        '---\napiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata: {name: b}\nspec: {cidr: 10.1.0.0/16}\n',
      '-o json',
    );
    const { items } = JSON.parse(shown);
    expect(items.map(({ apiVersion, metadata }: never) => [apiVersion, (metadata as { name: string }).name])).toEqual([
      ['projectcalico.org/v3', 'a'],
      ['projectcalico.org/v3', 'b'],
    ]);
  });

  it('a policy of Kubernetes with egress rules and without policyTypes applies to both directions', async () => {
    const { stdout } = await convert(
      kubernetesPolicy('{podSelector: {}, egress: [{ports: [{port: 53, protocol: UDP}]}]}'),
    );
    expect(parse(stdout)).toMatchObject({
      kind: 'NetworkPolicy',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        order: 1000,
        selector: "projectcalico.org/orchestrator == 'k8s'",
        types: ['Ingress', 'Egress'],
        egress: [{ action: 'Allow', protocol: 'UDP', destination: { ports: [53] } }],
      },
    });
  });

  it.each([
    ['{ipBlock: {cidr: 10.1.1.1}}', 'ipBlock: 10.1.1.1 is not a CIDR'],
    ['{ipBlock: {cidr: 10.0.0.0/8, except: [bar]}}', 'ipBlock: bar is not a CIDR'],
    ['{podSelector: {matchExpressions: [{key: a, operator: Foo}]}}', 'Foo is not an operator of a label selector'],
  ])('convert refuses the peer %s, without which a rule would allow everything', async (peer, reason) => {
    for (const programName of ['calictl', 'calicoctl']) {
      const stdin = kubernetesPolicy(`{podSelector: {}, ingress: [{from: [${peer}]}]}`);
      const { code, stdout, stderr } = await run('convert -f -', { stdin, programName });
      expect(stdout).toBe('');
      expect(stderr).toContain(reason);
      expect(code).toBe(programName === 'calictl' ? 2 : 1);
    }
  });

  it('convert names every problem with its place, and prints nothing', async () => {
    const { code, stdout, stderr } = await convert(
      'apiVersion: v1\nkind: policy\nmetadata:\n  name: a\nspec:\n  order: 10\n  applyOnForward: true\n---\n' +
        'apiVersion: v1\nkind: hostEndpoint\nmetadata: {name: eth0, node: node-a}\nspec:\n  interfaceName: eth0 x\n---\n' +
        'apiVersion: v1\nkind: workloadEndpoint\nmetadata: {name: eth0, workload: web, orchestrator: k8s, node: node-a}\nspec: {interfaceName: cali1}\n',
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n').slice(1, 4)).toEqual([
      expect.stringMatching(/^-:7:3: policy a: spec\.applyOnForward is not a field /),
      expect.stringMatching(/^-:13:3: hostEndpoint eth0: spec\.interfaceName must be the name of an interface/),
      expect.stringMatching(/^-:15:1: workloadEndpoint eth0: cannot be converted: malformed k8s workload ID 'web'/),
    ]);
  });

  it('convert refuses what Calico 3 would refuse, except with --ignore-validation', async () => {
    const stdin = 'apiVersion: v1\nkind: profile\nmetadata: {name: a, labels: {"-x": ""}}\n';
    const refused = await convert(stdin);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
    const { code, stdout } = await convert(stdin, '--ignore-validation');
    expect(code).toBe(0);
    expect(parse(stdout).spec.labelsToApply).toEqual({ '-x': '' });
  });

  it('apply says that an object of Calico 2 must be converted', async () => {
    const { code, stderr } = await run('apply -f -', {
      stdin: 'apiVersion: v1\nkind: ipPool\nmetadata: {cidr: 10.0.0.0/16}\n',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('ipPool of v1 is an object of Calico 2 (calictl convert converts it to Calico 3)');
  });
});
