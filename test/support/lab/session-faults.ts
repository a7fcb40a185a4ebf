// Faults of a lab's BGP sessions and of BIRD. Each is visible when break() resolves.

import { printedBy } from '../program/run-program.ts';
import { until } from '../program/until.ts';
import { type Deviation, peersOf, protocolName } from './bird-config.ts';
import type { Lab } from './lab.ts';
import { ip } from './network.ts';
import type { Family, LabNode, LabPod } from './plan.ts';

/** Where a fault is injected. */
export interface At {
  readonly lab: Lab;
  readonly node: LabNode;
  readonly peer: LabNode;
  /** The node's first pod. */
  readonly pod: LabPod;
  readonly family: Family;
}

export type Heal = () => Promise<void>;
export type Break = (at: At) => Promise<Heal>;

/** Named after what is done; `id` is the finding that must be reported. */
export type Faults = Readonly<Record<string, { readonly id: string; readonly break: Break }>>;

/** When it is visible: a text at one end of a session, or a predicate over both ends. */
type Shows = RegExp | ((rows: readonly string[]) => boolean);

/**
 * Waits until the sessions of the node (with `one`: the session with the peer) show it in these families, and all other
 * sessions are established.
 */
async function untilShown(at: At, which: 'one' | 'all', shows: Shows, families: readonly Family[]): Promise<void> {
  const { lab, node, peer } = at;
  const isShown = (rows: readonly string[]): boolean =>
    typeof shows === 'function' ? shows(rows) : rows.some((row) => shows.test(row));
  const unsettled = async (): Promise<string[]> => {
    const links = await sessionRows(lab);
    return links
      .filter(({ family, ends, rows }) => {
        const isBroken = families.includes(family) && ends.includes(node) && (which === 'all' || ends.includes(peer));
        return !(isBroken ? isShown(rows) : rows.every((row) => /Established/.test(row)));
      })
      .map(({ rows }) => rows.join(' / '));
  };
  await until(
    async () => (await unsettled()).length === 0,
    async () => `${shows} is shown: ${(await unsettled()).join('\n')}`,
  );
}

interface LabSession {
  readonly family: Family;
  readonly ends: readonly [LabNode, LabNode];
  /** The state at each end; empty if that end does not have the session. */
  readonly rows: readonly [string, string];
}

/** Every session of the lab, once. */
async function sessionRows(lab: Lab): Promise<LabSession[]> {
  const { plan } = lab;
  const said = new Map<string, string[]>();
  for (const family of plan.families) {
    for (const { name } of plan.nodes) {
      said.set(`${name} ${family}`, (await lab.birdc(name, family, 'show', 'protocols')).split('\n'));
    }
  }
  const row = (node: LabNode, peer: LabNode, family: Family): string =>
    said
      .get(`${node.name} ${family}`)
      ?.find((line) => line.startsWith(`${protocolName(plan, peer.address[family])} `)) ?? '';
  return plan.families.flatMap((family) =>
    plan.nodes.flatMap((node, index) =>
      peersOf(plan, node)
        .filter((peer) => plan.nodes.indexOf(peer) > index)
        .map(
          (peer): LabSession => ({
            family,
            ends: [node, peer],
            rows: [row(node, peer, family), row(peer, node, family)],
          }),
        ),
    ),
  );
}

/** As untilShown, in all families. */
const shown =
  (which: 'one' | 'all', shows: Shows): ((at: At) => Promise<void>) =>
  (at) =>
    untilShown(at, which, shows, at.lab.plan.families);

/** Makes the BIRD configuration of some nodes deviate from the objects, in all families. */
const deviating =
  (deviationsAt: (at: At) => Readonly<Record<string, Deviation>>, shows: (at: At) => Promise<void>): Break =>
  async (at) => {
    const deviations = Object.entries(deviationsAt(at));
    for (const [node, deviation] of deviations) await at.lab.deviate(node, deviation);
    await shows(at);
    return async () => {
      for (const [node] of deviations) await at.lab.deviate(node, undefined);
    };
  };

/** Ends BIRD of a node at once, as a crash does. */
const birdEnded: Break = async ({ lab, node, family }) => {
  await lab.stopBird(node.name, family);
  return () => lab.startBird(node.name, family);
};

const otherPort: Break = async (at) => {
  const { lab, node, family } = at;
  const restart = async (deviation: Deviation | undefined): Promise<void> => {
    await lab.stopBird(node.name, family);
    await lab.deviate(node.name, deviation);
    await lab.startBird(node.name, family);
  };
  await restart({ listenPort: 1179 });
  await untilShown(at, 'all', /Connection refused/, [family]);
  return () => restart(undefined);
};

/** It dials and gets no answer. */
const unanswered = / Connect\s*$/;

const filtered: Break = async (at) => {
  const { lab, node, peer, family } = at;
  const rules = ['input', 'output'].map(
    (hook) =>
      `add chain inet lab ${hook} { type filter hook ${hook} priority 0; }\nadd rule inet lab ${hook} tcp dport 179 drop\n`,
  );
  const restartSessions = async (): Promise<void> => {
    await lab.birdc(node.name, family, 'restart', protocolName(lab.plan, peer.address[family]));
    await lab.birdc(peer.name, family, 'restart', protocolName(lab.plan, node.address[family]));
  };
  await printedBy([...lab.prefix(node.name), 'nft', '-f', '-'], `add table inet lab\n${rules.join('')}`);
  await restartSessions();
  await untilShown(at, 'one', unanswered, [family]);
  return async () => {
    await printedBy([...lab.prefix(node.name), 'nft', 'delete', 'table', 'inet', 'lab']);
    await restartSessions();
  };
};

