// `get` and `version` compared with calicoctl v3.31.4 on the same cluster: exit code and both streams, byte for byte.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { cluster } from '../support/clusters/seeded-cluster.ts';
import { reference, runReference, withoutListRevision } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const environment = (server: ApiServer): Record<string, string> => ({
  DATASTORE_TYPE: 'kubernetes',
  KUBECONFIG: server.kubeconfig,
  HOME: '/nonexistent',
});

const more: readonly KubeObject[] = [
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPPool',
    metadata: {
      name: 'pool-v6',
      labels: { 'projectcalico.org/site': 'x' },
      annotations: {
        'projectcalico.org/metadata':
          '{"creationTimestamp":"2025-06-15T15:00:00Z","labels":{"a":"b"},"annotations":{"note":"yes"}}',
      },
    },
    spec: { cidr: 'fd60:6::/64', assignmentMode: 'Manual', nodeSelector: 'zone == "a" && has(x)', disabled: true },
  },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'BGPPeer',
    metadata: { name: 'rack-1' },
    spec: { peerIP: '192.0.2.1', asNumber: 64513, node: 'node-a', password: { secretKeyRef: { name: 's', key: 'k' } } },
  },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'BGPPeer',
    metadata: { name: 'rack-2' },
    spec: { nodeSelector: 'all()' },
  },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'BGPConfiguration',
    metadata: { name: 'default' },
    spec: { asNumber: 65001, logSeverityScreen: 'Info', nodeToNodeMeshEnabled: false },
  },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'FelixConfiguration',
    metadata: { name: 'default' },
    spec: {
      vxlanVNI: 4097,
      ipipMTU: 0,
      bpfEnabled: false,
      interfacePrefix: 'cali,tap',
      routeRefreshInterval: '90s',
      mtuIfacePattern: '',
      failsafeInboundHostPorts: [{ port: 22, protocol: 'tcp' }, { port: 53 }],
      healthTimeoutOverrides: [{ name: 'x', timeout: '90s' }],
      routeTableRanges: [{ min: 1, max: 250 }],
      bpfConntrackTimeouts: { udpTimeout: 'Auto', tcpSynSent: '30s' },
      externalNodesList: ['192.0.2.0/24'],
    },
  },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'FelixConfiguration',
    metadata: { name: 'node.node-a' },
    spec: { logSeverityScreen: 'Debug' },
  },
  {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPReservation',
    metadata: { name: 'kept' },
    spec: { reservedCIDRs: Array.from({ length: 9 }, (_, n) => `10.60.200.${n * 16}/28`) },
  },
];

const words = [
  'ippool',
  'ippool pool-1',
  'pools pool-v6 pool-1',
  'ippool -o wide',
  'ippool -oyaml',
  'ippool -o json',
  'ippool pool-v6 -o yaml',
  'ippool pool-1 pool-v6 -o json',
  'ippool pool-1 pool-v6 --output yml',
  'ippool nosuch',
  'ippool pool-1 nosuch',
  'ippool nosuch -o json',
  'ippool nosuch other -o yaml',
  'ippool -o custom-columns=NAME,NAT',
  'ippool -o custom-columns',
  'ippool nosuch -o custom-columns=BOGUS',
  'ippool -o go-template',
  'ippool -o go-template=',
  'ippool -o go-template-file=',
  'ippool -o go-template-file=/nonexistent',
  'gadgets -o go-template-file=/nonexistent',
  'ippool -o jsonpath={.items}',
  'ippool -o xml',
  'ippool -o=yaml',
  'ippool -o',
  'ippool --out json',
  'ippool -n x',
  'ippool -A',
  'ippool -a',
  'ippool pool-v6 --export -o yaml',
  'ippool --export -o json',
  'node',
  'nodes -o wide',
  'node node-a -o yaml',
  'node node-a node-b -o json',
  'node nosuch',
  'nodes -o yaml',
  'bgppeer',
  'bgpp -o wide',
  'bgppeer rack-1 -o yaml',
  'bgppeer rack-1 -o json',
  'bgpconfig',
  'bgpconfig default -o yaml',
  'bgpconfig -o wide',
  'clusterinfo',
  'clusterinfo default -o yaml',
  'felixconfig',
  'felixconfigurations -o wide',
  'felixconfig default -o yaml',
  'felixconfig -o json',
  'ipreservation',
  'ipreservation -o wide',
  'reservations kept -o json',
  'kubecontrollersconfig',
  'kubecontrollersconfig default -o yaml',
  'kubecontrollersconfig default -o json',
  'wep',
  'wep -A',
  'wep -n default -o wide',
  'wep -A -o wide',
  'wep -A -o json',
  'wep -n shop -o yaml',
  'wep -A -n x',
  'wep x -A',
  'wep nosuch',
  'wep node--a-k8s-nosuch-eth0 -n shop',
  'wep -n default -o custom-columns=ORCHESTRATOR,NAMESPACE,NODE',
  'gadgets',
  'ipamblocks',
  'ippool --bogus',
  '',
  'ippool --context nosuch',
  'ippool --context token',
  'ippool --context nobody',
  'ippool pool-1 --context nobody',
  'ippool -c /nonexistent',
  'ippool --allow-version-mismatch',
  'IPPool pool-1',
  'ippool -- pool-1',
]; // prettier-ignore

