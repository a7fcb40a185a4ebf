// Why a session is not Established, from what both ends say and what the resources ask of them. The first rule that
// knows decides (docs/reference/bgp.md#faults); faults of a whole node are in node-causes.ts.
import { cidrContains } from '../net/cidr.ts';
import { type BgpFinding, bgpFinding } from './finding.ts';
import type { ObservedSession } from './observed-sessions.ts';
import { bgpPort, type DesiredSession } from './session.ts';
import { isUp, peerText, type SessionPair } from './session-pairs.ts';
import {
  type Cause,
  cause,
  doubts,
  endSaying,
  isSilent,
  notAskedText,
  objectOf,
  other,
  saidBy,
  secretText,
  sourceText,
  wantedObject,
  wordsOf,
} from './session-wording.ts';

type Rule = (pair: SessionPair) => Cause | undefined;

const disabled: Rule = (pair) => {
  const row = [pair.near, pair.far].find((end) => end?.state === 'Down');
  if (row !== undefined) {
    return cause(
      'F100',
      `${row.protocol} is disabled in BIRD on ${row.node}`,
      `somebody disabled it there: birdcl enable ${row.protocol} on ${row.node}`,
    );
  }
  const told = endSaying(pair, /Administrative shutdown/i);
  return told && cause('F100', `${peerText(told)} has shut the session down`, 'enable the session there');
};

/** Two resources ask for one peer under two names: the second session never comes up. */
const doubled: Rule = ({ near, rival }) => {
  if (rival === undefined) return undefined;
  const wanted = [near.desired?.wantedBy, rival.desired?.wantedBy];
  const peering = wanted.find((one) => one?.kind === 'BGPPeer') ?? wanted[0];
  return cause(
    'F102',
    `${near.node} has two sessions with ${peerText(near)}, ${rival.protocol} and ${near.protocol}, and only one can be up`,
    'let one resource alone ask for that peer: a BGPPeer, or the mesh',
    wantedObject(peering),
  );
};

/** The peer does not know this node: nobody peers back. */
const oneSided: Rule = ({ near, farNode, farDesired }) => {
  const { desired } = near;
  const peer = farNode?.node;
  if (desired === undefined || peer === undefined || farDesired !== undefined) return undefined;
  const { wantedBy } = desired;
  if (wantedBy.kind === 'mesh') return undefined;
  const object = wantedObject(wantedBy);
  if (desired.peerAs.value !== peer.as.value) {
    return cause(
      'F63',
      `BGPPeer ${wantedBy.name} gives ${peer.name} AS ${desired.peerAs.value}, but it has AS ${peer.as.value} ` +
        `${sourceText(peer.as.from)}; so ${peer.name} does not peer back`,
      `set asNumber of BGPPeer ${wantedBy.name} to ${peer.as.value}`,
      object,
    );
  }
  return cause(
    'F101',
    `${near.node} peers with ${peer.name} by BGPPeer ${wantedBy.name}, and no resource has ${peer.name} peer with ${near.node}`,
    `set reversePeering of BGPPeer ${wantedBy.name} to Auto if it is Manual, or make a BGPPeer for ${peer.name}`,
    object,
  );
};

/** The AS that one end expects and the other has, when the resources differ. */
function asOfResources(expecting: DesiredSession | undefined, having: DesiredSession | undefined): Cause | undefined {
  if (expecting === undefined || having === undefined) return undefined;
  const { peerAs } = expecting;
  const { ownAs } = having;
  if (peerAs.value === ownAs.value) return undefined;
  const source = peerAs.from.kind === 'BGPPeer' || ownAs.from.kind === 'default' ? peerAs.from : ownAs.from;
  return cause(
    'F63',
    `${expecting.node} expects AS ${peerAs.value} of ${having.node} (${sourceText(peerAs.from)}), ` +
      `which has AS ${ownAs.value} (${sourceText(ownAs.from)})`,
    `make the two the same: change ${source.kind} ${source.name} ${source.field}`,
    objectOf(source),
  );
}

