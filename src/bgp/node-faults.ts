// Faults of a node as a whole, each with the sessions that are down because of it; those are not reported one by one.
import { faults } from '../faults/faults.ts';
import { sharedHints, sharedNodeAddresses } from '../faults/shared-findings.ts';
import { cidrContains, formatCidr } from '../net/cidr.ts';
import { formatIp, parseIp } from '../net/ip.ts';
import { deviceOf, isUnresolved } from '../node-state/lookups.ts';
import { counted, listed } from '../text/wording.ts';
import type { DiagnosisInput } from './diagnosis-input.ts';
import { type BgpFinding, bgpFinding, type SessionName } from './finding.ts';
import { type BgpState, isBirdBusy, type ObservedSession } from './observed-sessions.ts';
import { hasNoBird, isUp, peerText, type SessionPair } from './session-pairs.ts';

const families = [4, 6] as const;

const sessionName = ({ node, version, protocol }: ObservedSession): SessionName => ({ node, version, protocol });

/** The ends of these sessions that are not up. */
const downEnds = (pairs: readonly SessionPair[]): SessionName[] =>
  pairs.flatMap(({ near, far }) =>
    [near, far].flatMap((end) => (end === undefined || isUp(end) ? [] : sessionName(end))),
  );

const isAt = ({ near, farNode }: SessionPair, node: string): boolean => near.node === node || farNode?.name === node;

const pairsAt = ({ pairs }: DiagnosisInput, node: string, version: 4 | 6): SessionPair[] =>
  pairs.filter((pair) => pair.version === version && isAt(pair, node));

/** What a rule finds on each node in each family. */
function onEachNode(
  { states }: DiagnosisInput,
  find: (state: BgpState, version: 4 | 6) => readonly BgpFinding[],
): BgpFinding[] {
  return states.flatMap((state) => families.flatMap((version) => find(state, version)));
}

/** The families that a node speaks; those of the plan, IPv4 when it has no address. */
function spoken(input: DiagnosisInput, node: string): (4 | 6)[] {
  const own = families.filter((version) => input.known(node).node?.address[version] !== undefined);
  return own.length === 0 ? [4] : own;
}

/** F60: nodes without BIRD. When no node has it, that is one finding, or none where nothing needs BGP. */
function withoutBird(input: DiagnosisInput): BgpFinding[] {
  const absent = input.states.flatMap(({ node }) => {
    const versions = families
      .filter((version) => input.known(node).node?.address[version] !== undefined)
      .filter((version) => hasNoBird(input.known(node), version));
    return versions.length === 0 ? [] : [{ node, versions }];
  });
  const nowhere = input.states.every(({ node }) =>
    spoken(input, node).every((version) => hasNoBird(input.known(node), version)),
  );
  const hint = 'check calico-node there: its container, whether BIRD accepts its configuration, the networking backend';
  if (nowhere && input.states.length > 0 && !input.bgpNeeded) return [];
  if (nowhere && input.states.length > 1) {
    const nodes = input.states.map(({ node }) => node);
    const message = `BIRD runs on none of the ${nodes.length} nodes that were queried: ${listed(nodes)}`;
    return [bgpFinding(faults.birdDown, nodes[0] ?? '', { nodes, message, hint })];
  }
  return absent.flatMap(({ node, versions }) => {
    const wanted = versions.flatMap((version) => input.plan.index.sessions(node, version));
    if (wanted.length === 0) return [];
    const peers = [...new Set(wanted.map(({ peerNode, peer }) => peerNode ?? formatIp(peer)))];
    const pairs = versions.flatMap((version) => pairsAt(input, node, version));
    const version = versions.length === 1 ? versions[0] : undefined;
    // A BIRD that is gone takes its connections with it at once.
    const up = pairs.filter(({ near }) => near.node !== node && isUp(near)).map(({ near }) => near.node);
    const witnesses = [...new Set(up)];
    const message =
      witnesses.length === 0
        ? `BIRD is not running on ${node}: no session with ${listed(peers)}`
        : `the control socket of BIRD on ${node} does not answer, although it has sessions with ${listed(witnesses)}`;
    const object = { kind: 'Node', name: node };
    return [bgpFinding(faults.birdDown, node, { version, message, hint, object, sessions: downEnds(pairs) })];
  });
}

/** F107: BIRD is there and reads its socket no more, and its peers lost it. */
function hangingBird(input: DiagnosisInput): BgpFinding[] {
  return onEachNode(input, ({ node, bird }, version) => {
    if (!isBirdBusy(bird[version])) return [];
    const pairs = pairsAt(input, node, version).filter(({ near, far }) =>
      [near, far].some((end) => end !== undefined && !isUp(end)),
    );
    if (pairs.length === 0) return [];
    const lost = pairs.map(({ near }) => (near.node === node ? peerText(near) : near.node));
    return [
      bgpFinding(faults.birdHangs, node, {
        version,
        message: `BIRD on ${node} hangs: its control socket does not answer (Resource temporarily unavailable), and it has lost its sessions with ${listed(lost)}`,
        object: { kind: 'Node', name: node },
        hint: 'look at it there: the log of BIRD in calico-node, and whether the node is short of CPU or memory',
        sessions: downEnds(pairs),
      }),
    ];
  });
}

