// bird.cfg: the router ID, the protocols that every node has, the filters of users, and the peers.
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { BgpNode, DesiredSession } from '../bgp/session.ts';
import { formatIp, parseIp } from '../net/ip.ts';
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import { communitiesFunction } from './communities.ts';
import { filterFunctions } from './filter-functions.ts';
import { type BirdEnvironment, UnrenderableError } from './objects.ts';
import { type PeerContext, peerProtocols } from './peer-protocols.ts';
import { block, quoted } from './syntax.ts';

type Spec = BGPConfiguration['spec'];

/** The router ID that Calico makes from the name of a node: four bytes of its hash, the first one below 224. */
export function routerIdOfName(node: string): string {
  const [first = 0, ...rest] = sha256(utf8ToBytes(node)).slice(0, 4);
  return [first > 223 ? first - 32 : first, ...rest].join('.');
}

/** Errors: UnrenderableError for a node without an IPv4 address when no router ID is set, and for an invalid one. */
export function routerId({ name, address }: BgpNode, { CALICO_ROUTER_ID: set }: BirdEnvironment): string {
  if (set === 'hash') return routerIdOfName(name);
  if (set) {
    if (parseIp(set)?.version !== 4) {
      throw new UnrenderableError(`CALICO_ROUTER_ID is neither "hash" nor an IPv4 address: ${JSON.stringify(set)}`);
    }
    return set;
  }
  if (address[4] !== undefined) return formatIp(address[4]);
  throw new UnrenderableError(
    `${name} has no IPv4 address, and no router ID is set for it`,
    'set CALICO_ROUTER_ID=hash for calico-node, and pass it with --env CALICO_ROUTER_ID=hash',
  );
}

/** Calico knows three levels: none for anything but Info and Debug. */
function debugLine(own: Spec | undefined, global: Spec | undefined): readonly string[] {
  const level = (own?.logSeverityScreen || global?.logSeverityScreen || 'Info').toLowerCase();
  if (level === 'debug') return ['debug all;'];
  return level === 'info' ? ['debug { states };'] : [];
}

function listenLine(node: BgpNode, global: Spec | undefined, version: 4 | 6): readonly string[] {
  const own = node.address[version];
  const address = global?.bindMode === 'NodeIP' && own !== undefined ? ` address ${formatIp(own)}` : '';
  const port = node.listenPort === undefined ? '' : ` port ${node.listenPort.value}`;
  return address + port === '' ? [] : [`listen bgp${address}${port};`];
}

/** Interfaces whose addresses are not routed: those of pods and of kube-proxy besides the ones that are set. */
function interfaceLine(global: Spec | undefined): string {
  const patterns = (global?.ignoredInterfaces ?? []).join(',');
  const ignored = patterns === '' ? [] : patterns.split(',');
  const all = [...ignored, 'cali*', 'kube-ipvs*'].map(
    (pattern) => `-${quoted(pattern, 'an entry of ignoredInterfaces')}`,
  );
  return `interface ${[...all, '"*"'].join(', ')};`;
}

export interface MainFileInput extends PeerContext {
  /** The specs of BGPConfiguration `node.<name>` and `default`. */
  readonly own: Spec | undefined;
  readonly global: Spec | undefined;
  /** In the order of the file. */
  readonly sessions: readonly DesiredSession[];
  readonly environment: BirdEnvironment;
}

/** The file of one family. Errors: UnrenderableError. */
export function mainFile(version: 4 | 6, input: MainFileInput): string[] {
  const { node, own, global, sessions, environment, filters } = input;
  const prefix = version === 4 ? 'bird' : 'bird6';
  const debug = debugLine(own, global);
  return [
    ...communitiesFunction(own, global, version),
    '',
    `include "${prefix}_aggr.cfg";`,
    `include "${prefix}_ipam.cfg";`,
    '',
    `router id ${routerId(node, environment)};`,
    ...listenLine(node, global, version),
    '',
    ...block('protocol kernel', [
      'learn;',
      'persist;',
      'scan time 2;',
      'import all;',
      'export filter calico_kernel_programming;',
      'graceful restart;',
      'merge paths on;',
    ]),
    '',
    ...block('protocol device', [...debug, 'scan time 2;']),
    '',
    ...block('protocol direct', [...debug, interfaceLine(global)]),
    ...(node.address[version] === undefined
      ? ['', `# The node has no IPv${version} address: it has no peers.`]
      : [...template(node, debug), ...functionsOf([...filters.values()], version), ...peerProtocols(sessions, input)]),
  ];
}

const functionsOf = (...input: Parameters<typeof filterFunctions>): string[] => {
  const lines = filterFunctions(...input);
  return lines.length === 0 ? [] : ['', ...lines];
};

const template = ({ as }: BgpNode, debug: readonly string[]): string[] => [
  '',
  ...block('template bgp bgp_template', [
    ...debug,
    'description "Connection to BGP peer";',
    `local as ${as.value};`,
    'gateway recursive;',
    'add paths on;',
    'graceful restart;',
    'connect delay time 2;',
    'connect retry time 5;',
    'error wait time 5,30;',
  ]),
];
