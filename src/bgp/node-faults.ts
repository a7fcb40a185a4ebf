// Faults of a node as a whole, each with the sessions that are down because of it; those are not told one by one.
import { formatCidr } from '../net/cidr.ts';
import { formatIp, type IpAddress } from '../net/ip.ts';
import { groupBy } from '../node-state/group-by.ts';
import { isSameAddress } from '../node-state/lookups.ts';
import { counted, listed } from '../text/wording.ts';
import type { DiagnosisInput } from './diagnosis-input.ts';
import { type BgpFinding, bgpFinding, type SessionName } from './finding.ts';
import type { ObservedSession } from './observed-sessions.ts';
import { hasNoBird, isUp, peerText, type SessionPair } from './session-pairs.ts';

const families = [4, 6] as const;

const nameOfRow = ({ node, version, protocol }: ObservedSession): SessionName => ({ node, version, protocol });

/** The ends of these sessions that are not up. */
const downEnds = (pairs: readonly SessionPair[]): SessionName[] =>
  pairs.flatMap(({ near, far }) =>
    [near, far].filter((row) => row !== undefined && !isUp(row)).map((row) => nameOfRow(row as ObservedSession)),
  );

const isAt = ({ near, farNode }: SessionPair, node: string): boolean => near.node === node || farNode?.name === node;

const pairsAt = (facts: DiagnosisInput, node: string, version: 4 | 6): SessionPair[] =>
  facts.pairs.filter((pair) => pair.version === version && isAt(pair, node));

/** F60: nodes without BIRD. When nobody has it, that is one fault, or none where nothing needs it. */
function withoutBird(facts: DiagnosisInput): BgpFinding[] {
  const absent = facts.states.flatMap(({ node }) =>
    families
      .filter((version) => facts.known(node).node?.address[version] !== undefined)
      .filter((version) => hasNoBird(facts.known(node), version))
      .map((version) => ({ node, version })),
  );
  const nowhere = facts.states.every(({ node }) => families.every((version) => hasNoBird(facts.known(node), version)));
  const hint = "see calico-node there: its container, BIRD's opinion of its configuration, the networking backend";
  if (nowhere && facts.states.length > 0 && !facts.bgpNeeded) return [];
  if (nowhere && facts.states.length > 1) {
    const names = facts.states.map(({ node }) => node);
    const message = `BIRD runs on none of the ${names.length} nodes that were asked: ${listed(names)}`;
    return [bgpFinding('F60', names[0] ?? '', { nodes: names, message, hint })];
  }
  return absent.flatMap(({ node, version }) => {
    const peers = facts.plan.index.sessions(node, version);
    if (peers.length === 0) return [];
    const names = peers.map(({ peerNode, peer }) => peerNode ?? formatIp(peer));
    const pairs = pairsAt(facts, node, version);
    // A BIRD that has gone takes its connections with it at once.
    const witnesses = pairs.filter(({ near }) => near.node !== node && isUp(near)).map(({ near }) => near.node);
    const message =
      witnesses.length === 0
        ? `BIRD does not run on ${node}: no session with ${listed(names)}`
        : `nobody answers at the control socket of BIRD on ${node}, though it has sessions with ${listed(witnesses)}`;
    const object = { kind: 'Node', name: node };
    return [bgpFinding('F60', node, { version, message, hint, object, sessions: downEnds(pairs) })];
  });
}

/** F51: nodes with one address. */
function sharedAddresses(facts: DiagnosisInput): BgpFinding[] {
  return families.flatMap((version) => {
    const owners = groupBy(
      facts.plan.nodes.filter(({ address }) => address[version] !== undefined),
      ({ address }) => formatIp(address[version] as IpAddress),
    );
    return [...owners].flatMap(([shared, twins]) => {
      const [first, second] = twins;
      if (first === undefined || second === undefined) return [];
      const names = twins.map(({ name }) => name);
      const pairs = facts.pairs.filter((pair) => pair.version === version && names.some((name) => isAt(pair, name)));
      return [
        bgpFinding('F51', first.name, {
          nodes: names,
          ...{ version, peer: second.name, object: { kind: 'Node', name: first.name } },
          message: `${listed(names)} have one address, ${shared}`,
          hint: 'find out which of them detected a wrong one (IP_AUTODETECTION_METHOD)',
          sessions: downEnds(pairs),
        }),
      ];
    });
  });
}

/** F53: the address that the resources have is on none of the node's devices. */
function absentAddresses(facts: DiagnosisInput): BgpFinding[] {
  return facts.states.flatMap(({ node, addresses }) =>
    families.flatMap((version) => {
      const own = facts.known(node).node?.address[version];
      if (own === undefined || !addresses.seen || addresses.value.some(({ address }) => isSameAddress(address, own)))
        return [];
      return [
        bgpFinding('F53', node, {
          ...{ version, object: { kind: 'Node', name: node } },
          message: `no device of ${node} has ${formatIp(own)}, the address in its Node object`,
          hint: 'restart calico-node there, or correct the address',
          sessions: downEnds(pairsAt(facts, node, version)),
        }),
      ];
    }),
  );
}

/** F65: BIRDs that go by one router id. */
function sharedRouterIds(facts: DiagnosisInput): BgpFinding[] {
  return families.flatMap((version) => {
    const byId = new Map<string, string[]>();
    for (const { node, bird } of facts.states) {
      const { status } = bird[version];
      const id = status.seen ? status.value.routerId : undefined;
      if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), node]);
    }
    return [...byId].flatMap(([id, names]) => {
      if (names.length < 2) return [];
      const pairs = facts.pairs.filter(
        ({ near, far, farNode, version: of }) =>
          of === version &&
          names.includes(near.node) &&
          names.includes(farNode?.name ?? '') &&
          [near, far].some((row) => /Bad BGP identifier/i.test(row?.info ?? '')),
      );
      return [
        bgpFinding('F65', names[0] as string, {
          nodes: names,
          ...{ version, peer: names[1], object: { kind: 'Node', name: names[0] as string } },
          message: `${listed(names)} have one router id, ${id}`,
          hint: 'give one of them another address, or another CALICO_ROUTER_ID',
          sessions: downEnds(pairs),
        }),
      ];
    });
  });
}

