// Why a session is not Established, by what both ends say and what the resources ask of them. The first rule that has
// an explanation decides (docs/reference/bgp.md#faults); faults of a whole node are in node-faults.ts.
import { faults } from '../faults/faults.ts';
import { cidrContains } from '../net/cidr.ts';
import { bySaying } from './bird-words.ts';
import { type BgpFinding, bgpFinding } from './finding.ts';
import type { ObservedSession } from './observed-sessions.ts';
import { bgpPort, type DesiredSession } from './session.ts';
import { isUp, type NodeKnowledge, peerText, type SessionPair } from './session-pairs.ts';
import {
  doubts,
  type Explanation,
  endSaying,
  explanation,
  isSilent,
  notQueriedText,
  objectOf,
  otherEnd,
  otherNode,
  saidBy,
  secretText,
  sourceText,
  wantedObject,
  wordsOf,
} from './session-wording.ts';

type Rule = (pair: SessionPair) => Explanation | undefined;

const disabled: Rule = (pair) => {
  const down = [pair.near, pair.far].find((end) => end?.state === 'Down');
  // BIRD itself takes sessions down too, and says why.
  if (down !== undefined && down.info === '') {
    return explanation(
      faults.sessionDisabled,
      `${down.protocol} is disabled in BIRD on ${down.node}`,
      `re-enable it on ${down.node} with: birdcl enable ${down.protocol}`,
    );
  }
  const saying = endSaying(pair, /Administrative shutdown/i);
  if (saying === undefined) return undefined;
  return explanation(faults.sessionDisabled, `${peerText(saying)} shut the session down`, 'enable the session there');
};

/** Two resources ask for one peer under two names: the second session never comes up. */
const doubled: Rule = ({ near, rival }) => {
  if (rival === undefined) return undefined;
  const wanted = [near.desired?.wantedBy, rival.desired?.wantedBy];
  const peering = wanted.find((one) => one?.kind === 'BGPPeer') ?? wanted[0];
  return explanation(
    faults.sessionNotEstablished,
    `${near.node} has two sessions with ${peerText(near)}, ${rival.protocol} and ${near.protocol}, and only one can be up`,
    'configure that peer in one place only: a BGPPeer, or the mesh',
    wantedObject(peering),
  );
};

/** The peer does not know this node: nothing makes it peer back. */
const oneSided: Rule = ({ near, farNode, farDesired }) => {
  const { desired } = near;
  const peer = farNode?.node;
  if (desired === undefined || peer === undefined || farDesired !== undefined) return undefined;
  const { wantedBy } = desired;
  if (wantedBy.kind === 'mesh') return undefined;
  const object = wantedObject(wantedBy);
  if (desired.peerAs.value !== peer.as.value) {
    return explanation(
      faults.asNumbersDiffer,
      `BGPPeer ${wantedBy.name} expects ${peer.name} to have AS ${desired.peerAs.value}, but it has AS ${peer.as.value} ` +
        `(${sourceText(peer.as.from)}), so ${peer.name} does not peer back`,
      `set asNumber of BGPPeer ${wantedBy.name} to ${peer.as.value}`,
      object,
    );
  }
  return explanation(
    faults.noReversePeering,
    `BGPPeer ${wantedBy.name} makes ${near.node} peer with ${peer.name}, but nothing makes ${peer.name} peer with ${near.node}`,
    `set reversePeering of BGPPeer ${wantedBy.name} to Auto if it is Manual, or create a BGPPeer for ${peer.name}`,
    object,
  );
};

/** One end expects another AS number than the resources give the other end. */
function asOfResources(
  expecting: DesiredSession | undefined,
  having: DesiredSession | undefined,
): Explanation | undefined {
  if (expecting === undefined || having === undefined) return undefined;
  const { peerAs } = expecting;
  const { ownAs } = having;
  if (peerAs.value === ownAs.value) return undefined;
  const source = peerAs.from.kind === 'BGPPeer' || ownAs.from.kind === 'default' ? peerAs.from : ownAs.from;
  return explanation(
    faults.asNumbersDiffer,
    `${expecting.node} expects ${having.node} to have AS ${peerAs.value} (${sourceText(peerAs.from)}), ` +
      `but it has AS ${ownAs.value} (${sourceText(ownAs.from)})`,
    `make them equal: change ${source.kind} ${source.name} ${source.field}`,
    objectOf(source),
  );
}

