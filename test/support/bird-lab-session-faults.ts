// Faults of a lab's BGP sessions and of what BIRD makes of them. Each shows when break resolves.
import type { Lab } from './bird-lab.ts';
import { type Deviation, protocolName } from './bird-lab-config.ts';
import { ip } from './bird-lab-network.ts';
import type { Family, LabNode, LabPod } from './bird-lab-plan.ts';
import { printedBy, untilTrue } from './programs.ts';

/** Where a fault is made. */
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

/** By a name that says what is done; `id` is how it is to be called when it is found. */
export type Faults = Readonly<Record<string, { readonly id: string; readonly break: Break }>>;

const row = async ({ lab, family }: At, node: LabNode, peer: LabNode): Promise<string> => {
  const text = await lab.birdc(node.name, family, 'show', 'protocols');
  return text.split('\n').find((line) => line.startsWith(`${protocolName(lab.plan, peer.address[family])} `)) ?? '';
};

/** Until BIRD of one node or the other says so of their session. */
async function untilSaid(at: At, pattern: RegExp): Promise<void> {
  const rows = async (): Promise<string[]> => [await row(at, at.node, at.peer), await row(at, at.peer, at.node)];
  await untilTrue(
    async () => `${pattern}: ${(await rows()).join(' / ')}`,
    async () => (await rows()).some((text) => pattern.test(text)),
  );
}

/** Until it shows in all families. */
const everywhere =
  (shows: (at: At) => Promise<void>): ((at: At) => Promise<void>) =>
  async (at) => {
    for (const family of at.lab.plan.families) await shows({ ...at, family });
  };

const said = (pattern: RegExp): ((at: At) => Promise<void>) => everywhere((at) => untilSaid(at, pattern));

/** Has BIRD of some nodes say something other than the cluster, in all families. */
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
  await untilSaid(at, /Connection refused/);
  return () => restart(undefined);
};

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
  await untilSaid(at, / Connect\s*$/);
  return async () => {
    await printedBy([...lab.prefix(node.name), 'nft', 'delete', 'table', 'inet', 'lab']);
    await restartSessions();
  };
};

const disabled: Break = async (at) => {
  const { lab, node, peer, family } = at;
  const name = protocolName(lab.plan, peer.address[family]);
  await lab.birdc(node.name, family, 'disable', name);
  await untilSaid(at, /Administrative shutdown/);
  return async () => void (await lab.birdc(node.name, family, 'enable', name));
};

/** BIRD must not look at the uplink, and no other route leads to the peers of its network; pods have their gateway. */
const nextHopUnknown: Break = async ({ lab, node, family }) => {
  const gateway = node.gateway[family];
  const far = lab.plan.networks[node.network === 0 ? 1 : 0][family];
  const all = family === 4 ? '0.0.0.0/0' : '::/0';
  const workloadGateway = family === 4 ? ['169.254.1.1/32 dev eth0 scope link'] : [];
  const own = [`${far} via ${gateway}`, ...workloadGateway];
  await ip(node.netns, ...own.map((route) => `route add ${route}`), `route del ${all}`);
  await lab.deviate(node.name, { ignoredInterfaces: ['eth0'] });
  const routes = (): Promise<string> => lab.birdc(node.name, family, 'show', 'route');
  await untilTrue('next hops are unreachable', async () => /unreachable/.test(await routes()));
  return async () => {
    await ip(node.netns, `route add ${all} via ${gateway}`, ...own.map((route) => `route del ${route}`));
    await lab.deviate(node.name, undefined);
  };
};

/** The kernel of a node has no route of this destination and type any more. */
const untilNoRoute = async ({ node, family }: At, destination: string | undefined): Promise<void> => {
  const show = (): Promise<string> =>
    printedBy(['ip', '-n', node.netns, `-${family}`, 'route', 'show', 'exact', destination ?? '']);
  await untilTrue(`${destination} goes from ${node.name}`, async () => (await show()).trim() === '');
};

/** Somebody else's route to the peer's block was there first: the kernel does not take BIRD's. Without encapsulation. */
const kernelRefuses: Break = async (at) => {
  const { lab, node, peer, family } = at;
  const block = peer.block?.[family] ?? '';
  const foreign = `${block} via ${node.gateway[family]} dev eth0 proto static`;
  await lab.deviate(node.name, { kernelRejects: [block] });
  await untilNoRoute(at, block);
  await ip(node.netns, `route add ${foreign}${family === 6 ? ' metric 1024' : ''}`);
  await lab.deviate(node.name, undefined);
  const routes = (): Promise<string> => lab.birdc(node.name, family, 'show', 'route', block);
  await untilTrue('BIRD marks its route as refused', async () => (await routes()).includes('!'));
  return () => ip(node.netns, `route del ${foreign}`);
};

export const sessionFaults = {
  birdEnded: { id: 'F60', break: birdEnded },
  /** At the node whose address is first as a text: the others dial it. */
  otherPort: { id: 'F61', break: otherPort },
  filtered: { id: 'F62', break: filtered },
  otherAs: {
    id: 'F63',
    break: deviating(
      ({ node, peer }) => ({ [node.name]: { peers: { [peer.name]: { as: 64999 } } } }),
      said(/Bad peer AS/),
    ),
  },
  /** The cluster has a password, and the node another one than its peer. */
  otherPassword: {
    id: 'F64',
    break: deviating(
      ({ lab, node }) =>
        Object.fromEntries(lab.plan.nodes.map((each) => [each.name, { password: each === node ? 'one' : 'two' }])),
      said(/ Connect\s*$/),
    ),
  },
  /** The node has a password, its peer and the cluster have none: cannot be told from a filter. */
  passwordOnOneSide: {
    id: 'F62',
    break: deviating(
      ({ node, peer }) => ({ [node.name]: { peers: { [peer.name]: { password: 'one' } } } }),
      said(/ Connect\s*$/),
    ),
  },
  sameRouterId: {
    id: 'F65',
    break: deviating(({ node, peer }) => ({ [node.name]: { routerId: peer.address[4] } }), said(/Bad BGP identifier/)),
  },
  /** The node has an AS of its own, and everybody knows. At a node behind the router. */
  ownAs: {
    id: 'F66',
    break: deviating(({ node }) => ({ [node.name]: { localAs: 64513 } }), said(/ Idle\s*$/)),
  },
  disabled: { id: 'F100', break: disabled },
  /** The node's configuration lacks the peer. */
  peerMissing: {
    id: 'F96',
    break: deviating(
      ({ node, peer }) => ({ [node.name]: { peers: { [peer.name]: { absent: true } } } }),
      everywhere((at) =>
        untilTrue('the peer is alone', async () => !/Established/.test(await row(at, at.peer, at.node))),
      ),
    ),
  },
  nextHopUnknown: { id: 'F93', break: nextHopUnknown },
  /** BIRD has the peer's block, the kernel does not. Without encapsulation. */
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
