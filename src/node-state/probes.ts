// What is read from a node: named commands, as data. A snapshot records them, a replay answers them. The commands use
// only programs that calico-node's image has: there is no sysctl, bridge, ss or ps.

/** A command, and others to try when it fails: another program, another socket, an older `ip`. */
export interface Probe {
  readonly name: ProbeName;
  readonly alternatives: readonly (readonly string[])[];
}

export type ProbeName =
  | 'bird4-status'
  | 'bird4-protocols'
  | 'bird4-routes'
  | 'bird6-status'
  | 'bird6-protocols'
  | 'bird6-routes'
  | 'felix'
  | 'felix-process'
  | 'links'
  | 'addresses'
  | 'routes4'
  | 'routes6'
  | 'rules4'
  | 'rules6'
  | 'neighbours'
  | 'fdb'
  | 'sysctls'
  | 'mtu'
  | 'nodename'
  | 'gateway-route'
  | 'iptables'
  | 'iptables-legacy'
  | 'nft'
  | 'nft-kube-proxy'
  | BirdFileProbe;

/** One for each file of BIRD's configuration. */
type BirdFileProbe = `file ${(typeof birdFiles)[number]}`;

/** The outcome of a probe. */
export type ProbeOutcome =
  | {
      readonly kind: 'answered';
      /** The alternative that gave the answer: the first that exited with 0, else the first that could be started. */
      readonly argv: readonly string[];
      readonly exit: number;
      readonly stdout: string;
      readonly stderr: string;
      readonly truncated: boolean;
    }
  | {
      /** There was no answer: this says nothing about the state of the node. */
      readonly kind: 'unanswered';
      readonly argv: readonly string[];
      readonly reason: string;
    };

/** Everything that was read from one node. */
export interface NodeReading {
  readonly node: string;
  readonly outcomes: ReadonlyMap<ProbeName, ProbeOutcome>;
  /** Why nothing at all could be read from it; all outcomes are unanswered then. */
  readonly unreachable:
    | { readonly code: string; readonly message: string; readonly hint: string | undefined }
    | undefined;
}

/** A value as seen, or why it was not seen: what was not observed never counts as right. */
export type Observed<T> =
  | { readonly seen: true; readonly value: T; readonly argv: readonly string[] }
  | { readonly seen: false; readonly why: string; readonly argv: readonly string[] };

/** Where BIRD's control sockets are on a node, the usual place first. */
const birdFolders: readonly string[] = ['/var/run/calico', '/var/run/bird'];

/** birdcl as calico-node has it, birdc as distributions have it. */
function birdAlternatives(socket: string, command: readonly string[], folders: readonly string[]): string[][] {
  return folders.flatMap((folder) =>
    ['birdcl', 'birdc'].map((program) => [program, '-s', `${folder}/${socket}`, ...command]),
  );
}

/** The probes of BIRD for one family. `folder`: where its sockets are, unless in one of the usual places. */
export function birdProbes(version: 4 | 6, folder?: string): readonly Probe[] {
  const socket = version === 4 ? 'bird.ctl' : 'bird6.ctl';
  const folders = folder === undefined ? birdFolders : [folder];
  const probe = (name: ProbeName, ...command: string[]): Probe => ({
    name,
    alternatives: birdAlternatives(socket, command, folders),
  });
  return [
    probe(`bird${version}-status`, 'show', 'status'),
    probe(`bird${version}-protocols`, 'show', 'protocols', 'all'),
    probe(`bird${version}-routes`, 'show', 'route', 'all'),
  ];
}

/** The files of both daemons, in the directory where confd writes them. */
const birdFiles = [
  'bird.cfg',
  'bird_aggr.cfg',
  'bird_ipam.cfg',
  'bird6.cfg',
  'bird6_aggr.cfg',
  'bird6_ipam.cfg',
] as const;

const birdFileFolder = '/etc/calico/confd/config';

/** Passwords do not leave the node, nor does what follows them: of a password with a quote it would be the rest. */
const hidingPasswords = 's/password[[:space:]]*".*/password "(hidden)";/';

