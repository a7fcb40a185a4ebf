// The same commands on the nodes of a lab over every transport, and which parts of the results may differ.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Ran, run, TestClock } from '../program/world.ts';
import type { ApiServer } from '../servers/api-server.ts';
import type { Lab } from './lab.ts';
import type { LabSshd } from './sshd.ts';

export const nodeCommands = ['status', 'bgp', 'routes', 'verify'] as const;
export type NodeCommand = (typeof nodeCommands)[number];

export interface Way {
  readonly name: string;
  readonly flags: readonly string[];
  /** What it reports for a healthy Felix: its own check runs in its container only, elsewhere it is a process. */
  readonly felix: 'live' | 'running';
  /** The files of a node are not in its network namespace. */
  readonly seesFiles: boolean;
  /** The commands run on a snapshot that is saved over this transport at that moment. */
  readonly recorded: boolean;
}

/** The transports to the nodes of a lab that a server knows. */
export function waysTo(lab: Lab, server: ApiServer, sshd: LabSshd): readonly Way[] {
  const cluster = ['--kubeconfig', server.kubeconfig];
  const inContainer = { flags: cluster, felix: 'live', seesFiles: true } as const;
  const ssh = { flags: [...cluster, ...sshd.flags()], felix: 'running', seesFiles: true } as const;
  return [
    { ...inContainer, name: "the API server's exec", recorded: false },
    { ...inContainer, name: "a snapshot by the API server's exec", recorded: true },
    { ...ssh, name: 'SSH', recorded: false },
    { ...ssh, name: 'a snapshot by SSH', recorded: true },
    { ...ssh, name: "the system's ssh", flags: [...cluster, ...sshd.flags('ssh')], recorded: false },
    {
      name: 'network namespaces',
      flags: [...cluster, '--via', lab.via, '--bird-dir', lab.birdFolder],
      felix: 'running',
      seesFiles: false,
      recorded: false,
    },
  ];
}

/** The real clock. */
class RunningClock extends TestClock {
  override now(): Date {
    return new Date();
  }

  override nowNs(): bigint {
    return BigInt(Date.now()) * 1_000_000n;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return setTimeout(ms, undefined, { signal });
  }
}

/** Runs a command line with an environment and the real clock. */
function runHere(argv: readonly string[]): Promise<Ran> {
  const clock = new RunningClock('2025-06-15T16:00:00Z');
  return run(argv, { env: { PATH: process.env['PATH'] ?? '' }, cwd: tmpdir(), clock });
}

interface Problem {
  readonly id: string;
  readonly severity: string;
  readonly node: string;
  readonly message: string;
}

interface Fact {
  readonly fact: string;
  readonly verdict: string;
}

/** What is reported for a node, or for a session of it. */
interface Item {
  readonly node: string;
  readonly state?: string;
  readonly felix?: string;
  readonly peers?: readonly { readonly node: string; readonly state: string }[];
  readonly right?: number;
  readonly facts?: readonly Fact[];
  readonly routes?: readonly { readonly verdict: string }[];
}

interface Unreached {
  readonly node: string;
  readonly code: string;
  readonly ipVersion?: number;
  readonly message: string;
}

/** The parts of the documents that are looked at here. */
interface Document {
  readonly items: readonly Item[];
  readonly problems: readonly Problem[];
  readonly unreached: readonly Unreached[];
}

export interface Answer {
  readonly code: number;
  readonly stderr: string;
  readonly document: Document;
}

export type Answers = Readonly<Record<NodeCommand, Answer>>;

/** The result of a command for all nodes, including everything that is right. */
export async function askNode(command: NodeCommand, flags: readonly string[], node?: string): Promise<Answer> {
  const all = command === 'routes' || command === 'verify' ? ['--all'] : [];
  const { code, stdout, stderr } = await runHere([
    'node',
    command,
    ...(node === undefined ? [] : [node]),
    '-o',
    'json',
    ...all,
    ...flags,
  ]);
  if (stdout === '') throw new Error(`node ${command} ${flags.join(' ')} ended with ${code}: ${stderr}`);
  return { code, stderr, document: JSON.parse(stdout) as Document };
}

async function askAll(flags: readonly string[]): Promise<Answers> {
  const answers = nodeCommands.map(async (command) => [command, await askNode(command, flags)] as const);
  return Object.fromEntries(await Promise.all(answers)) as Record<NodeCommand, Answer>;
}

/** The results of all commands over one transport. */
export async function askBy({ flags, recorded }: Pick<Way, 'flags' | 'recorded'>): Promise<Answers> {
  if (!recorded) return askAll(flags);
  const folder = mkdtempSync(join(tmpdir(), 'calictl-ways-'));
  try {
    const file = join(folder, 'lab.tgz');
    const { code, stderr } = await runHere(['snapshot', 'save', file, '--nodes', ...flags]);
    // Unreachable nodes are part of it.
    if (code !== 0 && code !== 5) throw new Error(`snapshot save ended with ${code}: ${stderr}`);
    return await askAll(['--datastore', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Two readings in a row differ in these too. BIRD computes some of them each time, a second up or down. */
const times = new Set(['since', 'serverTime', 'lastReboot', 'lastReconfiguration']);
/** The states that a session cycles through while it does not come up. */
const steps = new Set(['Active', 'Connect', 'OpenSent', 'OpenConfirm', 'Idle', 'Passive']);

const fileFacts = new Set(['nodename', 'MTU of new pods']);

/** The facts that are read from files of a node. */
export const factsOfFiles = (answers: Answers): Fact[] =>
  answers.verify.document.items.flatMap(({ facts = [] }) => facts.filter(({ fact }) => fileFacts.has(fact)));

export const felixOf = (answers: Answers): (string | undefined)[] =>
  answers.status.document.items.map(({ felix }) => felix);

/**
 * Results without what changes with time, and without what a transport cannot see: Felix and the facts of files, which
 * are compared separately. Programs and sockets for BIRD are given one common name.
 */
export function comparable(answers: Answers, lab: Lab): unknown {
  const text = JSON.stringify(answers, (key, value: unknown) => {
    if (times.has(key) || key === 'felix') return undefined;
    if (typeof value !== 'object' || value === null) return value;
    if ('state' in value && 'info' in value && steps.has(String(value.state))) {
      return { ...value, state: 'not up', info: undefined };
    }
    if ('state' in value && steps.has(String(value.state))) return { ...value, state: 'not up' };
    if ('facts' in value && 'right' in value) return withoutFiles(value as Required<Item>);
    return value;
  });
  const sockets = lab.plan.nodes.map(({ name }) => lab.birdFolder.replace('{node}', name));
  const named = sockets.reduce((all, folder) => all.replaceAll(folder, '/var/run/calico'), text);
  return JSON.parse(named.replaceAll('"birdc"', '"birdcl"'));
}

function withoutFiles(item: Required<Item>): object {
  const facts = item.facts.filter(({ fact }) => !fileFacts.has(fact));
  const seen = item.facts.filter(({ fact, verdict }) => fileFacts.has(fact) && verdict === 'ok');
  return { ...item, right: item.right - seen.length, facts };
}
