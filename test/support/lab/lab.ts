// A small Calico network on this machine: three nodes in namespaces with BIRD 1.6 and pods, a router between two subnets.
// Real kernel state and real sessions; Felix and the CNI plugin do not run, but what they would set up exists.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../../src/resources/object.ts';
import { type ProgramResult, printedBy, runProgram } from '../program/run-program.ts';
import { until } from '../program/until.ts';
import {
  birdConfiguration,
  type Deviation,
  type Deviations,
  peersOf,
  protocolName,
  remoteBlocks,
} from './bird-config.ts';
import { buildUnderlay, routesInstalled } from './network.ts';
import { labObjects } from './objects.ts';
import { type Family, type LabNode, type LabPlan, labPlan, nodeOf, type PlanOptions, podOf } from './plan.ts';
import { claimSlot, holderPidFile, releaseSlot } from './slots.ts';

/** The programs that a lab needs on this machine, as root. */
export const labPrograms = ['bird', 'bird6', 'birdc', 'ip', 'bridge', 'nft', 'ping', 'nsenter', 'unshare', 'sysctl'];

export interface Lab {
  readonly plan: LabPlan;
  /** Has one folder per node; BIRD's sockets are in `<folder>/<node>/run`, its logs next to it. */
  readonly folder: string;
  /** For `--via`: `netns:clab0-{node}`. */
  readonly via: string;
  /** For `--bird-dir`. */
  readonly birdFolder: string;
  /** The objects of the cluster, as in a Kubernetes datastore. */
  objects(): KubeObject[];
  /** The arguments before a program that run it on the node, in all its namespaces. */
  prefix(node: string): readonly string[];
  exec(node: string, argv: readonly string[], stdin?: string): Promise<ProgramResult>;
  execInPod(pod: string, argv: readonly string[]): Promise<ProgramResult>;
  /** The answer of a node's BIRD to a birdc command. */
  birdc(node: string, family: Family, ...command: readonly string[]): Promise<string>;
  startBird(node: string, family: Family): Promise<void>;
  /** Ends it at once, as a crash does: peers are not notified. */
  stopBird(node: string, family: Family): Promise<void>;
  /** Makes the configurations deviate from the objects, or with undefined match them again, and reconfigures BIRD. */
  deviate(node: string, deviation: Deviation | undefined): Promise<void>;
  /** Waits until all sessions are established and all nodes have their routes. */
  converged(deadlineMs?: number): Promise<void>;
  /** Removes everything. */
  stop(): Promise<void>;
}

export interface LabOptions extends PlanOptions {
  /** Part of error messages. */
  readonly name: string;
}