/** The configuration of BIRD, one probe for each file. `folder`: where it is, unless in the usual place. */
export function birdFileProbes(folder: string = birdFileFolder): readonly Probe[] {
  return birdFiles.map((file) => one(`file ${file}`, ['sed', '-e', hidingPasswords, `${folder}/${file}`]));
}

const one = (name: ProbeName, ...alternatives: readonly string[][]): Probe => ({ name, alternatives });

/** Command lines of Felix; those of other programs may contain secrets and are not read. */
const felixCommandLine = '^(calico-felix|calico-node)( |$)|^[^ ]+ -felix( |$)';

/** Whether Felix is alive: the check of its own container, and its process, in the container or on the host. */
export const felixProbes: readonly Probe[] = [
  one('felix', ['calico-node', '-felix-live']),
  one('felix-process', ['sv', 'status', '/etc/service/enabled/felix'], ['pgrep', '-a', '-f', felixCommandLine]),
];

/** The names of the settings that matter to the data path. */
const sysctlNames: readonly string[] = [
  'ip_forward',
  'forwarding',
  'proxy_arp',
  'proxy_delay',
  'proxy_ndp',
  'route_localnet',
  'rp_filter',
  'disable_ipv6',
  'accept_dad',
  'accept_ra',
];

/** Each has a plain form too, for an `ip` that cannot print JSON. */
export const kernelProbes = {
  links: one('links', ['ip', '-j', '-d', 'link', 'show'], ['ip', '-d', 'link', 'show']),
  addresses: one('addresses', ['ip', '-j', 'addr', 'show'], ['ip', 'addr', 'show']),
  routes4: one('routes4', ['ip', '-j', '-d', '-4', 'route', 'show'], ['ip', '-d', '-4', 'route', 'show']),
  routes6: one('routes6', ['ip', '-j', '-d', '-6', 'route', 'show'], ['ip', '-d', '-6', 'route', 'show']),
  rules4: one('rules4', ['ip', '-j', '-4', 'rule', 'show'], ['ip', '-4', 'rule', 'show']),
  rules6: one('rules6', ['ip', '-j', '-6', 'rule', 'show'], ['ip', '-6', 'rule', 'show']),
  neighbours: one('neighbours', ['ip', '-j', 'neigh', 'show'], ['ip', 'neigh', 'show']),
  fdb: one('fdb', ['ip', '-j', '-f', 'bridge', 'neigh', 'show'], ['bridge', '-j', 'fdb', 'show']),
  sysctls: one('sysctls', [
    'grep',
    '-rsH',
    '',
    ...sysctlNames.map((name) => `--include=${name}`),
    ...['ipv4/conf', 'ipv4/neigh', 'ipv6/conf', 'ipv4/ip_forward'].map((path) => `/proc/sys/net/${path}`),
  ]),
  mtu: one('mtu', ['cat', '/var/lib/calico/mtu']),
  nodename: one('nodename', ['cat', '/var/lib/calico/nodename']),
  /** The node answers for the pods' gateway only with a route to it; exit code 2 means that there is none. */
  gatewayRoute: one(
    'gateway-route',
    ['ip', '-j', 'route', 'get', '169.254.1.1'],
    ['ip', 'route', 'get', '169.254.1.1'],
  ),
  iptables: one('iptables', ['iptables-nft-save'], ['iptables-save']),
  iptablesLegacy: one('iptables-legacy', ['iptables-legacy-save']),
  nft: one('nft', ['nft', '-j', 'list', 'table', 'ip', 'calico']),
  nftKubeProxy: one('nft-kube-proxy', ['nft', '-j', 'list', 'table', 'ip', 'kube-proxy']),
} as const satisfies Record<string, Probe>;

/** All probes that a snapshot records. `folder`: where BIRD's sockets are, unless in one of the usual places. */
export function allProbes(folder?: string): readonly Probe[] {
  return [
    ...birdProbes(4, folder),
    ...birdProbes(6, folder),
    ...felixProbes,
    ...Object.values(kernelProbes),
    ...birdFileProbes(),
  ];
}