const inList = (inner: string): string => `{{range .}}{{range .Items}}${inner}{{end}}{{end}}`;

/** Templates for results of these words. calicoctl fails by accident on others, such as a list of policy types. */
const templates: readonly (readonly [words: string, template: string])[] = [
  ['ippool', inList('{{.Name}} {{.Spec.CIDR}} {{.Spec.NATOutgoing}} {{.Spec.AssignmentMode}}{{"\\n"}}')],
  ['ippool pool-1', '{{range .}}{{.Name}} {{.Kind}} {{.APIVersion}} {{.TypeMeta.Kind}} {{.ObjectMeta.Name}}{{end}}'],
  ['ippool pool-1 pool-v6', '{{range $i, $p := .}}{{$i}}={{$p.Spec.CIDR}} {{end}}'],
  [
    'ippool pool-v6',
    '{{range .}}{{.Spec.NodeSelector}},{{.Spec.BlockSize}},{{.Spec.IPIP}},{{.Spec.NATOutgoingV1}}{{end}}',
  ],
  [
    'ippool pool-v6',
    '{{range .}}{{.Labels}}|{{join .Labels ","}}|{{.Annotations.note}}|{{.Annotations.nosuch}}{{end}}',
  ],
  ['ippool pool-v6', '{{range .}}{{joinAndTruncate .Labels "," 5}} {{joinAndTruncate .Spec.CIDR "," 7}}{{end}}'],
  ['ippool', inList('{{if .Spec.Disabled}}off{{else if eq .Spec.BlockSize 26}}b26{{else}}on{{end}} ')],
  ['ippool', inList('{{range $i, $use := .Spec.AllowedUses}}{{$i}}{{$use}} {{else}}none{{end}};')],
  [
    'ippool pool-1',
    '{{range .}}{{printf "%d|%5d|%-8s|%q|%v" .Spec.BlockSize .Spec.BlockSize .Name .Name .Spec.NATOutgoing}}{{end}}',
  ],
  ['ippool pool-1', '{{range .}}{{.OwnerReferences}} {{.Namespace}} {{.Finalizers}}|{{end}}'],
  ['ippool', '{{range .}}{{.ResourceVersion | len | lt 0}}{{end}}'],
  ['ippool pool-1', 'pools:\n{{range .}}- name: {{.Name}}\n  cidr: {{.Spec.CIDR}}\n{{end}}'],
  [
    'bgppeer',
    inList('{{.Name}} {{.Spec.ASNumber}} {{.Spec.NextHopMode}} {{.Spec.MaxRestartTime}} {{.Spec.LocalASNumber}},'),
  ],
  ['bgppeer rack-1', '{{range .}}{{.Spec.Password.SecretKeyRef.Name}}/{{.Spec.Password.SecretKeyRef.Key}}{{end}}'],
  [
    'bgpconfig',
    inList('{{.Spec.NodeToNodeMeshEnabled}} {{.Spec.LogSeverityScreen}} {{.Spec.ASNumber}} {{.Spec.ListenPort}}'),
  ],
  [
    'felixconfig default',
    '{{range .}}{{.Spec.VXLANVNI}} {{.Spec.BPFEnabled}} {{.Spec.RouteRefreshInterval}} {{.Spec.WireguardMTU}}{{end}}',
  ],
  ['felixconfig default', '{{range .}}{{range .Spec.FailsafeInboundHostPorts}}{{.Port}}/{{.Protocol}} {{end}}{{end}}'],
  [
    'node',
    inList('{{.Name}} {{with .Spec.BGP}}{{.IPv4Address}} {{.ASNumber}}{{else}}none{{end}} {{config "asnumber"}};'),
  ],
  ['wep -A', inList('{{.Namespace}} {{.Spec.Pod}} {{.Spec.Node}} {{.Spec.InterfaceName}};')],
  ['ippool nosuch', '{{range .}}{{.Name}}{{end}}'],
  ['ippool pool-1 nosuch', '{{range .}}{{.Name}}{{end}}'],
  ['ippool pool-1 nosuch', '{{range .}}{{.Bogus}}{{end}}'],
  ['ippool nosuch', '{{range .}}{{.Bogus}}{{end}}'],
  ['ippool nosuch', '{{bogus'],
  ['gadgets', '{{bogus'],
  ['ippool pool-1', '{{range .}}{{.Spec.Bogus}}{{end}}'],
  ['ippool pool-1', '{{.Bogus}}'],
  ['ippool pool-1', '{{range .}}{{.Spec.CIDR.X}}{{end}}'],
  ['ippool', inList('{{.Bogus}}')],
  ['ippool pool-1', '{{range .}}{{.Name}'],
  ['ippool pool-1', '{{range .}}{{bogus .Name}}{{end}}'],
  ['ippool pool-1', '{{range .}}{{config "x"}}{{end}}'],
  ['ippool pool-1', '{{range .}}{{len .Spec.Disabled}}{{end}}'],
  ['ippool pool-1', 'a: b: c'],
  ['ippool pool-1', '{{"a: b"}}'],
  ['ippool pool-1', '{{range .}}@{{.Name}}{{end}}'],
  ['ippool pool-1', '{{range .}}{{.Name}}: 1{{end}}'],
  ['ippool pool-1', '{{range .}}{{printf "a: %s" .Name}}{{end}}'],
  ['ippool pool-1', '{{range .}}{{.Name | printf "%s: 1"}}{{end}}'],
  ['ippool pool-v6', 's: {{range .}}{{.Spec.NodeSelector}}{{end}}'],
];