const disabled: Break = async (at) => {
  const { lab, node, peer, family } = at;
  const name = protocolName(lab.plan, peer.address[family]);
  await lab.birdc(node.name, family, 'disable', name);
  await untilShown(at, 'one', /Administrative shutdown/, [family]);
  return async () => void (await lab.birdc(node.name, family, 'enable', name));
};

/** BIRD ignores the uplink, and no other route leads to peers in its network; pods keep their gateway. */
const nextHopUnknown: Break = async ({ lab, node, family }) => {
  const gateway = node.gateway[family];
  const far = lab.plan.networks[node.network === 0 ? 1 : 0][family];
  const all = family === 4 ? '0.0.0.0/0' : '::/0';
  const workloadGateway = family === 4 ? ['169.254.1.1/32 dev eth0 scope link'] : [];
  const own = [`${far} via ${gateway}`, ...workloadGateway];
  await ip(node.netns, ...own.map((route) => `route add ${route}`), `route del ${all}`);
  await lab.deviate(node.name, { ignoredInterfaces: ['eth0'] });
  const routes = (): Promise<string> => lab.birdc(node.name, family, 'show', 'route');
  await until(async () => /unreachable/.test(await routes()), 'next hops are unreachable');
  return async () => {
    await ip(node.netns, `route add ${all} via ${gateway}`, ...own.map((route) => `route del ${route}`));
    await lab.deviate(node.name, undefined);
  };
};

/** Waits until the kernel of a node has no route of this destination and type. */
const untilNoRoute = async ({ node, family }: At, destination: string | undefined): Promise<void> => {
  const show = (): Promise<string> =>
    printedBy(['ip', '-n', node.netns, `-${family}`, 'route', 'show', 'exact', destination ?? '']);
  await until(async () => (await show()).trim() === '', `${destination} goes from ${node.name}`);
};

/** A foreign route to the peer's block exists already: the kernel does not accept BIRD's. Without encapsulation. */
const kernelRefuses: Break = async (at) => {
  const { lab, node, peer, family } = at;
  const block = peer.block?.[family] ?? '';
  const foreign = `${block} via ${node.gateway[family]} dev eth0 proto static`;
  await lab.deviate(node.name, { kernelRejects: [block] });
  await untilNoRoute(at, block);
  await ip(node.netns, `route add ${foreign}${family === 6 ? ' metric 1024' : ''}`);
  await lab.deviate(node.name, undefined);
  const routes = (): Promise<string> => lab.birdc(node.name, family, 'show', 'route', block);
  await until(async () => (await routes()).includes('!'), 'BIRD marks its route as refused');
  return () => ip(node.netns, `route del ${foreign}`);
};

export const sessionFaults = {
  birdEnded: { id: 'F60', break: birdEnded },
  /** On the node whose address is first as a string: the others dial it. */
  otherPort: { id: 'F61', break: otherPort },
  filtered: { id: 'F62', break: filtered },
  otherAs: {
    id: 'F63',
    break: deviating(
      ({ node, peer }) => ({ [node.name]: { peers: { [peer.name]: { as: 64999 } } } }),
      shown('one', /Bad peer AS/),
    ),
  },
  /** The cluster has a password, and the node uses a different one than its peer. */
  otherPassword: {
    id: 'F64',
    break: deviating(
      ({ lab, node }) =>
        Object.fromEntries(lab.plan.nodes.map((each) => [each.name, { password: each === node ? 'one' : 'two' }])),
      shown('all', unanswered),
    ),
  },
  /** The node has a password, its peer and the cluster have none: this looks the same as a filter. */
  passwordOnOneSide: {
    id: 'F62',
    break: deviating(
      ({ node, peer }) => ({ [node.name]: { peers: { [peer.name]: { password: 'one' } } } }),
      shown('one', unanswered),
    ),
  },
  sameRouterId: {
    id: 'F65',
    break: deviating(
      ({ node, peer }) => ({ [node.name]: { routerId: peer.address[4] } }),
      shown('one', /Bad BGP identifier/),
    ),
  },
  /** The node has its own AS number, which all others know. On a node behind the router. */
  ownAs: {
    id: 'F66',
    break: deviating(({ node }) => ({ [node.name]: { localAs: 64513 } }), shown('all', / Idle\s*$/)),
  },
  disabled: { id: 'F100', break: disabled },
  /** The node's configuration lacks the peer. */
  peerMissing: {
    id: 'F96',
    break: deviating(
      ({ node, peer }) => ({ [node.name]: { peers: { [peer.name]: { absent: true } } } }),
      shown('one', (rows) => rows.every((row) => !/Established/.test(row))),
    ),
  },
  nextHopUnknown: { id: 'F93', break: nextHopUnknown },
  /** BIRD has a route to the peer's block, the kernel does not. Without encapsulation. */
  kernelLacksRoute: {
    id: 'F97',
    break: deviating(
      ({ node, peer, family }) => ({ [node.name]: { kernelRejects: [peer.block?.[family] ?? ''] } }),
      (at) => untilNoRoute(at, at.peer.block?.[at.family]),
    ),
  },
  kernelRefuses: { id: 'F97', break: kernelRefuses },
  /** Without encapsulation. */
  kernelLacksOwnBlock: {
    id: 'F45',
    break: deviating(
      ({ node, family }) => ({ [node.name]: { kernelRejects: [node.block?.[family] ?? ''] } }),
      (at) => untilNoRoute(at, at.node.block?.[at.family]),
    ),
  },
} as const satisfies Faults;
