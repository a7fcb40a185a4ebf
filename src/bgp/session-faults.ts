// Why a session is not Established, by what both ends say and what the resources ask of them. The first rule that has
// an explanation decides (docs/reference/bgp.md#faults); faults of a whole node are in node-faults.ts.
import { faults } from '../faults/faults.ts';
import { cidrContains } from '../net/cidr.ts';
import { type BgpFinding, bgpFinding } from './finding.ts';
import type { ObservedSession } from './observed-sessions.ts';
import { bgpPort, type DesiredSession } from './session.ts';
import { isUp, peerText, type SessionPair } from './session-pairs.ts';
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
  if (down !== undefined) {
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
    'let only one resource ask for that peer: a BGPPeer, or the mesh',
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
  if (desired !== undefined && end.peerNode === undefined) {
    const source = isRefused ? desired.ownAs.from : desired.peerAs.from;
    const message = isRefused
      ? `${peerText(end)} does not accept AS ${desired.ownAs.value} from ${end.node} (${sourceText(source)})`
      : `the AS number of ${peerText(end)} is not ${desired.peerAs.value} (${sourceText(source)})`;
    const hint = `compare with the configuration of the peer, then change ${source.field}`;
    return explanation(faults.asNumbersDiffer, message, hint, objectOf(source));
  }
  // The resources agree: BIRD at the refused end does not use the AS number that they say.
  const wrong = isRefused ? end.node : peerText(end);
  return explanation(
    faults.asNumbersDiffer,
    `${isRefused ? peerText(end) : end.node} refuses the AS number of ${wrong}, although the resources agree on it`,
    `the BIRD configuration on ${wrong} is out of date: check the log of confd there`,
    { kind: 'Node', name: wrong },
  );
};

const duplicateId: Rule = (pair) => {
  const end = endSaying(pair, /Bad BGP identifier/i);
  if (end === undefined) return undefined;
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
  const there = peer === undefined ? notQueriedText(otherNode(pair, end)) : `BIRD runs there and says ${wordsOf(peer)}`;
  return explanation(
    faults.peerUnreachable,
    `${dials}${there === undefined ? '' : `; ${there}`}`,
    `look for a firewall that drops TCP ${desired?.port ?? bgpPort}, a wrong address, or a password at one end only${doubts(pair)}`,
    end.peerNode === undefined ? wantedObject(desired?.wantedBy) : { kind: 'Node', name: end.peerNode },
  );
};

/** What to do about a session that no rule explains. */
function restHint(pair: SessionPair): string {
  const { near, far, farNode } = pair;
  const closed = endSaying(pair, /reset by peer|Connection closed/i);
  if (closed !== undefined) {
    return `${peerText(closed)} closes the connection: check that it is configured with the address that ${closed.node} dials from`;
  }
  if (near.state !== 'Passive' || far !== undefined) return 'check again in a few seconds: it may be coming up';
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
  duplicateId,
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
