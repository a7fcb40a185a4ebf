// calictl under the names of Calico's CNI plugins next to Calico's own pair: the same answers, the same network, the same
// stored objects, for equal inputs on equal clusters. A sample of the inputs by default; LONG=1 for all. PARITY_SEED=N runs one
// combination, PARITY_SEED=N-M those from one to the other, and nothing else.
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson, printJson } from '../../src/text/json.ts';
import { node, pool } from '../support/clusters/ipam-state.ts';
import { CniNode } from '../support/lab/cni-node.ts';
import { type PodNetwork, podNetwork } from '../support/lab/pod-network.ts';
import { hasCniPlugins } from '../support/other-clients/cni-plugin.ts';
import { describeWithPrograms, partPath } from '../support/program/parts.ts';
import { ownPluginPair, type PluginPair } from '../support/program/plugin-pair.ts';
import { runProgram } from '../support/program/run-program.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const prefix = 'cni.projectcalico.org/';
const podNetns = 'pod';
/** Up to eight processes and as many new clusters for one input. */
const timeoutMs = 120_000;

interface Call {
  readonly program?: 'calico' | 'calico-ipam';
  readonly command: 'ADD' | 'DEL' | 'CHECK' | 'VERSION' | 'GC' | 'STATUS';
  readonly containerId?: string;
}

interface Input {
  readonly calls: readonly Call[];
  /** Changes of the configuration; null removes a field. */
  readonly conf?: Readonly<Record<string, unknown>>;
  readonly stdin?: string;
  /** Changes of the CNI_* variables; null removes one. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Annotations without their prefix. */
  readonly pod?: Readonly<Record<string, string>>;
  readonly namespace?: Readonly<Record<string, string>>;
  readonly mtuFile?: string;
  readonly nodenameFile?: string | null;
  readonly ready?: boolean | null;
  /** Left by the reference and removed by calictl when ADD fails late: only the answers are compared then. */
  readonly leaves?: true;
}

const add: Call = { command: 'ADD' };
const del: Call = { command: 'DEL' };
const ipam = (changes: object) => ({ ipam: { type: 'calico-ipam', ...changes } });

