// What cluster diags collects: calicoctl's tree of files, each with the arguments of kubectl that fill it. Data and pure functions.

/** A file of the bundle, the line printed before it is made, and the arguments of kubectl. */
export interface Task {
  readonly file: string;
  readonly caption: string;
  readonly argv: readonly string[];
  /** Requested as JSON and written as YAML, with secrets removed by the names of their fields. */
  readonly isYaml?: boolean;
}

/** A line of progress, or a file. */
export type Step = string | Task;

/** Certificates whose dates and names show why components do not trust each other, by namespace. */
export const certificates: readonly (readonly [namespace: string, ...secrets: string[]])[] = [
  [
    'calico-system',
    'calico-kube-controllers-metrics-tls',
    'calico-node-prometheus-server-tls',
    'node-certs',
    'typha-certs',
  ],
  [
    'tigera-prometheus',
    'calico-node-prometheus-client-tls',
    'calico-node-prometheus-tls',
    'tigera-secure-internal-elasticsearch-cert',
    'tigera-secure-linseed-cert',
    'tigera-ee-elasticsearch-metrics-tls',
  ],
  ['tigera-dpi', 'deep-packet-inspection-tls'],
  ['tigera-elasticsearch', 'tigera-secure-elasticsearch-cert'],
  ['tigera-fluentd', 'tigera-fluentd-prometheus-tls'],
  ['tigera-intrusion-detection', 'intrusion-detection-tls'],
  ['tigera-kibana', 'tigera-secure-kibana-cert'],
  ['tigera-manager', 'manager-tls', 'internal-manager-tls', 'tigera-voltron'],
  ['tigera-packetcapture', 'tigera-packetcapture-server-tls'],
  ['tigera-guardian', 'tigera-managed-cluster-connection'],
  [
    'tigera-compliance',
    'tigera-compliance-benchmarker-tls',
    'tigera-compliance-controller-tls',
    'tigera-compliance-reporter-tls',
    'tigera-compliance-server-tls',
    'tigera-compliance-snapshotter-tls',
  ],
  ['tigera-dex', 'tigera-dex-tls'],
];

/** Keys of a Secret that hold certificates, which are public. */
export const publicKeys: ReadonlySet<string> = new Set([
  'tls.crt',
  'cert',
  'cert.crt',
  'apiserver.crt',
  'managed-cluster.crt',
  'management-cluster.crt',
]);

/** A pod whose logs are collected. */
export interface LoggedPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
}

/** The folder of a pod's logs; names of objects hold no slash. */
const folderOf = ({ namespace, node }: LoggedPod): string => `nodes/${node}/${namespace}`;

/** The log of a pod since that time (`0s`: all of it), and its description. */
export function logTasks(pod: LoggedPod, since: string): Task[] {
  const { namespace, name } = pod;
  return [
    {
      file: `${folderOf(pod)}/${name}.log`,
      caption: `Collect logs for pod ${name}`,
      argv: ['logs', `--since=${since}`, '-n', namespace, name, '--all-containers'],
    },
    {
      file: `${folderOf(pod)}/${name}.txt`,
      caption: `Collect describe for pod ${name}`,
      argv: ['-n', namespace, 'describe', 'pods', name],
    },
  ];
}

/** Links by namespace to the files of a pod: path in the bundle, and what it points at. */
export function linksOf(pod: LoggedPod): (readonly [path: string, target: string])[] {
  return ['log', 'txt'].map((end) => [
    `links/${pod.namespace}/${pod.name}.${end}`,
    `../../${folderOf(pod)}/${pod.name}.${end}`,
  ]);
}

const dataplane: readonly (readonly [file: string, caption: string, ...argv: string[]])[] = [
  ['iptables-legacy-save.txt', 'iptables (legacy)', 'iptables-legacy-save', '-c'],
  ['iptables-nft-save.txt', 'iptables (nft)', 'iptables-nft-save', '-c'],
  ['nft-ruleset.txt', 'nftables', 'nft', '-n', '-a', 'list', 'ruleset'],
  ['ip-route.txt', 'ip routes', 'ip', 'route', 'show', 'table', 'all'],
  ['ip-route-v6.txt', 'ipv6 routes', 'ip', '-6', 'route', 'show', 'table', 'all'],
  ['ip-rule.txt', 'ip rule', 'ip', 'rule'],
  ['ip-addr.txt', 'ip addr', 'ip', 'addr'],
  ['ip-link.txt', 'ip link', 'ip', 'link'],
  ['ip-neigh.txt', 'ip neigh', 'ip', 'neigh'],
  ['ipset-list.txt', 'ipset list', 'ipset', 'list'],
  ['conntrack-list.txt', 'conntrack stats', 'conntrack', '-LSC'],
  ['bpf-conntrack.txt', 'eBPF conntrack', 'calico-node', '-bpf', 'conntrack', 'dump'],
  ['bpf-ipsets.txt', 'eBPF ipsets', 'calico-node', '-bpf', 'ipsets', 'dump'],
  ['bpf-nat.txt', 'eBPF nat', 'calico-node', '-bpf', 'nat', 'dump'],
  ['bpf-routes.txt', 'eBPF routes', 'calico-node', '-bpf', 'routes', 'dump'],
  ['bpf-prog.txt', 'eBPF prog', 'bpftool', 'prog', 'list'],
  ['bpf-maps.txt', 'eBPF map', 'bpftool', 'map', 'list'],
  ['tc-qdisc.txt', 'tc qdisc', 'tc', 'qdisc', 'show'],
];