/** Builds a lab and waits until it has converged. The caller stops it; a later lab removes those of ended runs. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const { slot, folder } = await claimSlot();
  const lab = labIn(folder, labPlan(slot, options));
  try {
    await buildUnderlay(lab.plan);
    writeFileSync(join(folder, 'holder.sh'), holderScript);
    await Promise.all(lab.plan.nodes.map((node) => startHolder(folder, node, lab.plan)));
    await eachBird(lab.plan, (node, family) => lab.startBird(node.name, family));
    await lab.converged();
    return lab;
  } catch (error) {
    await lab.stop();
    throw new Error(`the lab "${options.name}" could not be built`, { cause: error });
  }
}

function labIn(folder: string, plan: LabPlan): Lab {
  const deviations = new Map<string, Deviation>();
  const socket = (node: string, family: Family): string => join(folder, node, 'run', `${birdProgram(family)}.ctl`);
  const configure = (node: LabNode, family: Family): string =>
    writeConfiguration(folder, plan, node, family, deviations);
  const lab: Lab = {
    plan,
    folder,
    via: `netns:${plan.prefix}-{node}`,
    birdFolder: join(folder, '{node}', 'run'),
    objects: () => labObjects(plan, deviations),
    prefix: (node) => {
      const pid = readFileSync(holderPidFile(folder, nodeOf(plan, node).name), 'utf8').trim();
      return ['nsenter', '--target', pid, '--net', '--mount', '--uts', '--pid', '--'];
    },
    exec: (node, argv, stdin) => runProgram([...lab.prefix(node), ...argv], stdin),
    execInPod: (pod, argv) => runProgram(['ip', 'netns', 'exec', podOf(plan, pod).netns, ...argv]),
    birdc: (node, family, ...command) => printedBy(['birdc', '-s', socket(node, family), ...command]),
    async startBird(node, family) {
      const config = configure(nodeOf(plan, node), family);
      const program = birdProgram(family);
      const files = ['-s', `/var/run/calico/${program}.ctl`, '-P', `/var/run/calico/${program}.pid`];
      await printedBy([...lab.prefix(node), program, '-c', config, ...files]);
    },
    async stopBird(node, family) {
      const file = (suffix: string): string => join(folder, node, 'run', `${birdProgram(family)}.${suffix}`);
      const pid = readFileSync(file('pid'), 'utf8').trim();
      await printedBy([...lab.prefix(node), 'kill', '-KILL', pid]);
      await until(async () => (await lab.exec(node, ['kill', '-0', pid])).exit !== 0, `BIRD of ${node} ends`);
      for (const suffix of ['pid', 'ctl']) rmSync(file(suffix), { force: true });
    },
    async deviate(node, deviation) {
      if (deviation === undefined) deviations.delete(node);
      else deviations.set(node, deviation);
      await eachBird(plan, async ({ name }, family) => {
        configure(nodeOf(plan, name), family);
        if (!existsSync(socket(name, family))) return;
        const answer = await lab.birdc(name, family, 'configure');
        if (!/^Reconfigur/m.test(answer)) throw new Error(`BIRD of ${name} does not take its configuration: ${answer}`);
      });
    },
    async converged(deadlineMs = 30_000) {
      await eachBird(plan, async (node, family) => {
        await until(
          async () => (await isEstablished(lab, node, family)) && (await hasRoutes(plan, node, family)),
          async () =>
            `sessions and routes of ${node.name}, IPv${family}:\n${await lab.birdc(node.name, family, 'show', 'protocols')}`,
          deadlineMs,
        );
      });
    },
    stop: () => releaseSlot(folder),
  };
  return lab;
}

async function eachBird(plan: LabPlan, work: (node: LabNode, family: Family) => Promise<void>): Promise<void> {
  await Promise.all(plan.nodes.flatMap((node) => plan.families.map((family) => work(node, family))));
}

const birdProgram = (family: Family): string => (family === 4 ? 'bird' : 'bird6');

function writeConfiguration(
  folder: string,
  plan: LabPlan,
  node: LabNode,
  family: Family,
  deviations: Deviations,
): string {
  const path = join(folder, node.name, `${birdProgram(family)}.cfg`);
  const log = join(folder, node.name, `${birdProgram(family)}.log`);
  writeFileSync(path, birdConfiguration(plan, node, family, deviations, log));
  return path;
}

async function isEstablished(lab: Lab, node: LabNode, family: Family): Promise<boolean> {
  const { exit, stdout } = await runProgram([
    ...['birdc', '-s', join(lab.folder, node.name, 'run', `${birdProgram(family)}.ctl`)],
    ...['show', 'protocols'],
  ]);
  const names = peersOf(lab.plan, node).map((peer) => protocolName(lab.plan, peer.address[family]));
  return exit === 0 && names.every((name) => new RegExp(`^${name} .*Established`, 'm').test(stdout));
}

async function hasRoutes(plan: LabPlan, node: LabNode, family: Family): Promise<boolean> {
  // With VXLAN a reflector does not route anything itself.
  if (node.block === undefined && plan.encapsulation !== 'none') return true;
  return routesInstalled(node, remoteBlocks(plan, node, family), family);
}

/**
 * Runs as the first process of the node's process namespace: when it ends, all others there end too. Gives the node its
 * own /run and /var/lib, and appears as Felix in the list of processes.
 */
const holderScript = `set -e
folder=$1 node=$2
read -r pid _ < /proc/self/stat
hostname "$node"
mount -t proc proc /proc
mount --rbind /run/netns "$folder/$node/netns"
mount -t tmpfs tmpfs /run
mkdir -p /run/calico /run/netns /run/sshd
mount --move "$folder/$node/netns" /run/netns
mount --bind "$folder/$node/run" /run/calico
mount -t tmpfs tmpfs /var/lib
mkdir -p /var/lib/calico
mount --bind "$folder/$node/lib" /var/lib/calico
(exec -a 'calico-node -felix' sleep infinity) &
echo "$pid" > "$folder/$node/holder.new"
mv "$folder/$node/holder.new" "$folder/$node/holder.pid"
set +e
while :; do wait; sleep 1; done
`;

async function startHolder(folder: string, node: LabNode, plan: LabPlan): Promise<void> {
  const own = join(folder, node.name);
  for (const part of ['run', 'lib', 'netns']) mkdirSync(join(own, part), { recursive: true });
  // Without a newline at the end: the CNI plugin uses the file's content as it is.
  writeFileSync(join(own, 'lib', 'nodename'), node.name);
  writeFileSync(join(own, 'lib', 'mtu'), `${plan.podMtu}\n`);
  const log = openSync(join(own, 'holder.log'), 'w');
  const [program, ...args] = [
    ...['ip', 'netns', 'exec', node.netns],
    ...['unshare', '--mount', '--uts', '--pid', '--fork', '--kill-child'],
    ...['bash', join(folder, 'holder.sh'), folder, node.name],
  ] as const;
  spawn(program, args, { stdio: ['ignore', log, log], detached: true }).unref();
  await until(
    () => existsSync(holderPidFile(folder, node.name)),
    () => `the namespaces of ${node.name}: ${readFileSync(join(own, 'holder.log'), 'utf8')}`,
  );
}