const manifest = `apiVersion: projectcalico.org/v3
kind: IPPool
metadata: {name: pool-1}
spec: {cidr: 10.60.0.0/16}
---
apiVersion: projectcalico.org/v3
kind: BGPPeer
metadata: {name: rack-1}
---
apiVersion: projectcalico.org/v3
kind: IPPool
metadata: {name: nosuch}
---
apiVersion: projectcalico.org/v3
kind: Node
metadata: {name: node-a}
`;

/** After \`get -f FILE\`. */
const afterFile = [
  '',
  '-o wide',
  '-o json',
  '-o yaml',
  '-o yaml --export',
  '-o custom-columns=NAME',
  '-o go-template={{range.}}{{.Name}},{{end}}',
  '-o xml',
  '-n x',
  '-A',
  '-R',
  '-f FILE',
  'ippool',
];

const versions = ['version', 'version --client', 'version --allow-v', 'version --poll=x', 'version x'];

/** Command lines that no usage allows; none of these prints a help text. */
const misuses = [
  '',
  '-l',
  '--log-level',
  'get -f',
  'get ippool -R',
  'get --skip-empty',
  '--bogus',
  '--vers',
  '--version',
  '-l loud get nodes',
  '--bogus get nodes',
  'ipam',
  'get -h -o',
  'ipam show --bogus',
  'ipam show --show',
  'ipam show --ip',
  'ipam show x',
  'ipam show --ip=10.0.0.1 --show-blocks',
  'version --poll',
  'version --client=x',
  'get nodes -o a -o b',
  'get nodes --allow-version-mismatch=1',
  'ipam check x',
];

describe.skipIf(reference === undefined)('next to calicoctl (skipped unless CALICOCTL names it)', () => {
  it.each(misuses)('wrong usage prints the same: calicoctl %s', async (line) => {
    const env = { HOME: '/nonexistent' };
    const argv = line.split(' ').filter(Boolean);
    const [expected, ours] = await Promise.all([runReference(argv, env), run(argv, { programName: 'calicoctl', env })]);
    expect({ code: ours.code, stdout: ours.stdout, stderr: ours.stderr }).toEqual(expected);
  });

  describeWithApiServer('on Kubernetes', (server) => {
    beforeAll(async () => {
      const { objects } = cluster({ seed: 8, nodes: 3, podsPerNode: 4, namespaces: ['default', 'shop'] });
      await server().admin.load([...objects, ...more]);
    });

    it.each(templates)('a cluster prints the same through a Go template: get %s with %s', async (line, template) => {
      const env = environment(server());
      const argv = ['get', ...line.split(' '), '-o', `go-template=${template}`];
      const [expected, ours] = await Promise.all([
        runReference(argv, env),
        run(argv, { programName: 'calicoctl', env }),
      ]);
      expect({ code: ours.code, stdout: ours.stdout, stderr: ours.stderr }).toEqual(expected);
    });

    it.each(afterFile)('a cluster prints the same: calicoctl get -f FILE %s', async (line) => {
      const folder = mkdtempSync(join(tmpdir(), 'calictl-parity-'));
      try {
        const file = join(folder, 'objects.yaml');
        writeFileSync(file, manifest);
        const env = environment(server());
        const argv = ['get', '-f', file, ...line.replace('FILE', file).split(' ').filter(Boolean)];
        const [expected, ours] = await Promise.all([
          runReference(argv, env),
          run(argv, { programName: 'calicoctl', env }),
        ]);
        expect({ code: ours.code, stdout: ours.stdout, stderr: ours.stderr }).toEqual(expected);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it.each([...words.map((line) => `get ${line}`), ...versions])(
      'a cluster prints the same: calicoctl %s',
      async (line) => {
        const env = environment(server());
        const argv = line.split(' ').filter(Boolean);
        const [expected, ours] = await Promise.all([
          runReference(argv, env),
          run(argv, { programName: 'calicoctl', env }),
        ]);
        const comparable = (stdout: string) => withoutListRevision(stdout).replace(/^Git commit: .*$/m, '');
        expect({
          code: ours.code,
          stdout: comparable(ours.stdout),
          stderr: ours.stderr,
        }).toEqual({ ...expected, stdout: comparable(expected.stdout) });
      },
    );
  });
});