/** A router and a node disagree. What is changed is the smallest object: others rest on the AS number of the cluster. */
function asOfRouter(end: ObservedSession, desired: DesiredSession, isRefused: boolean): Explanation {
  const { from, value } = isRefused ? desired.ownAs : desired.peerAs;
  const router = peerText(end);
  const isCommon = from.kind === 'default' || from.kind === 'BGPConfiguration';
  if (!isRefused) {
    return explanation(
      faults.asNumbersDiffer,
      `the AS number of ${router} is not ${value} (${sourceText(from)}), as ${end.node} expects`,
      `compare with the configuration of the router, then change ${from.field}`,
      objectOf(from),
    );
  }
  return explanation(
    faults.asNumbersDiffer,
    `${router} does not accept AS ${value} from ${end.node} (${sourceText(from)})`,
    isCommon
      ? `compare with the configuration of the router; for this peer alone set localASNumber of its BGPPeer, for all peers of the node spec.bgp.asNumber of Node ${end.node}`
      : `compare with the configuration of the router, then change ${from.field}`,
    isCommon ? wantedObject(desired.wantedBy) : objectOf(from),
  );
}

const asMismatch: Rule = (pair) => {
  const { near, far, farDesired } = pair;
  const byResources = asOfResources(near.desired, farDesired) ?? asOfResources(farDesired, near.desired);
  if (byResources !== undefined) return byResources;
  const end = endSaying(pair, /Bad peer AS/i);
  if (end === undefined) return undefined;
  const stale = [near, far].find((one) => one?.desired && one.as !== undefined && one.as !== one.desired.peerAs.value);
  if (stale?.desired !== undefined) {
    return explanation(
      faults.asNumbersDiffer,
      `BIRD on ${stale.node} expects ${peerText(stale)} to have AS ${stale.as}, but the resources say ${stale.desired.peerAs.value}`,
      `the BIRD configuration is out of date: check the log of confd on ${stale.node}`,
      { kind: 'Node', name: stale.node },
    );
  }
  const isRefused = /Received/i.test(end.info);
  const { desired } = end;
  if (desired !== undefined && end.peerNode === undefined) return asOfRouter(end, desired, isRefused);
  // The resources agree: BIRD at the refused end does not use the AS number that they say.
  const wrong = isRefused ? end.node : peerText(end);
  return explanation(
    faults.asNumbersDiffer,
    `${isRefused ? peerText(end) : end.node} refuses the AS number of ${wrong}, although the resources agree on it`,
    `the BIRD configuration on ${wrong} is out of date: check the log of confd there`,
    { kind: 'Node', name: wrong },
  );
};

/** The router ID that BIRD of the node states; undefined when it was not seen. */
function routerIdOf(known: NodeKnowledge | undefined, version: 4 | 6): string | undefined {
  const status = known?.state?.bird[version].status;
  return status?.seen === true ? status.value.routerId : undefined;
}

/** True for an ID in 224.0.0.0/3, which is not the address of a host: many routers refuse it. */
const isNotUnicast = (id: string): boolean => Number(id.split('.')[0]) >= 224;

const routerId: Rule = (pair) => {
  const end = endSaying(pair, /Bad BGP identifier/i);
  if (end === undefined) return undefined;
  const [own, other] = [end === pair.near ? pair.nearNode : pair.farNode, otherNode(pair, end)];
  const ids = { own: routerIdOf(own, pair.version), other: routerIdOf(other, pair.version) };
  const refused = /Received/i.test(end.info) ? { name: end.node, id: ids.own } : { name: peerText(end), id: ids.other };
  if (refused.id !== undefined && isNotUnicast(refused.id)) {
    return explanation(
      faults.routerIdRefused,
      `router ID ${refused.id} of ${refused.name} is not a unicast address (224.0.0.0 and above are not), and ${refused.name === end.node ? peerText(end) : end.node} refuses it`,
      `set CALICO_ROUTER_ID of calico-node on ${refused.name} to an address, or leave it unset`,
      { kind: 'Node', name: refused.name },
    );
  }
  if (end.peerNode === undefined) {
    return explanation(
      faults.routerIdRefused,
      `${refused.name === end.node ? peerText(end) : end.node} refuses the router ID of ${refused.name}${refused.id === undefined ? '' : `, ${refused.id}`}`,
      `find out which other router has that ID (its own included), and set CALICO_ROUTER_ID of calico-node on ${end.node}`,
      { kind: 'Node', name: end.node },
    );
  }
  return explanation(
    faults.duplicateRouterId,
    `${end.node} and ${peerText(end)} have the same router ID`,
    'give one of them another address, or another CALICO_ROUTER_ID',
    { kind: 'Node', name: end.node },
  );
};