/** F108: nodes that were not reached, are not ready for Kubernetes either, and have no session that is up. */
function nodesOff(input: DiagnosisInput): BgpFinding[] {
  return input.plan.nodes.flatMap(({ name, ready }) => {
    const known = input.known(name);
    if (ready === undefined || ready === 'True' || known.notQueried === undefined) return [];
    const pairs = input.pairs.filter((pair) => isAt(pair, name));
    if (pairs.length === 0 || pairs.some(({ near }) => isUp(near))) return [];
    const peers = [...new Set(pairs.map(({ near }) => near.node))];
    return [
      bgpFinding(faults.nodeNotReady, name, {
        message: `${name} is not ready (Ready is ${ready}) and could not be asked: no session with ${listed(peers)}`,
        object: { kind: 'Node', name },
        hint: `bring the machine back: kubectl describe node ${name} shows since when it has been gone`,
        sessions: downEnds(pairs),
      }),
    ];
  });
}

/** F51: nodes with the same address. */
function sharedAddresses({ plan, pairs }: DiagnosisInput): BgpFinding[] {
  return families.flatMap((version) => {
    const addressed = plan.nodes.flatMap(({ name, address: { [version]: address } }) =>
      address === undefined ? [] : [{ name, address }],
    );
    return sharedNodeAddresses(addressed).map(({ names, finding }) => {
      const touched = pairs.filter((pair) => pair.version === version && names.some((name) => isAt(pair, name)));
      return bgpFinding(faults.duplicateNodeAddress, finding.node, {
        ...finding,
        nodes: names,
        version,
        sessions: downEnds(touched),
      });
    });
  });
}

/** F53: no interface of the node has the address that its Node object says. */
function absentAddresses(input: DiagnosisInput): BgpFinding[] {
  return onEachNode(input, ({ node, addresses }, version) => {
    const own = input.known(node).node?.address[version];
    if (own === undefined || !addresses.seen || deviceOf(addresses.value, own) !== undefined) return [];
    return [
      bgpFinding(faults.nodeAddressAbsent, node, {
        version,
        message: `no interface of ${node} has ${formatIp(own)}, the address in its Node object`,
        object: { kind: 'Node', name: node },
        hint: sharedHints.nodeAddressAbsent,
        sessions: downEnds(pairsAt(input, node, version)),
      }),
    ];
  });
}

/** F65: nodes whose BIRDs use the same router ID. */
function sharedRouterIds({ states, pairs }: DiagnosisInput): BgpFinding[] {
  return families.flatMap((version) => {
    const byId = new Map<string, string[]>();
    for (const { node, bird } of states) {
      const { status } = bird[version];
      const id = status.seen ? status.value.routerId : undefined;
      if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), node]);
    }
    return [...byId].flatMap(([id, nodes]) => {
      const [first, second] = nodes;
      if (first === undefined || second === undefined) return [];
      const refused = pairs.filter(
        ({ near, far, farNode, version: of }) =>
          of === version &&
          nodes.includes(near.node) &&
          nodes.includes(farNode?.name ?? '') &&
          [near, far].some((end) => /Bad BGP identifier/i.test(end?.info ?? '')),
      );
      return [
        bgpFinding(faults.duplicateRouterId, first, {
          nodes,
          version,
          peer: second,
          message: `${listed(nodes)} share router ID ${id}`,
          object: { kind: 'Node', name: first },
          hint: 'give one of them another address, or another CALICO_ROUTER_ID',
          sessions: downEnds(refused),
        }),
      ];
    });
  });
}

/** F96: BIRD's configuration is not what the resources ask for. */
function staleConfigurations(input: DiagnosisInput): BgpFinding[] {
  if (!input.planIsKnown) return [];
  return onEachNode(input, ({ node, bird }, version) => {
    const sessions = input.sessionsOf(node, version);
    const missing = sessions.filter(({ state }) => state === 'Missing');
    const extra = sessions.filter((session) => session.extra);
    const wrong = [...missing, ...extra];
    if (wrong.length === 0) return [];
    const { status } = bird[version];
    const since = status.seen ? status.value.lastReconfiguration : undefined;
    const parts = [
      ...(missing.length === 0 ? [] : [`lacks a session with ${listed(missing.map(peerText))}`]),
      ...(extra.length === 0 ? [] : [`has one with ${listed(extra.map(peerText))} that no resource configures`]),
    ];
    const touched = input.pairs.filter(
      ({ near, far }) => wrong.includes(near) || (far !== undefined && wrong.includes(far)),
    );
    return [
      bgpFinding(faults.birdConfigurationStale, node, {
        version,
        message: `BIRD on ${node} ${parts.join(' and ')}${since === undefined ? '' : `; last configured ${since}`}`,
        object: { kind: 'Node', name: node },
        hint: 'check the log of confd in calico-node there: it could not write or check the configuration',
        sessions: downEnds(touched),
      }),
    ];
  });
}