const asMismatch: Rule = (pair) => {
  const { near, far, farDesired } = pair;
  const byResources = asOfResources(near.desired, farDesired) ?? asOfResources(farDesired, near.desired);
  if (byResources !== undefined) return byResources;
  const row = endSaying(pair, /Bad peer AS/i);
  if (row === undefined) return undefined;
  const stale = [near, far].find((end) => end?.desired && end.as !== undefined && end.as !== end.desired.peerAs.value);
  if (stale?.desired !== undefined) {
    return cause(
      'F63',
      `BIRD on ${stale.node} expects AS ${stale.as} of ${peerText(stale)}, the resources say ${stale.desired.peerAs.value}`,
      `its configuration is old: see the log of confd on ${stale.node}`,
      { kind: 'Node', name: stale.node },
    );
  }
  const refused = /Received/i.test(row.info);
  const { desired } = row;
  if (desired !== undefined && row.peerNode === undefined) {
    const source = refused ? desired.ownAs.from : desired.peerAs.from;
    const said = refused
      ? `${peerText(row)} does not take AS ${desired.ownAs.value} of ${row.node} (${sourceText(source)})`
      : `${peerText(row)} has another AS than ${desired.peerAs.value} (${sourceText(source)})`;
    return cause('F63', said, `compare with its configuration, then change ${source.field}`, objectOf(source));
  }
  // Equal by the resources: the BIRD of the end that is refused speaks for another AS than they say.
  const wrong = refused ? row.node : peerText(row);
  return cause(
    'F63',
    `${refused ? peerText(row) : row.node} refuses the AS of ${wrong}, though the resources agree on it`,
    `BIRD on ${wrong} has an old configuration: see the log of confd there`,
    { kind: 'Node', name: wrong },
  );
};

const duplicateId: Rule = (pair) => {
  const row = endSaying(pair, /Bad BGP identifier/i);
  if (row === undefined) return undefined;
  return cause(
    'F65',
    `${row.node} and ${peerText(row)} have one router id`,
    'give one of them another address, or another CALICO_ROUTER_ID',
    { kind: 'Node', name: row.node },
  );
};

const bothWait: Rule = ({ near, far }) => {
  if (near.state !== 'Passive' || far?.state !== 'Passive') return undefined;
  return cause(
    'F67',
    `${near.node} and ${far.node} both wait for the other to dial`,
    'the side with the lower address, as a text, must dial: has one of them an old or handmade configuration?',
    wantedObject(near.desired?.wantedBy),
  );
};

const refused: Rule = (pair) => {
  const row = endSaying(pair, /Connection refused/i);
  if (row === undefined) return undefined;
  const farNode = row === pair.near ? pair.farNode : pair.nearNode;
  const dialed = row.desired?.port ?? row.port ?? bgpPort;
  const listens = farNode?.node?.listenPort;
  if (farNode?.node !== undefined && dialed !== (listens?.value ?? bgpPort)) {
    return cause(
      'F61',
      `${row.node} dials port ${dialed} of ${farNode.name}, which listens on ${listens?.value ?? bgpPort}`,
      'name the port that it listens on',
      wantedObject(row.desired?.wantedBy),
    );
  }
  const to = `port ${dialed} of ${peerText(row)}`;
  if (farNode?.state !== undefined) {
    return cause(
      'F61',
      `${to} refuses ${row.node}, though BIRD runs on ${farNode.name}`,
      `has BIRD there another port or address (listenPort, bindMode), or does a firewall reject TCP ${dialed}?`,
      { kind: 'Node', name: farNode.name },
    );
  }
  return cause(
    'F61',
    `${to} refuses ${row.node}: ${notAskedText(farNode) ?? 'nothing listens there'}`,
    'is BGP running there?',
  );
};

const noWay: Rule = (pair) => {
  const row = endSaying(pair, /No route to host|Network is unreachable|timed out|Host is unreachable|No buffer/i);
  if (row === undefined) return undefined;
  const asked = notAskedText(row === pair.near ? pair.farNode : pair.nearNode);
  return cause(
    'F62',
    `${row.node} does not reach ${peerText(row)}: ${row.info}${asked === undefined ? '' : `; ${asked}`}`,
    `look for a firewall on TCP ${row.desired?.port ?? bgpPort}, a wrong address, a missing route${doubts(pair)}`,
    row.peerNode === undefined ? wantedObject(row.desired?.wantedBy) : { kind: 'Node', name: row.peerNode },
  );
};

const holdTimer: Rule = (pair) => {
  const row = endSaying(pair, /Hold timer expired/i);
  return (
    row &&
    cause(
      'F68',
      `the session of ${row.node} with ${peerText(row)} was lost when its hold timer ran out`,
      'look for lost packets, a node short of processor time, an MTU that is too large',
    )
  );
};

