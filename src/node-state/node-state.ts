// What is known of a node from a reading: each part as seen, or why it was not seen. Nothing is judged here.

import type { BirdProtocol, BirdRoute, BirdStatus } from './bird/bird.ts';
import { parseBirdProtocols } from './bird/protocols.ts';
import { parseBirdRoutes } from './bird/routes.ts';
import { parseBirdStatus } from './bird/status.ts';
import { type FelixState, parseFelix } from './felix.ts';
import { parseAddresses } from './iproute/addresses.ts';
import { parseFdb } from './iproute/fdb.ts';
import { parseInterfaces } from './iproute/interfaces.ts';
import type { DeviceAddress, FdbEntry, Interface, KernelRoute, Neighbour, Rule } from './iproute/iproute.ts';
import { parseNeighbours } from './iproute/neighbours.ts';
import { parseRoutes } from './iproute/routes.ts';
import { parseRules } from './iproute/rules.ts';
import { parseIptablesSave } from './packet-filter/iptables-save.ts';
import { parseNftTable } from './packet-filter/nft.ts';
import type { FilterTable } from './packet-filter/packet-filter.ts';
import type { Parsed } from './parse-result.ts';
import { excerpt, notUnderstood, understood, wholeNumber } from './parsing.ts';
import type { NodeReading, Observed, ProbeName, ProbeOutcome } from './probes.ts';
import { parseSysctls } from './sysctls.ts';

/** What BIRD of one family says; each answer stands for itself. */
export interface BirdState {
  readonly status: Observed<BirdStatus>;
  readonly protocols: Observed<readonly BirdProtocol[]>;
  readonly routes: Observed<readonly BirdRoute[]>;
}

export interface NodeState {
  readonly node: string;
  readonly unreachable: NodeReading['unreachable'];
  readonly bird: Readonly<Record<4 | 6, BirdState>>;
  readonly felix: Observed<FelixState>;
  readonly interfaces: Observed<readonly Interface[]>;
  readonly addresses: Observed<readonly DeviceAddress[]>;
  readonly routes4: Observed<readonly KernelRoute[]>;
  readonly routes6: Observed<readonly KernelRoute[]>;
  readonly rules4: Observed<readonly Rule[]>;
  readonly rules6: Observed<readonly Rule[]>;
  readonly neighbours: Observed<readonly Neighbour[]>;
  readonly fdb: Observed<readonly FdbEntry[]>;
  /** By path below /proc/sys: `net/ipv4/conf/cali0/proxy_arp`. */
  readonly sysctls: Observed<ReadonlyMap<string, string>>;
  /** The MTU that Felix last wrote for the CNI plugin. */
  readonly mtu: Observed<number>;
  /** The name that the node gave itself when it started. */
  readonly nodename: Observed<string>;
  readonly iptables: Observed<readonly FilterTable[]>;
  /** The same, of the other backend. */
  readonly iptablesLegacy: Observed<readonly FilterTable[]>;
  readonly nft: Observed<readonly FilterTable[]>;
  /** Lines that were not understood, by probe: such an answer may be incomplete. */
  readonly skipped: ReadonlyMap<ProbeName, readonly string[]>;
}

/** The routes of one family. */
export function routesOf({ routes4, routes6 }: NodeState, version: 4 | 6): Observed<readonly KernelRoute[]> {
  return version === 4 ? routes4 : routes6;
}

const notAsked: ProbeOutcome = { kind: 'unanswered', argv: [], reason: 'not read' };

function parseMtu(text: string): Parsed<number> {
  const mtu = wholeNumber(text.trim());
  return mtu === undefined ? notUnderstood(`not a number: ${excerpt(text)}`) : understood(mtu);
}

function parseNodename(text: string): Parsed<string> {
  const name = text.trim();
  return /^\S+$/.test(name) ? understood(name) : notUnderstood(`not a name: ${excerpt(text)}`);
}

/** Why the output of a command cannot be used; undefined when it can. */
function unusable(name: ProbeName, outcome: Extract<ProbeOutcome, { kind: 'answered' }>): string | undefined {
  const { argv, exit, stdout, stderr, truncated } = outcome;
  const program = argv[0] ?? 'the command';
  // grep exits with 2 when one file of many cannot be read, or there is no IPv6: what it printed is still valid.
  const isPart = name === 'sysctls' && exit === 2 && stdout.trim() !== '';
  if (exit !== 0 && !isPart) {
    const said = excerpt(stderr) || excerpt(stdout);
    return `${program} exited with code ${exit}${said === '' ? '' : `: ${said}`}`;
  }
  if (truncated) return `the output of ${program} exceeds the limit`;
  // A partial answer of BIRD would look as if peers and routes were missing. JSON shows by itself that it is partial.
  if (name.startsWith('bird') && stdout !== '' && !stdout.endsWith('\n')) {
    return `the output of ${program} ends in the middle of a line`;
  }
  // The JSON text of an empty list is not empty.
  return argv.includes('-j') && stdout.trim() === '' ? `${program} printed nothing` : undefined;
}

/** The state of a node as a reading shows it. What was not read, not answered or not understood counts as not seen. */
export function nodeState(reading: NodeReading): NodeState {
  const skipped = new Map<ProbeName, readonly string[]>();
  const outcomeOf = (name: ProbeName): ProbeOutcome => reading.outcomes.get(name) ?? notAsked;
  const observe = <T>(name: ProbeName, parse: (text: string) => Parsed<T>): Observed<T> => {
    const outcome = outcomeOf(name);
    const { argv } = outcome;
    if (outcome.kind === 'unanswered') return { seen: false, why: outcome.reason, argv };
    const why = unusable(name, outcome);
    if (why !== undefined) return { seen: false, why, argv };
    const parsed = parse(outcome.stdout);
    if (!parsed.ok) return { seen: false, why: `the output of ${argv[0]} was not understood: ${parsed.problem}`, argv };
    if (parsed.skipped.length > 0) skipped.set(name, parsed.skipped);
    return { seen: true, value: parsed.value, argv };
  };
  const bird = (version: 4 | 6): BirdState => ({
    status: observe(`bird${version}-status`, parseBirdStatus),
    protocols: observe(`bird${version}-protocols`, parseBirdProtocols),
    routes: observe(`bird${version}-routes`, (text) => parseBirdRoutes(text, version)),
  });
  // Felix's own check says more than the list of processes, but exists only in its container.
  const felix = parseFelix(outcomeOf('felix'));
  const felixProcess = parseFelix(outcomeOf('felix-process'));
  return {
    node: reading.node,
    unreachable: reading.unreachable,
    bird: { 4: bird(4), 6: bird(6) },
    felix: felix.seen || !felixProcess.seen ? felix : felixProcess,
    interfaces: observe('links', parseInterfaces),
    addresses: observe('addresses', parseAddresses),
    routes4: observe('routes4', (text) => parseRoutes(text, 4)),
    routes6: observe('routes6', (text) => parseRoutes(text, 6)),
    rules4: observe('rules4', (text) => parseRules(text, 4)),
    rules6: observe('rules6', (text) => parseRules(text, 6)),
    neighbours: observe('neighbours', parseNeighbours),
    fdb: observe('fdb', parseFdb),
    sysctls: observe('sysctls', parseSysctls),
    mtu: observe('mtu', parseMtu),
    nodename: observe('nodename', parseNodename),
    iptables: observe('iptables', parseIptablesSave),
    iptablesLegacy: observe('iptables-legacy', parseIptablesSave),
    nft: observe('nft', parseNftTable),
    skipped,
  };
}
