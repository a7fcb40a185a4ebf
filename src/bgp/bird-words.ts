// What BIRD 1.6 prints as the last error of a session, and what each text means: docs/reference/bgp.md#birds-words.
// `Received: X` is what the peer sent, `BGP Error: X` what this end sent, `Socket:` and `Error:` are of this end alone.
import { faults } from '../faults/faults.ts';
import type { ObservedSession } from './observed-sessions.ts';
import { type NodeKnowledge, peerText, type SessionPair } from './session-pairs.ts';
import { type Explanation, endSaying, explanation, listenPortOf, ownNode, wantedObject } from './session-wording.ts';

/** A text of BIRD with its meaning, as the end that shows it means it. */
interface Word {
  readonly pattern: RegExp;
  readonly explain: (end: ObservedSession, isReceived: boolean, own: NodeKnowledge | undefined) => Explanation;
}

const objectOf = ({ desired }: ObservedSession): ReturnType<typeof wantedObject> => wantedObject(desired?.wantedBy);

/** One of the ends ended the session with these words: who, and what to do about it. */
function ended(hint: (peer: string, end: ObservedSession) => string): Word['explain'] {
  return (end, isReceived) => {
    const [from, to] = isReceived ? [peerText(end), end.node] : [end.node, peerText(end)];
    const said = end.info.replace(/^(Received|BGP Error|Error|Socket):\s*/, '');
    return explanation(
      faults.peerEndsSession,
      `${from} ends the session with ${to}: ${said}`,
      hint(peerText(end), end),
      objectOf(end),
    );
  };
}

/** The table; the first that matches explains. Texts about AS numbers, identifiers and reachability have rules of their own. */
const words: readonly Word[] = [
  {
    pattern: /No listening socket/i,
    explain: (end, _, own) => {
      const port = listenPortOf(own);
      return explanation(
        faults.bgpPortTaken,
        `BIRD on ${end.node} cannot listen on TCP port ${port}: another program has it`,
        `find it on ${end.node} (ss -ltnp 'sport = :${port}'; FRR, Quagga, another BIRD), and give one of the two another port: listenPort of BGPConfiguration is BIRD's`,
        { kind: 'Node', name: end.node },
      );
    },
  },
  {
    pattern: /Kernel MD5 auth failed/i,
    explain: (end) =>
      explanation(
        faults.passwordKeyRefused,
        `the kernel of ${end.node} does not take the password's MD5 key for ${peerText(end)}`,
        `raise net.core.optmem_max on ${end.node}, which limits the keys of one socket, and check that its kernel has TCP-MD5 (CONFIG_TCP_MD5SIG)`,
        { kind: 'Node', name: end.node },
      ),
  },
  {
    pattern: /Route limit exceeded|Maximum number of prefixes/i,
    explain: ended(
      (peer) =>
        `raise the limit of prefixes for this neighbor on ${peer}, or announce less (larger blocks, a BGPFilter, aggregates)`,
    ),
  },
  {
    pattern: /Connection collision resolution/i,
    explain: ended(
      (peer, end) =>
        `${peer} has another session with the address of ${end.node} already, such as one of MetalLB's speaker or of another BGPPeer: let only one of them peer with it`,
    ),
  },
  {
    pattern: /Unacceptable hold time/i,
    explain: ended(
      (peer) => `compare the hold time of ${peer} with the 240 seconds of BIRD, and set one that both accept`,
    ),
  },
  {
    pattern: /bind: |Cannot assign requested address/i,
    explain: (end) =>
      explanation(
        faults.peerEndsSession,
        `BIRD on ${end.node} cannot dial ${peerText(end)} from its source address: ${end.info}`,
        `check that the address of Node ${end.node} is on one of its interfaces, and sourceAddress of the BGPPeer`,
        { kind: 'Node', name: end.node },
      ),
  },
  {
    pattern: /Invalid next hop/i,
    explain: ended(
      (peer) =>
        `check the next hop of the session with ${peer}: an address of this node cannot be the peer; nextHopMode and sourceAddress of the BGPPeer`,
    ),
  },
  {
    pattern: /Connection rejected/i,
    explain: ended(
      (peer, end) =>
        `check that ${peer} has a neighbor with the address and AS number of ${end.node}, and that it is enabled there`,
    ),
  },
  {
    pattern: /Peer de-configured/i,
    explain: ended(
      (peer) =>
        `the neighbor was taken out of the configuration of ${peer}: put it back, or drop the peer from the BGPPeer`,
    ),
  },
  {
    pattern: /Neighbor lost/i,
    explain: (end) =>
      explanation(
        faults.peerUnreachable,
        `${peerText(end)} is on no network of ${end.node} any more`,
        `check the interface of ${end.node} towards ${peerText(end)} (ip route get)`,
        { kind: 'Node', name: end.node },
      ),
  },
  {
    pattern: /Out of Resources/i,
    explain: ended((peer) => `look at memory and limits of ${peer}`),
  },
  {
    pattern: /Required capability missing|Unsupported (optional parameter|version number|capability)|No supported AFI/i,
    explain: ended(
      (peer) =>
        `the capabilities of the two ends do not match: compare address families and capabilities in the configuration of the neighbor on ${peer}`,
    ),
  },
  {
    pattern: /Authentication failure/i,
    explain: ended(
      (peer) => `compare the passwords of both ends: the secret of the BGPPeer and the neighbor on ${peer}`,
    ),
  },
  {
    pattern: /BFD session down|Link down/i,
    explain: ended((peer) => `check the link to ${peer}`),
  },
  {
    pattern:
      /attribute|Invalid (UPDATE|OPEN|network field|message header|ROUTE-REFRESH)|Malformed|AS routing loop|Bad message|Connection not synchronized|Finite state machine|Unexpected message/i,
    explain: ended(
      (peer) => `read the log of ${peer} about this neighbor: it names the route or message that was not understood`,
    ),
  },
  { pattern: /^(Received|BGP Error): Cease/i, explain: ended((peer) => `read the log of ${peer} about this neighbor`) },
];

/** The meaning of what one of the ends shows as its last error; undefined for other texts. */
export function bySaying(pair: SessionPair): Explanation | undefined {
  for (const { pattern, explain } of words) {
    const end = endSaying(pair, pattern);
    if (end !== undefined) return explain(end, /^Received:/i.test(end.info), ownNode(pair, end));
  }
  return undefined;
}