const hops: Rule = ({ near, farDesired }) => {
  const { desired } = near;
  const [own, back] = [desired?.ttlSecurity, farDesired?.ttlSecurity];
  if (desired === undefined || farDesired === undefined || own === back) return undefined;
  return cause(
    'F95',
    `${near.node} checks hops (${own ?? 'no'}) otherwise than ${farDesired.node} (${back ?? 'no'})`,
    'set ttlSecurity on both sides, or on none',
    wantedObject((own === undefined ? farDesired : desired).wantedBy),
  );
};

const password: Rule = ({ near, farDesired }) => {
  const { desired } = near;
  if (desired === undefined || farDesired === undefined) return undefined;
  const [own, back] = [desired.password, farDesired.password];
  if (own?.secret === back?.secret && own?.key === back?.key) return undefined;
  return cause(
    'F64',
    `${desired.node} has ${secretText(own)}, ${farDesired.node} has ${secretText(back)}`,
    'give both ends one password',
    wantedObject((own === undefined ? farDesired : desired).wantedBy),
  );
};

const notConnected: Rule = ({ near, far, nearNode, farNode }) => {
  const row = [near, far].find((end) => end?.state === 'Idle' && isSilent(end) && end.desired?.multihop === false);
  if (row?.desired === undefined || row.desired.ownAs.value === row.desired.peerAs.value) return undefined;
  const network = (row === near ? nearNode : farNode)?.node?.network[row.version];
  if (network !== undefined && cidrContains(network, row.desired.peer)) return undefined;
  return cause(
    'F66',
    `${row.node} (AS ${row.desired.ownAs.value}) and ${peerText(row)} (AS ${row.desired.peerAs.value}) are not on one ` +
      'network, which the mesh needs between nodes of different AS',
    'peer them with a BGPPeer, or give them one AS number',
    wantedObject(row.desired.wantedBy),
  );
};

const unanswered: Rule = (pair) => {
  const row = [pair.near, pair.far].find((end) => end?.state === 'Connect' && isSilent(end));
  if (row === undefined) return undefined;
  const { desired } = row;
  if ((desired?.password ?? pair.farDesired?.password) !== undefined) {
    return cause(
      'F64',
      `${row.node} dials ${peerText(row)} without an answer, and the session has a password`,
      'compare the passwords of both ends, and may calico-node read the secret? else a firewall drops TCP 179',
      wantedObject((desired?.password === undefined ? pair.farDesired : desired)?.wantedBy),
    );
  }
  const peer = other(pair, row);
  const farNode = row === pair.near ? pair.farNode : pair.nearNode;
  const there = peer === undefined ? notAskedText(farNode) : `BIRD runs there and says ${wordsOf(peer)}`;
  return cause(
    'F62',
    `${row.node} dials ${peerText(row)} without an answer${there === undefined ? '' : `; ${there}`}`,
    `look for a firewall that drops TCP ${desired?.port ?? bgpPort}, a wrong address, or a password on one side only${doubts(pair)}`,
    row.peerNode === undefined ? wantedObject(desired?.wantedBy) : { kind: 'Node', name: row.peerNode },
  );
};

const rest = (pair: SessionPair): Cause => {
  const { near, far, farNode } = pair;
  const waits = near.state === 'Passive';
  const closed = endSaying(pair, /reset by peer|Connection closed/i);
  const hint =
    closed !== undefined
      ? `${peerText(closed)} closes the connection: does it know ${closed.node} under the address that it dials from?`
      : waits && far === undefined
        ? `it waits to be dialed${farNode?.notAsked === undefined ? '' : `; ${notAskedText(farNode)}`}`
        : 'ask again in a few seconds: it may be coming up';
  return cause('F102', saidBy(pair), hint, wantedObject(near.desired?.wantedBy));
};

const rules: readonly Rule[] = [
  ...[disabled, doubled, oneSided, asMismatch, duplicateId, bothWait, refused, noWay, holdTimer],
  ...[password, hops, notConnected, unanswered],
];

/** The one finding of a session that is not up. */
export function sessionFinding(pair: SessionPair): BgpFinding {
  const { near, far, version } = pair;
  let found: Cause | undefined;
  for (const rule of rules) {
    found = rule(pair);
    if (found !== undefined) break;
  }
  const ends = [near, far].filter((row) => row !== undefined && !isUp(row)) as ObservedSession[];
  return bgpFinding((found ?? rest(pair)).id, near.node, {
    ...(found ?? rest(pair)),
    version,
    peer: peerText(near),
    sessions: ends.map(({ node, protocol }) => ({ node, version, protocol })),
  });
}