const bothWait: Rule = ({ near, far }) => {
  if (near.state !== 'Passive' || far?.state !== 'Passive') return undefined;
  return explanation(
    faults.bothPassive,
    `${near.node} and ${far.node} both wait for the other to dial`,
    'look for an old or hand-written configuration: the end with the greater address, compared as text, must dial',
    wantedObject(near.desired?.wantedBy),
  );
};

const refused: Rule = (pair) => {
  const end = endSaying(pair, /Connection refused/i);
  if (end === undefined) return undefined;
  const peer = otherNode(pair, end);
  const dialed = end.desired?.port ?? end.port ?? bgpPort;
  const listens = peer?.node?.listenPort?.value ?? bgpPort;
  if (peer?.node !== undefined && dialed !== listens) {
    return explanation(
      faults.connectionRefused,
      `${end.node} dials port ${dialed} of ${peer.name}, which listens on ${listens}`,
      'dial the port that it listens on',
      wantedObject(end.desired?.wantedBy),
    );
  }
  const port = `port ${dialed} of ${peerText(end)}`;
  if (peer?.state !== undefined) {
    return explanation(
      faults.connectionRefused,
      `${port} refuses ${end.node}, although BIRD runs on ${peer.name}`,
      `check whether BIRD there uses another port or address (listenPort, bindMode), or a firewall rejects TCP ${dialed}`,
      { kind: 'Node', name: peer.name },
    );
  }
  return explanation(
    faults.connectionRefused,
    `${port} refuses ${end.node}: ${notQueriedText(peer) ?? 'nothing listens there'}`,
    'check that BGP runs there',
  );
};

const noRoute: Rule = (pair) => {
  const end = endSaying(pair, /No route to host|Network is unreachable|timed out|Host is unreachable|No buffer/i);
  if (end === undefined) return undefined;
  const notQueried = notQueriedText(otherNode(pair, end));
  return explanation(
    faults.peerUnreachable,
    `${end.node} cannot reach ${peerText(end)}: ${end.info}${notQueried === undefined ? '' : `; ${notQueried}`}`,
    `look for a firewall on TCP ${end.desired?.port ?? bgpPort}, a wrong address, or a missing route${doubts(pair)}`,
    end.peerNode === undefined ? wantedObject(end.desired?.wantedBy) : { kind: 'Node', name: end.peerNode },
  );
};

const holdTimer: Rule = (pair) => {
  const end = endSaying(pair, /Hold timer expired/i);
  if (end === undefined) return undefined;
  return explanation(
    faults.holdTimerExpired,
    `the hold timer of the session of ${end.node} with ${peerText(end)} expired`,
    'look for lost packets, a node short of CPU, or an MTU that is too large',
  );
};

const hops: Rule = ({ near, farDesired }) => {
  const { desired } = near;
  const [own, back] = [desired?.ttlSecurity, farDesired?.ttlSecurity];
  if (desired === undefined || farDesired === undefined || own === back) return undefined;
  return explanation(
    faults.ttlSecurityDiffers,
    `ttlSecurity is ${own ?? 'off'} at ${near.node} and ${back ?? 'off'} at ${farDesired.node}`,
    'set ttlSecurity at both ends, or at neither',
    wantedObject((own === undefined ? farDesired : desired).wantedBy),
  );
};

const password: Rule = ({ near, farDesired }) => {
  const { desired } = near;
  if (desired === undefined || farDesired === undefined) return undefined;
  const [own, back] = [desired.password, farDesired.password];
  if (own?.secret === back?.secret && own?.key === back?.key) return undefined;
  return explanation(
    faults.passwordsDiffer,
    `${desired.node} uses ${secretText(own)}, ${farDesired.node} uses ${secretText(back)}`,
    'give both ends the same password',
    wantedObject((own === undefined ? farDesired : desired).wantedBy),
  );
};

const notConnected: Rule = ({ near, far, nearNode, farNode }) => {
  const end = [near, far].find((one) => one?.state === 'Idle' && isSilent(one) && one.desired?.multihop === false);
  if (end?.desired === undefined || end.desired.ownAs.value === end.desired.peerAs.value) return undefined;
  const network = (end === near ? nearNode : farNode)?.node?.network[end.version];
  if (network !== undefined && cidrContains(network, end.desired.peer)) return undefined;
  return explanation(
    faults.meshAcrossAsNumbers,
    `${end.node} (AS ${end.desired.ownAs.value}) and ${peerText(end)} (AS ${end.desired.peerAs.value}) are not on one ` +
      'network, which the mesh requires of nodes with different AS numbers',
    'peer them with a BGPPeer, or give them the same AS number',
    wantedObject(end.desired.wantedBy),
  );
};