/** Arguments of kubectl that run a command in the calico-node container of a pod. */
export function inCalicoNode({ namespace, name }: LoggedPod, argv: readonly string[]): string[] {
  return ['exec', '-n', namespace, name, '-c', 'calico-node', '--', ...argv];
}

/** Commands in the calico-node container that show the data path of its node. */
export function dataplaneTasks(pod: LoggedPod): Task[] {
  return dataplane.map(([file, what, ...argv]) => ({
    file: `nodes/${pod.node}/${file}`,
    caption: `Collect ${what} for node ${pod.node}`,
    argv: inCalicoNode(pod, argv),
  }));
}

/** The maps that `bpftool map list` names, as far as they are Calico's. */
export function mapTasks(pod: LoggedPod, list: string): Task[] {
  return [...list.matchAll(/^(\d+):.*name (cali\w+)/gm)].map(([, id = '', name = '']) => ({
    file: `nodes/${pod.node}/bpf-maps/${name}-id_${id}.txt`,
    caption: `Collect eBPF map ${id}:${name} for node ${pod.node}`,
    argv: inCalicoNode(pod, ['bpftool', 'map', 'dump', 'id', id]),
  }));
}

export const cniLogFolder = '/var/log/calico/cni';

/** The files that `ls` lists in the folder of the CNI plugin's logs. */
export function cniLogTasks(pod: LoggedPod, list: string): Task[] {
  const names = list.split(/\s+/).filter((name) => /^[\w.-]+$/.test(name) && !/^\.+$/.test(name));
  return names.map((name) => ({
    file: `nodes/${pod.node}/${name}.log`,
    caption: `Collect CNI log ${name} for the node ${pod.node}`,
    argv: inCalicoNode(pod, ['cat', `${cniLogFolder}/${name}`]),
  }));
}

/** As YAML and as a table. */
function both(folder: string, name: string, what: string, argv: readonly string[], wide = 'wide text'): Task[] {
  return [
    { file: `${folder}/${name}.yaml`, caption: `Collect ${what} (yaml)`, argv, isYaml: true },
    { file: `${folder}/${name}.txt`, caption: `Collect ${what} (${wide})`, argv: [...argv, '-o', 'wide'] },
  ];
}

function crdTasks(crds: readonly string[]): Task[] {
  return crds
    .filter((name) => name.includes('projectcalico') || name.includes('tigera'))
    .flatMap((name) => both('cluster/crd', name, `Calico ${name}`, ['get', name, '--all-namespaces']));
}

const kubernetes = [
  'configmaps daemonsets deployments endpoints endpointslices pods pv pvc sc services statefulsets jobs cronjobs',
  'backendlbpolicies backendtlspolicies gatewayclasses gateways grpcroutes httproutes referencegrants tcproutes',
  'tlsroutes udproutes',
].flatMap((line) => line.split(' '));
const policies: readonly (readonly [name: string, resource: string])[] = [
  ['networkpolicies', 'networkpolicies.networking.k8s.io'],
  ['adminnetworkpolicies', 'adminnetworkpolicies.policy.networking.k8s.io'],
  ['baselineadminnetworkpolicies', 'baselineadminnetworkpolicies.policy.networking.k8s.io'],
];
const clusterWide: readonly (readonly [name: string, resource: string])[] = [
  ['validatingwebhookconfigurations', 'validatingwebhookconfigurations.admissionregistration.k8s.io'],
  ['mutatingwebhookconfigurations', 'mutatingwebhookconfigurations.admissionregistration.k8s.io'],
  ['apiservices', 'apiservices.apiregistration.k8s.io'],
];
const thirdParty = ['elasticsearches', 'kibanas', 'prometheuses', 'alertmanagers'];

/** What is collected once, after the nodes. */
export function clusterSteps(crds: readonly string[]): Step[] {
  const folder = 'cluster/kubernetes';
  return [
    'Collecting kubernetes version...',
    {
      file: 'cluster/version.yaml',
      caption: 'Collect kubernetes Client and Server version',
      argv: ['version'],
      isYaml: true,
    },
    ...crdTasks(crds),
    ...['tigera-operator', 'calico-system'].flatMap((namespace) =>
      both(`cluster/${namespace}`, namespace, `all in ${namespace}`, ['get', 'all', '-n', namespace]),
    ),
    'Collecting core kubernetes resources...',
    ...kubernetes.flatMap((name) => both(folder, name, name, ['get', name, '--all-namespaces'])),
    ...['nodes', 'namespaces'].flatMap((name) => both(folder, name, name, ['get', name])),
    ...policies.flatMap(([name, resource]) =>
      both(folder, name, `k8s ${name}`, ['get', resource, '--all-namespaces'], 'text'),
    ),
    ...clusterWide.flatMap(([name, resource]) => both(folder, name, `k8s ${name}`, ['get', resource], 'text')),
    'Collecting third party resources...',
    ...thirdParty.flatMap((name) => both('cluster/third-party', name, name, ['get', name, '--all-namespaces'])),
  ];
}

/** A workload's pods in the order in which they are taken: those on focus nodes first. */
export function chosenPods(pods: readonly LoggedPod[], focus: readonly string[], most: number): LoggedPod[] {
  const rank = ({ node }: LoggedPod): number => (focus.includes(node) ? focus.indexOf(node) : focus.length);
  return [...pods]
    .sort((a, b) => rank(a) - rank(b) || compare(a.node, b.node) || compare(a.name, b.name))
    .slice(0, most);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