/** F96: BIRD's configuration is not what the resources ask for. */
function staleConfigurations(facts: DiagnosisInput): BgpFinding[] {
  return facts.states.flatMap(({ node, bird }) =>
    families.flatMap((version) => {
      const rows = facts.rowsOf(node, version);
      const missing = rows.filter(({ state }) => state === 'Missing');
      const extra = rows.filter((row) => row.extra);
      if (missing.length + extra.length === 0) return [];
      const { status } = bird[version];
      const since = status.seen ? status.value.lastReconfiguration : undefined;
      const lastly = since === undefined ? '' : `; last configured ${since}`;
      const parts = [
        ...(missing.length === 0 ? [] : [`does not have ${listed(missing.map(peerText))}`]),
        ...(extra.length === 0 ? [] : [`has ${listed(extra.map(peerText))}, which nothing asks for`]),
      ];
      const touched = facts.pairs.filter(
        ({ near, far }) =>
          [...missing, ...extra].includes(near) || (far !== undefined && [...missing, ...extra].includes(far)),
      );
      return [
        bgpFinding('F96', node, {
          ...{ version, object: { kind: 'Node', name: node } },
          message: `BIRD on ${node} ${parts.join(' and ')}${lastly}`,
          hint: 'confd could not write or check the configuration: see its log in calico-node there',
          sessions: downEnds(touched),
        }),
      ];
    }),
  );
}

/** F69: nothing goes to the kernel while BIRD waits for its old peers. */
function recovering(facts: DiagnosisInput): BgpFinding[] {
  return facts.states.flatMap(({ node, bird }) =>
    families.flatMap((version) => {
      const { status, protocols } = bird[version];
      const restart = status.seen ? status.value.gracefulRestart : undefined;
      const waits =
        protocols.seen && protocols.value.some(({ proto, state }) => proto === 'Kernel' && state === 'wait');
      if (restart === undefined && !waits) return [];
      const whom = restart?.waitingFor === undefined ? '' : ` for ${counted(restart.waitingFor, 'protocol')}`;
      const timer = restart?.timer === undefined ? '' : ` (${restart.timer})`;
      return [
        bgpFinding('F69', node, {
          version,
          message: `BIRD on ${node} was restarted and waits${whom}${timer}: no route goes to the kernel yet`,
          hint: 'it ends by itself after 240 s at most; a peer that is gone for good is worth removing',
        }),
      ];
    }),
  );
}

/** F93 and F97: routes that BGP brought and that lead nowhere. */
function uselessRoutes(facts: DiagnosisInput): BgpFinding[] {
  return facts.states.flatMap(({ node, bird }) =>
    families.flatMap((version) => {
      const { routes, protocols } = bird[version];
      if (!routes.seen) return [];
      const bgp = new Set(
        (protocols.seen ? protocols.value : []).filter(({ proto }) => proto === 'BGP').map(({ name }) => name),
      );
      const learned = routes.value.filter(({ protocol }) => bgp.has(protocol));
      const unresolved = learned.filter(({ target, metric }) => target === 'unreachable' || metric === '-');
      const refused = learned.filter(({ kernelRefused }) => kernelRefused === true);
      const list = (some: typeof learned): string =>
        listed(
          some.map(({ destination }) => formatCidr(destination)),
          3,
        );
      const hops = [...new Set(unresolved.flatMap(({ attributes }) => attributes['BGP.next_hop'] ?? []))];
      const through = hops.length === 0 ? '' : ` (${listed(hops, 3)})`;
      return [
        ...(unresolved.length === 0
          ? []
          : [
              bgpFinding('F93', node, {
                version,
                message: `BIRD on ${node} cannot reach the next hop${through} of ${counted(unresolved.length, 'route')}: ${list(unresolved)}`,
                hint: 'is the uplink among ignoredInterfaces, is there a route to the next hop, which nextHopMode has the peer?',
                object: { kind: 'BGPConfiguration', name: 'default' },
              }),
            ]),
        ...(refused.length === 0
          ? []
          : [
              bgpFinding('F97', node, {
                version,
                message: `the kernel of ${node} refused ${counted(refused.length, 'route')} of BIRD: ${list(refused)}`,
                hint: 'look for a route to the same network that somebody else made: ip route show',
              }),
            ]),
      ];
    }),
  );
}

/** F110: policy and routes of such a node are as they were when Felix stopped. */
function withoutFelix(facts: DiagnosisInput): BgpFinding[] {
  return facts.states.flatMap(({ node, felix }) =>
    felix.seen && (felix.value === 'not live' || felix.value === 'not running')
      ? [
          bgpFinding('F110', node, {
            message: `Felix on ${node} is ${felix.value}`,
            hint: 'see the log of calico-node there; its rules and routes are no longer kept up to date',
            object: { kind: 'Node', name: node },
          }),
        ]
      : [],
  );
}

/** The faults of nodes, those first that explain most. */
export function nodeFindings(facts: DiagnosisInput): BgpFinding[] {
  return [
    ...[withoutBird, sharedAddresses, absentAddresses, sharedRouterIds, staleConfigurations],
    ...[recovering, uselessRoutes, withoutFelix],
  ].flatMap((find) => find(facts));
}