/** F69: nothing goes to the kernel while BIRD waits for its former peers. */
function recovering(input: DiagnosisInput): BgpFinding[] {
  return onEachNode(input, ({ node, bird }, version) => {
    const { status, protocols } = bird[version];
    const restart = status.seen ? status.value.gracefulRestart : undefined;
    const waits = protocols.seen && protocols.value.some(({ proto, state }) => proto === 'Kernel' && state === 'wait');
    if (restart === undefined && !waits) return [];
    const whom = restart?.waitingFor === undefined ? '' : ` for ${counted(restart.waitingFor, 'protocol')}`;
    const timer = restart?.timer === undefined ? '' : ` (${restart.timer})`;
    return [
      bgpFinding(faults.birdRecovering, node, {
        version,
        message: `BIRD on ${node} was restarted and waits${whom}${timer}: no routes go to the kernel yet`,
        hint: 'wait: it takes 240 seconds at most',
      }),
    ];
  });
}

/** F93 and F97: routes learned by BGP that lead nowhere. */
function uselessRoutes(input: DiagnosisInput): BgpFinding[] {
  return onEachNode(input, ({ node, bird }, version) => {
    const { routes, protocols } = bird[version];
    if (!routes.seen) return [];
    const bgp = new Set(
      (protocols.seen ? protocols.value : []).filter(({ proto }) => proto === 'BGP').map(({ name }) => name),
    );
    const learned = routes.value.filter(({ protocol }) => bgp.has(protocol));
    const unresolved = learned.filter(isUnresolved);
    const refused = learned.filter(({ kernelRefused }) => kernelRefused === true);
    const destinations = (some: typeof learned): string =>
      listed(
        some.map(({ destination }) => formatCidr(destination)),
        3,
      );
    const hopsOf = (some: typeof learned): string[] => [
      ...new Set(some.flatMap(({ attributes }) => attributes['BGP.next_hop'] ?? [])),
    ];
    const hopsText = (some: typeof learned): string => {
      const hops = hopsOf(some);
      return hops.length === 0 ? '' : ` (${listed(hops, 3)})`;
    };
    const through = hopsText(unresolved);
    const network = input.known(node).node?.network[version];
    /** What to do when all next hops are outside of the node's network. */
    const offLink = (some: typeof learned): string | undefined => {
      const hops = hopsOf(some).flatMap((text) => parseIp(text.split(' ')[0] ?? '') ?? []);
      const [first] = hops;
      if (first === undefined || network === undefined || hops.some((hop) => cidrContains(network, hop)))
        return undefined;
      return sharedHints.nextHopElsewhere(formatIp(first), ' of the pool');
    };
    const findings: BgpFinding[] = [];
    if (unresolved.length > 0) {
      findings.push(
        bgpFinding(faults.nextHopUnreachable, node, {
          version,
          message: `BIRD on ${node} cannot reach the next hop${through} of ${counted(unresolved.length, 'route')}: ${destinations(unresolved)}`,
          object: { kind: 'BGPConfiguration', name: 'default' },
          hint: offLink(unresolved) ?? sharedHints.nextHopUnreachable,
        }),
      );
    }
    if (refused.length > 0) {
      findings.push(
        bgpFinding(faults.routeNotInstalled, node, {
          version,
          message: `the kernel of ${node} refused ${counted(refused.length, 'route')} of BIRD${hopsText(refused)}: ${destinations(refused)}`,
          hint: offLink(refused) ?? sharedHints.routeNotInstalled,
        }),
      );
    }
    return findings;
  });
}

/** F110: policy and routes of such a node are as they were when Felix stopped. */
function withoutFelix({ states }: DiagnosisInput): BgpFinding[] {
  return states.flatMap(({ node, felix }) =>
    felix.seen && (felix.value === 'not live' || felix.value === 'not running')
      ? [
          bgpFinding(faults.felixDown, node, {
            message: `Felix on ${node} is ${felix.value}`,
            object: { kind: 'Node', name: node },
            hint: 'check the log of calico-node there; until then rules and routes of the node are not updated',
          }),
        ]
      : [],
  );
}

/** Faults of nodes, those first that explain the most sessions. */
export function nodeFindings(input: DiagnosisInput): BgpFinding[] {
  const rules = [
    withoutBird,
    hangingBird,
    nodesOff,
    sharedAddresses,
    absentAddresses,
    sharedRouterIds,
    staleConfigurations,
    recovering,
    uselessRoutes,
    withoutFelix,
  ];
  return rules.flatMap((find) => find(input));
}