/** Inputs with one thing each that is special. */
const single: Readonly<Record<string, Input>> = {
  'ADD, CHECK and DEL of an IPv4 pod': { calls: [add, { command: 'CHECK' }, del, del] },
  'dual stack': { calls: [add, del], conf: ipam({ assign_ipv6: 'true' }) },
  'IPv6 alone': { calls: [add, del], conf: ipam({ assign_ipv4: 'false', assign_ipv6: 'true' }) },
  'no family': { calls: [add], conf: ipam({ assign_ipv4: 'false' }) },
  'ADD twice': { calls: [add, add, del] },
  'a later container of the same pod': { calls: [add, { ...add, containerId: 'later' }, del] },
  'cniVersion 0.2.0': { calls: [add], conf: { cniVersion: '0.2.0', ...ipam({ assign_ipv6: 'true' }) } },
  'no cniVersion': { calls: [add], conf: { cniVersion: null } },
  'cniVersion 0.3.1': { calls: [add, { command: 'CHECK' }], conf: { cniVersion: '0.3.1', mtu: 1400 } },
  'cniVersion 0.4.0': { calls: [add], conf: { cniVersion: '0.4.0' } },
  'cniVersion 1.1.0': { calls: [add, del], conf: { cniVersion: '1.1.0' } },
  'cniVersion that is not one': { calls: [add], conf: { cniVersion: 'abc' } },
  'cniVersion that is a number': { calls: [add], conf: { cniVersion: 1 } },
  'MTU of the configuration': { calls: [add], conf: { mtu: 1400 }, mtuFile: '1450\n' },
  'MTU of the file': { calls: [add], mtuFile: ' 1450\n' },
  'MTU file that is not a number': { calls: [add, del], conf: { mtu: 1400 }, mtuFile: '14x0' },
  'MTU that the kernel refuses': { calls: [add], conf: { mtu: 10 } },
  'MTU file required': { calls: [add], conf: { require_mtu_file: true } },
  'MTU that is text': { calls: [add], conf: { mtu: 'x' } },
  'several queues': { calls: [add], conf: { num_queues: 3 } },
  'forwarding allowed': {
    calls: [add],
    conf: { container_settings: { allow_ip_forwarding: true }, ...ipam({ assign_ipv6: 'true' }) },
  },
  'a fixed address of each family': { calls: [add, add, del], pod: { ipAddrs: '["fd00:244::5","10.244.0.9"]' } },
  'a fixed address outside the pools': { calls: [add], pod: { ipAddrs: '["10.9.0.1"]' } },
  'fixed addresses that are not a list': { calls: [add], pod: { ipAddrs: '10.244.0.1' } },
  'fixed addresses, none': { calls: [add], pod: { ipAddrs: '[]' } },
  'fixed addresses, two of a family': { calls: [add], pod: { ipAddrs: '["10.244.0.1","10.244.0.2"]' } },
  'fixed addresses, invalid': { calls: [add], pod: { ipAddrs: '["10.244.0"]' } },
  'fixed addresses, a number': { calls: [add], pod: { ipAddrs: '[5]' } },
  'addresses without IPAM': {
    calls: [add, del],
    pod: { ipAddrsNoIpam: '["10.9.9.9","fd09::9"]' },
    conf: { feature_control: { ip_addrs_no_ipam: true } },
  },
  'addresses without IPAM, not enabled': { calls: [add], pod: { ipAddrsNoIpam: '["10.9.9.9"]' } },
  'both kinds of fixed addresses': { calls: [add], pod: { ipAddrs: '["10.244.0.1"]', ipAddrsNoIpam: '["10.9.9.9"]' } },
  'a pool by name': { calls: [add, del], pod: { ipv4pools: '["second"]' } },
  'a pool by CIDR': { calls: [add], pod: { ipv4pools: '["10.245.0.0/24"]' } },
  'a pool of the namespace': { calls: [add], namespace: { ipv4pools: '["second"]' } },
  'a pool of the pod before that of the namespace': {
    calls: [add],
    pod: { ipv4pools: '["p4"]' },
    namespace: { ipv4pools: '["second"]' },
  },
  'an unknown pool': { calls: [add], pod: { ipv4pools: '["nope"]' } },
  'an unknown pool by CIDR': { calls: [add], pod: { ipv4pools: '["10.99.0.0/24"]' } },
  'an IPv6 pool for IPv4': { calls: [add], pod: { ipv4pools: '["p6"]' } },
  'pools that are not a list': { calls: [add], pod: { ipv4pools: 'second' } },
  'pools that are numbers': { calls: [add], pod: { ipv4pools: '[1]' } },
  'no pools in the list': { calls: [add], pod: { ipv4pools: '[]' } },
  'IPv6 by annotation': { calls: [add], pod: { ipFamilies: '["IPv6"]' } },
  'both families by annotation': { calls: [add], pod: { ipFamilies: '["IPv6","IPv4"]' } },
  'an unknown family': { calls: [add], pod: { ipFamilies: '["IPv5"]' } },
  'families that are not a list': { calls: [add], pod: { ipFamilies: 'IPv6' } },
  'no family in the list': { calls: [add], pod: { ipFamilies: '[]' } },
  'a MAC address': { calls: [add], pod: { hwAddr: '02:00:00:00:00:01' } },
  'a MAC address that is not one': { calls: [add], pod: { hwAddr: 'zz' }, leaves: true },
  'a multicast MAC address': { calls: [add], pod: { hwAddr: '01:00:00:00:00:01' }, leaves: true },
  'a floating address': {
    calls: [add],
    pod: { floatingIPs: '["1.2.3.4"]' },
    conf: { feature_control: { floating_ips: true } },
  },
  'a floating address, not enabled': { calls: [add], pod: { floatingIPs: '["1.2.3.4"]' }, leaves: true },
  'source prefixes': { calls: [add], pod: { allowedSourcePrefixes: '["1.2.3.0/24"]' } },
  'a source prefix that is an address': { calls: [add], pod: { allowedSourcePrefixes: '["1.2.3.4"]' } },
  'a negative time for policies': { calls: [add], conf: { policy_setup_timeout_seconds: -1 }, leaves: true },
  'an unknown data plane': { calls: [add], conf: { dataplane_options: { type: 'x' } } },
  'a readiness gate that is not a URL': { calls: [add], conf: { readiness_gates: ['x'] } },
  'an address in CNI_ARGS': {
    calls: [add],
    env: { CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-1;IP=10.244.3.3' },
  },
  'CNI_ARGS with a word that is not a pair': { calls: [add], env: { CNI_ARGS: 'K8S_POD_NAME' } },
  'CNI_ARGS with a wrong truth value': { calls: [add], env: { CNI_ARGS: 'IgnoreUnknown=maybe' } },
  'CNI_ARGS with a wrong address': { calls: [add], env: { CNI_ARGS: 'IgnoreUnknown=1;IP=x' } },
  'CNI_ARGS without a pod': { calls: [add], env: { CNI_ARGS: '' } },
  'a pod that does not exist': {
    calls: [add, del],
    env: { CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=nope' },
  },
  'a namespace that does not exist': {
    calls: [add, del],
    env: { CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=nope;K8S_POD_NAME=nope' },
  },
  'no container': { calls: [add], env: { CNI_CONTAINERID: null } },
  'no namespace and no path': { calls: [add], env: { CNI_NETNS: null, CNI_PATH: null } },
  'a container id that begins with a dash': { calls: [add], env: { CNI_CONTAINERID: '-bad' } },
  'a long interface name': { calls: [add], env: { CNI_IFNAME: 'much-too-long-name' } },
  'an interface name with a slash': { calls: [add], env: { CNI_IFNAME: 'a/b' } },
  'an interface name of dots': { calls: [add], env: { CNI_IFNAME: '..' } },
  'another interface name': { calls: [add, del], env: { CNI_IFNAME: 'net1' } },
  'an interface that exists': { calls: [add], env: { CNI_IFNAME: 'lo' } },
  'a network namespace that does not exist': { calls: [add, del], env: { CNI_NETNS: '/var/run/netns/absent' } },
  'a network namespace that is a file': { calls: [add], env: { CNI_NETNS: '/etc/hostname' } },
  'DEL with an empty network namespace': { calls: [del], env: { CNI_NETNS: '' } },
  'an unknown command': { calls: [add], env: { CNI_COMMAND: 'NONSENSE' } },
  VERSION: { calls: [{ command: 'VERSION' }, { command: 'VERSION', program: 'calico-ipam' }] },
  'GC and STATUS': { calls: [{ command: 'GC' }, { command: 'STATUS' }] },
  'text that is not JSON': { calls: [add], stdin: '{nonsense' },
  'empty text': { calls: [add], stdin: '' },
  'a list': { calls: [add], stdin: '[]' },
  null: { calls: [add], stdin: 'null' },
  'a network without a name': { calls: [add], conf: { name: null } },
  'a network name with a blank': { calls: [add], conf: { name: 'bad name' } },
  'no policy': { calls: [add], conf: { policy: null }, leaves: true },
  'no IPAM': { calls: [add], conf: { ipam: null } },
  'an IPAM plugin that does not exist': { calls: [add, del], conf: { ipam: { type: 'nope' } } },
  'an unknown datastore': { calls: [add], conf: { datastore_type: 'x' } },
  'a kubeconfig that does not exist': { calls: [add, del], conf: { kubernetes: { kubeconfig: '/nope' } } },
  'a node that does not exist': { calls: [add], conf: { nodename: 'other' } },
  'no file with the name of the node': { calls: [add, del], nodenameFile: null },
  'no file with the name of the node, optional': {
    calls: [add],
    nodenameFile: null,
    conf: { nodename_file_optional: true },
  },
  'the name of the node from the file': { calls: [add, del], conf: { nodename: null } },
  'a locked datastore': { calls: [add, del, { ...add, program: 'calico-ipam' }], ready: false },
  'no ClusterInformation': { calls: [add, del], ready: null },
  'calico-ipam alone': {
    calls: [
      { ...add, program: 'calico-ipam' },
      { ...del, program: 'calico-ipam' },
    ],
  },
  'calico-ipam alone, a fixed address twice': {
    calls: [
      { ...add, program: 'calico-ipam' },
      { ...add, program: 'calico-ipam' },
    ],
    env: { CNI_ARGS: 'IgnoreUnknown=1;IP=10.244.9.9' },
  },
};

const hostLocal = (changes: object) => ({
  ipam: { type: 'host-local', dataDir: '/var/lib/calico/networks', ...changes },
});

/** With the IPAM plugin of the CNI project, which both run from CNI_PATH. */
const withHostLocal: Readonly<Record<string, Input>> = {
  'a subnet': { calls: [add, { ...add, containerId: 'later' }, del, del], conf: hostLocal({ subnet: '10.77.0.0/24' }) },
  'the range of the node': { calls: [add, del], conf: hostLocal({ subnet: 'usePodCidr' }) },
  'the ranges of the node': {
    calls: [add, del],
    conf: hostLocal({ ranges: [[{ subnet: 'usePodCidr' }], [{ subnet: 'usePodCidrIPv6' }]] }),
  },
  routes: {
    calls: [add],
    conf: hostLocal({ subnet: '10.77.0.0/24', routes: [{ dst: '10.0.0.0/8' }, { dst: '172.30.0.0/16' }] }),
  },
  'routes and the default route': {
    calls: [add],
    conf: { ...hostLocal({ subnet: '10.77.0.0/24', routes: [{ dst: '10.0.0.0/8' }] }), include_default_routes: true },
  },
  'a route that is not one': { calls: [add], conf: hostLocal({ subnet: '10.77.0.0/24', routes: [{ dst: 'x' }] }) },
  'no subnet': { calls: [add], conf: hostLocal({}) },
  'a fixed address': {
    calls: [add],
    conf: hostLocal({ subnet: '10.77.0.0/24' }),
    pod: { ipAddrs: '["10.77.0.9"]' },
  },
};

/** Combinations of what may be combined. */
const combined: fc.Arbitrary<Input> = fc
  .record({
    cniVersion: fc.constantFrom('0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0'),
    mtu: fc.constantFrom(0, 0, 1280, 1400, 9000),
    queues: fc.constantFrom(0, 1, 2),
    mtuFile: fc.option(fc.constantFrom('1450', '1500\n', '0'), { nil: undefined }),
    forwarding: fc.boolean(),
    families: fc.constantFrom(undefined, ['false', 'true'], ['true', 'true'], ['true', 'false']),
    ipFamilies: fc.option(fc.constantFrom('["IPv4"]', '["IPv6"]', '["IPv4","IPv6"]'), { nil: undefined }),
    pools: fc.option(fc.constantFrom('["second"]', '["p4"]', '["p4","second"]', '["10.245.0.0/24"]'), {
      nil: undefined,
    }),
    namespacePools: fc.option(fc.constantFrom('["second"]', '["p4"]'), { nil: undefined }),
    fixed: fc.option(fc.constantFrom('["10.244.7.7"]', '["fd00:244::7"]', '["10.245.0.3","fd00:244::9"]'), {
      nil: undefined,
    }),
    mac: fc.option(fc.constantFrom('02:11:22:33:44:55', '02-AA-bb-00-00-01', '0211.2233.4455'), { nil: undefined }),
    interfaceName: fc.constantFrom('eth0', 'eth0', 'net1'),
    calls: fc.constantFrom<readonly Call[]>([add], [add, del], [add, add, del], [del, add], [add, del, del]),
  })
  .map(({ families, ipFamilies, pools, namespacePools, fixed, mac, ...rest }) => ({
    calls: rest.calls,
    conf: {
      cniVersion: rest.cniVersion,
      mtu: rest.mtu,
      num_queues: rest.queues,
      container_settings: { allow_ip_forwarding: rest.forwarding },
      ...ipam(families === undefined ? {} : { assign_ipv4: families[0], assign_ipv6: families[1] }),
    },
    env: { CNI_IFNAME: rest.interfaceName },
    pod: {
      ...(ipFamilies === undefined ? {} : { ipFamilies }),
      ...(pools === undefined ? {} : { ipv4pools: pools }),
      ...(fixed === undefined ? {} : { ipAddrs: fixed }),
      ...(mac === undefined ? {} : { hwAddr: mac }),
    },
    namespace: namespacePools === undefined ? {} : { ipv4pools: namespacePools },
    ...(rest.mtuFile === undefined ? {} : { mtuFile: rest.mtuFile }),
  }));

const isLong = process.env['LONG'] !== undefined;
const chosen = process.env['PARITY_SEED']?.split('-').map(Number);

/** Every eighth input by default, of all sorts, in about a minute. */
const sampled = (inputs: Readonly<Record<string, Input>>): readonly (readonly [string, Input])[] =>
  Object.entries(inputs).filter((_, at) => chosen === undefined && (isLong || at % 8 === 0));

/** The combinations to run, with their numbers. */
function chosenCombinations(): readonly (readonly [number, Input])[] {
  const [first = 1, last = first] = chosen ?? [1, isLong ? 150 : 3];
  const inputs = fc.sample(combined, { numRuns: last, seed: 12 });
  return inputs.map((input, at) => [at + 1, input] as const).slice(first - 1);
}

interface Plugins {
  readonly directory: string;
  command(name: 'calico' | 'calico-ipam'): readonly string[];
}

interface Seen {
  readonly exit: number;
  readonly answer: unknown;
  readonly node: PodNetwork;
  readonly pod: PodNetwork;
  readonly annotations: unknown;
  readonly stored: unknown;
}

describe.skipIf(!hasCniPlugins)(
  'CNI plugins next to those of Calico (skipped unless CALICO_CNI_BIN names them)',
  () => {
    describeWithPrograms('on a node', ['ip', 'nsenter', 'unshare', 'sysctl', 'flock'], () => {
      describeWithApiServer('with Kubernetes', (server) => {
        let here: CniNode;
        let own: PluginPair;
        const theirs: Plugins = {
          directory: process.env['CALICO_CNI_BIN'] ?? '',
          command: (name) => [`${process.env['CALICO_CNI_BIN']}/${name}`],
        };
        beforeAll(async () => {
          own = await ownPluginPair();
          here = await CniNode.make('parity', server());
        });
        afterAll(async () => {
          await here?.remove();
          own?.remove();
        });

        const both = async (input: Input): Promise<{ ours: readonly Seen[]; reference: readonly Seen[] }> => ({
          reference: await story(server(), here, theirs, input),
          ours: await story(server(), here, own, input),
        });

        async function expectSame(input: Input): Promise<void> {
          const { ours, reference } = await both(input);
          expect(ours).toHaveLength(input.calls.length);
          if (input.leaves) {
            expect(ours.map(({ exit, answer }) => ({ exit, answer }))).toEqual(
              reference.map(({ exit, answer }) => ({ exit, answer })),
            );
            // Nothing of a failed ADD is left.
            expect(ours.at(-1)?.node.links).toEqual([]);
            return;
          }
          expect(ours).toEqual(reference);
        }

        for (const [name, input] of sampled(single)) it(`${name}: the same`, () => expectSame(input), timeoutMs);

        for (const [name, input] of sampled(withHostLocal)) {
          it.skipIf(!existsSync(partPath('host-local')))(
            `host-local, ${name}: the same (skipped unless host-local is provisioned)`,
            () => expectSame(input),
            timeoutMs,
          );
        }

        for (const [number, input] of chosenCombinations()) {
          it(`combination ${number}: the same`, () => expectSame(input), timeoutMs);
        }
      });
    });
  },
);

/** Everything that is seen after each call, on a new cluster. */
async function story(server: ApiServer, here: CniNode, plugins: Plugins, input: Input): Promise<readonly Seen[]> {
  await prepare(server, here, input);
  const netns = await here.pod(podNetns);
  const seen: Seen[] = [];
  try {
    for (const { program = 'calico', command, containerId = 'container-1' } of input.calls) {
      const env = changed(
        {
          CNI_COMMAND: command,
          CNI_CONTAINERID: containerId,
          CNI_NETNS: netns,
          CNI_IFNAME: 'eth0',
          CNI_PATH: `${plugins.directory}:${dirname(partPath('host-local'))}`,
          CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-1',
        },
        input.env ?? {},
      ) as Record<string, string>;
      const config = input.stdin ?? JSON.stringify(configuration(server, input));
      const { exit, stdout } = await here.call({ program: plugins.command(program), env, config });
      seen.push({
        exit,
        answer: answerOf(stdout, plugins.directory, input),
        ...(await state(server, here, netns, input)),
      });
    }
  } finally {
    await here.removePod(netns);
    await removeLeftovers(here);
  }
  return seen;
}

async function prepare(server: ApiServer, here: CniNode, input: Input): Promise<void> {
  const { pod = {}, namespace = {}, ready = true, nodenameFile = 'node-a' } = input;
  const prefixed = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(annotations).map(([name, value]) => [prefix + name, value]));
  await server.admin.reset();
  const information: KubeObject = {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'ClusterInformation',
    metadata: { name: 'default' },
    spec: { datastoreReady: ready },
  };
  await server.admin.load([
    { ...node('node-a'), spec: { podCIDR: '10.76.0.0/24', podCIDRs: ['10.76.0.0/24', 'fd76::/64'] } },
    pool('p4', '10.244.0.0/16', 26),
    pool('p6', 'fd00:244::/48', 122),
    pool('second', '10.245.0.0/24', 28, '!all()'),
    ...(ready === null ? [] : [information]),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', namespace: 'default', annotations: prefixed(pod) },
      spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'web' }] },
    },
  ]);
  await server.admin.request('PUT', '/api/v1/namespaces/default', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'default', annotations: prefixed(namespace) },
  });
  here.file('/var/lib/calico/nodename', nodenameFile ?? undefined);
  here.file('/var/lib/calico/mtu', input.mtuFile);
  rmSync(here.pathOf('/var/lib/calico/networks'), { recursive: true, force: true });
}