const unanswered: Rule = (pair) => {
  const end = [pair.near, pair.far].find((one) => one?.state === 'Connect' && isSilent(one));
  if (end === undefined) return undefined;
  const { desired } = end;
  const dials = `${end.node} dials ${peerText(end)} and gets no answer`;
  if ((desired?.password ?? pair.farDesired?.password) !== undefined) {
    return explanation(
      faults.passwordsDiffer,
      `${dials}; the session has a password`,
      'compare the passwords of both ends, and check that calico-node may read the secret; else a firewall drops TCP 179',
      wantedObject((desired?.password === undefined ? pair.farDesired : desired)?.wantedBy),
    );
  }
  const peer = otherEnd(pair, end);
  const there =
    peer === undefined ? notQueriedText(otherNode(pair, end)) : `BIRD runs there and reports ${wordsOf(peer)}`;
  return explanation(
    faults.peerUnreachable,
    `${dials}${there === undefined ? '' : `; ${there}`}`,
    `look for a firewall that drops TCP ${desired?.port ?? bgpPort}, a wrong address, or a password at one end only${doubts(pair)}`,
    end.peerNode === undefined ? wantedObject(desired?.wantedBy) : { kind: 'Node', name: end.peerNode },
  );
};

/** The time on the node of the dialing end, as its BIRD states it. */
function routerClock({ nearNode, version }: SessionPair): string | undefined {
  const status = nearNode.state?.bird[version].status;
  return status?.seen === true ? status.value.serverTime : undefined;
}

const secondsOf = (text: string | undefined): number | undefined => {
  const [, hours, minutes, seconds] = /(\d{2}):(\d{2}):(\d{2})/.exec(text ?? '') ?? [];
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
};

/** A session that is this young may just be coming up. */
const freshForSeconds = 300;

/** True when the session changed its state a short while ago, and when that is not known. A date is long ago. */
function isFresh({ since }: ObservedSession, now: string | undefined): boolean {
  if (since === undefined) return true;
  const [then, at] = [secondsOf(since), secondsOf(now)];
  if (then === undefined) return !/^\d{4}-/.test(since);
  return at === undefined || (at - then + 86_400) % 86_400 <= freshForSeconds;
}

/** What to do about a session that no rule explains. */
function restHint(pair: SessionPair): string {
  const { near, far, farNode } = pair;
  const closed = endSaying(pair, /reset by peer|Connection closed/i);
  if (closed !== undefined) {
    return `${peerText(closed)} closes the connection: check that it is configured with the address that ${closed.node} dials from`;
  }
  if (near.state !== 'Passive' || far !== undefined) {
    return isFresh(near, routerClock(pair))
      ? 'check again in a few seconds: it may be coming up'
      : `it has been like this since ${near.since}: read the log of ${peerText(near)} about this neighbor, and that of BIRD on ${near.node}`;
  }
  const notQueried = notQueriedText(farNode);
  return `it waits to be dialed${notQueried === undefined ? '' : `; ${notQueried}`}`;
}

const unexplained = (pair: SessionPair): Explanation =>
  explanation(faults.sessionNotEstablished, saidBy(pair), restHint(pair), wantedObject(pair.near.desired?.wantedBy));

const rules: readonly Rule[] = [
  disabled,
  doubled,
  oneSided,
  asMismatch,
  routerId,
  bySaying,
  bothWait,
  refused,
  noRoute,
  holdTimer,
  password,
  hops,
  notConnected,
  unanswered,
];

function explained(pair: SessionPair): Explanation {
  for (const rule of rules) {
    const found = rule(pair);
    if (found !== undefined) return found;
  }
  return unexplained(pair);
}

/** The one finding of a session that is not up. */
export function sessionFinding(pair: SessionPair): BgpFinding {
  const { near, far, version } = pair;
  const { fault, message, hint, object } = explained(pair);
  const ends = [near, far].filter((end): end is ObservedSession => end !== undefined && !isUp(end));
  return bgpFinding(fault, near.node, {
    version,
    peer: peerText(near),
    message,
    hint,
    object,
    sessions: ends.map(({ node, protocol }) => ({ node, version, protocol })),
  });
}