function configuration(server: ApiServer, { conf = {} }: Input): unknown {
  return changed(
    {
      cniVersion: '1.0.0',
      name: 'k8s-pod-network',
      type: 'calico',
      log_level: 'info',
      datastore_type: 'kubernetes',
      nodename: 'node-a',
      mtu: 0,
      ipam: { type: 'calico-ipam' },
      policy: { type: 'k8s' },
      kubernetes: { kubeconfig: server.kubeconfig },
    },
    conf,
  );
}

function changed(
  value: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...value, ...changes }).filter(([, field]) => field !== null));
}

/** The answer without random MAC addresses, indexes, and the routes that only newer releases of calico-ipam list. */
function answerOf(stdout: string, directory: string, { pod = {} }: Input): unknown {
  const text = stdout
    .replace(/"mac": "(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"/g, (mac) =>
      pod['hwAddr'] === undefined ? '"mac": "RANDOM"' : mac,
    )
    .replace(/Ifindex: \d+/g, 'Ifindex: N')
    .replaceAll(directory, 'PLUGINS');
  if (!text.trim().startsWith('{')) return text.trim();
  const { routes: _, ...answer } = JSON.parse(text) as Record<string, unknown>;
  return answer;
}

async function state(
  server: ApiServer,
  here: CniNode,
  netns: string,
  input: Input,
): Promise<Pick<Seen, 'node' | 'pod' | 'annotations' | 'stored'>> {
  const macs =
    input.pod?.['hwAddr'] === undefined ? [] : ['02:11:22:33:44:55', '02:aa:bb:00:00:01', '02:00:00:00:00:01'];
  const { body } = await server.admin.request('GET', '/api/v1/namespaces/default/pods/web-1');
  return {
    node: withoutTimes(await podNetwork(here.netns, /^cali/)),
    pod: withoutTimes(await podNetwork(netns.split('/').at(-1) ?? '', /^(eth0|net1)$/, macs)),
    annotations: (JSON.parse(body) as KubeObject).metadata?.annotations,
    stored: await storedIpam(server),
  };
}

/** The kernel draws this time for each interface. */
function withoutTimes(network: PodNetwork): PodNetwork {
  const kept = Object.entries(network.settings).filter(([path]) => !/base_reachable_time|mc_forwarding/.test(path));
  return { ...network, settings: Object.fromEntries(kept) };
}

async function storedIpam(server: ApiServer): Promise<unknown> {
  const lists = ['ipamblocks', 'blockaffinities', 'ipamhandles', 'ipamconfigs'].map(async (plural) => {
    const { body } = await server.admin.request('GET', `/apis/crd.projectcalico.org/v1/${plural}`);
    return (parseJson(body) as unknown as { items: KubeObject[] }).items.map(({ metadata, ...object }) => {
      const {
        uid: _u,
        resourceVersion: _r,
        creationTimestamp: _c,
        managedFields: _m,
        generation: _g,
        ...kept
      } = metadata;
      return { ...object, metadata: kept };
    });
  });
  const all = (await Promise.all(lists)).flat();
  return all.map((object) => comparable(object, firstNumber(object)));
}

/** Sequence numbers as how many writes they are after the first one; the time of an assignment by its form. */
function comparable(value: unknown, start: bigint): unknown {
  if (typeof value === 'bigint') return Number(value - start);
  if (typeof value === 'string') return value.replace(/^\d{4}-\d\d-\d\d [\d:.]+ \+0000 UTC$/, 'TIME');
  if (Array.isArray(value)) return value.map((item) => comparable(item, start));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, comparable(field, start)]));
}

/** All have nineteen digits: the least is the first in order of their texts. */
function firstNumber(value: unknown): bigint {
  return BigInt(
    printJson(value)
      .match(/\b1\d{18}\b/g)
      ?.sort()[0] ?? 0,
  );
}

async function removeLeftovers(here: CniNode): Promise<void> {
  const { stdout } = await runProgram(['ip', '-n', here.netns, '-j', 'link', 'show']);
  for (const { ifname } of JSON.parse(stdout) as { ifname: string }[]) {
    if (ifname.startsWith('cali')) await runProgram(['ip', '-n', here.netns, 'link', 'del', 'dev', ifname]);
  }
}
