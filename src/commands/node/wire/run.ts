// What calictl node wire does: reads what is there, plans what is missing, asks, makes it with a journal.
import { batchesOf } from '../../../datapath/wire/batches.ts';
import { defaultRoutes, type PodWiring, wiringSteps } from '../../../datapath/wire/pod-wiring.ts';
import { type PlannedStep, wiringPlan } from '../../../datapath/wire/wiring-plan.ts';
import { isOtherEnd, type WiringState } from '../../../datapath/wire/wiring-state.ts';
import { listAll } from '../../../datastore/datastore.ts';
import { openJournal } from '../../../files/journal.ts';
import { type Cidr, cidrContains, formatCidr, parseCidr } from '../../../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../../../net/ip.ts';
import { type NodeExec, TransportError } from '../../../node-exec/node-exec.ts';
import { applyWiring, beginRun, type NotMade, undoRun } from '../../../node-live/wiring/apply-wiring.ts';
import { mtuOnNode, namespaceOfPod } from '../../../node-live/wiring/find-namespace.ts';
import { type ReadWiring, readWiring } from '../../../node-live/wiring/read-wiring.ts';
import type { UnfinishedRun } from '../../../node-live/wiring/wiring-journal.ts';
import { pod as podKind } from '../../../resources/kinds/pod.ts';
import { qualifiedName } from '../../../resources/object.ts';
import { counted } from '../../../text/wording.ts';
import { RefusedError, UsageError } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import { requireConsent } from '../../consent.ts';
import { commandText, type ReportedStep, type WiringResult, wiringJson, wiringText } from '../wiring-result.ts';
import { addressesOf, execOf, journalOf, type WiringSubject, wiringSubject } from '../wiring-subject.ts';
import type { WireInput } from './command.ts';

/** What is to be made, and what of it is there. */
interface Prepared {
  readonly netns: string;
  readonly steps: readonly PlannedStep[];
  readonly namespaceId: string;
  /** The namespace and all commands as text: two runs that want the same have the same. */
  readonly wanted: string;
}

export async function run(ctx: Context, input: WireInput): Promise<WiringResult> {
  const subject = await wiringSubject(ctx, input);
  const exec = await execOf(ctx, input);
  const addresses = await addressesFor(ctx, input, subject);
  const netns = subject.netns ?? (await namespaceOf(exec, subject, input));
  const mtu = input.mtu ?? (await mtuOnNode(exec, subject.node, { timeoutMs: input.timeout }));
  const prepare = (): Promise<Prepared> => prepared(exec, input, subject, netns, addresses, mtu);
  const { path, unfinished } = await journalOf(ctx, input, subject);
  const first = await readEither(prepare, unfinished);
  const isSame = unfinished !== undefined && first?.wanted === unfinished.wanted;
  const result = (steps: readonly ReportedStep[], more: Partial<WiringResult>): WiringResult => ({
    kind: 'PodWiring',
    node: subject.node.name,
    subject: subject.text,
    netns,
    interface: subject.hostInterface,
    podInterface: subject.podInterface,
    addresses: addresses.map(formatIp),
    dryRun: input.dryRun,
    interrupted: 'none',
    steps,
    journal: undefined,
    ...more,
  });
  if (input.dryRun) {
    const interrupted = unfinished === undefined ? 'none' : isSame ? 'to be finished' : 'to be undone';
    return result(reported(first?.steps ?? [], 'planned'), { interrupted });
  }
  const todo = (first?.steps ?? []).filter(({ isMade }) => !isMade);
  if (first !== undefined && todo.length === 0 && unfinished === undefined)
    return result(reported(first.steps, 'made'), {});
  const undone = unfinished === undefined || isSame ? [] : unfinished.undo;
  await requireConsent(ctx, input, {
    plan: [...undone, ...todo.map(({ argv }) => argv)].map(commandText),
    question: `Make ${counted(undone.length + todo.length, 'change')} on ${subject.node.name}?`,
    otherwise: 'nothing was changed',
  });
  const journal = await openJournal(path, ctx.world.clock);
  try {
    const at = { exec, node: subject.node, netns, journal, timeoutMs: input.timeout, signal: ctx.world.signal };
    if (unfinished !== undefined && !isSame) await undoRun(at, unfinished);
    // What was read before the question, or before an earlier run was undone, may have changed.
    const now = await prepare();
    const { steps } = now;
    await beginRun(journal, now, ctx.world.self);
    const notMade = await applyWiring(at, steps, isSame ? unfinished.undo : []);
    const interrupted = unfinished === undefined ? 'none' : isSame ? 'finished' : 'undone';
    return result(reported(steps, 'made', notMade), { interrupted, journal: path });
  } catch (error) {
    const isOpen = error instanceof TransportError || journal.failure !== undefined;
    if (isOpen) await ctx.note('the run is not finished: run the command again to finish it');
    throw error;
  } finally {
    await journal.close();
  }
}

/** An interrupted run may be what is in the way: it is undone before anything is refused. */
async function readEither(
  prepare: () => Promise<Prepared>,
  unfinished: UnfinishedRun | undefined,
): Promise<Prepared | undefined> {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'WIRING_OBSTACLE' && unfinished !== undefined) return undefined;
    throw error;
  }
}

async function namespaceOf(
  exec: NodeExec,
  { node, pod, text }: WiringSubject,
  { timeout }: WireInput,
): Promise<string> {
  const uid = pod?.metadata.uid;
  if (uid === undefined) throw new UsageError(`the network namespace of ${text} is not known`, 'name it with --netns');
  return namespaceOfPod(
    exec,
    node,
    { name: qualifiedName(pod?.metadata ?? { name: '' }), uid },
    { timeoutMs: timeout },
  );
}

/** Errors: UsageError without an address; RefusedError for an address that another pod has. */
async function addressesFor(
  ctx: Context,
  input: WireInput,
  { pod, text }: WiringSubject,
): Promise<readonly IpAddress[]> {
  const texts = input.ip.length > 0 ? input.ip : addressesOf(pod);
  const addresses = [...new Set(texts)].map(parseIp).filter((address) => address !== undefined);
  if (addresses.length === 0) throw new UsageError(`${text} has no address`, 'specify one with --ip');
  for (const address of addresses) requirePodAddress(address);
  requireMtuFor(addresses, input.mtu);
  if (pod === undefined) return addresses;
  const pods = await listAll(await ctx.datastore(), podKind, { signal: ctx.world.signal });
  const name = qualifiedName(pod.metadata);
  const wanted = new Set(addresses.map(formatIp));
  for (const other of pods) {
    if (qualifiedName(other.metadata) === name || other.spec?.hostNetwork === true) continue;
    const taken = addressesOf(other).find((address) => wanted.has(address));
    if (taken === undefined) continue;
    throw new RefusedError(
      `${taken} is the address of pod ${qualifiedName(other.metadata)}`,
      'ADDRESS_IN_USE',
      `calictl ipam show --ip ${taken} shows who it is allocated to`,
    );
  }
  return addresses;
}

/** Addresses that the kernel, or the pods' gateway, uses for something else. */
const notOfPods: readonly Cidr[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
].map((text) => parseCidr(text) as Cidr);

function requirePodAddress(address: IpAddress): void {
  const range = notOfPods.find((cidr) => cidrContains(cidr, address));
  if (range === undefined) return;
  throw new UsageError(`${formatIp(address)} cannot be the address of a pod`, `no pod has one in ${formatCidr(range)}`);
}

/** RFC 8200, section 5: the kernel has no IPv6 on a link with a smaller MTU. */
const smallestMtuOfIpv6 = 1280;

function requireMtuFor(addresses: readonly IpAddress[], mtu: number | undefined): void {
  if (mtu === undefined || mtu >= smallestMtuOfIpv6 || addresses.every(({ version }) => version === 4)) return;
  throw new UsageError(`MTU ${mtu} is too small for IPv6`, `use ${smallestMtuOfIpv6} or more`);
}

async function prepared(
  exec: NodeExec,
  input: WireInput,
  subject: WiringSubject,
  netns: string,
  addresses: readonly IpAddress[],
  mtu: number | undefined,
): Promise<Prepared> {
  const { node, pod, hostInterface, podInterface } = subject;
  const wanted: PodWiring = {
    hostInterface,
    podInterface,
    addresses,
    mtu: mtu === 0 ? undefined : mtu,
    queues: 1,
    podMac: pod?.metadata.annotations?.['cni.projectcalico.org/hwAddr']?.toLowerCase().replaceAll('-', ':'),
    allowForwarding: input.allowIpForwarding,
    routes: defaultRoutes,
    hasHostRoutes: true,
    nodePid: undefined,
  };
  const place = { netns, hostInterface, podInterface };
  const steps = wiringSteps(wanted, true);
  const read: ReadWiring = await readWiring(exec, node, place, steps, { timeoutMs: input.timeout });
  const wiring = input.mtu === undefined ? withOwnMtu(wanted, read.state) : wanted;
  const plan = wiringPlan(wiring, netns, read.state);
  if (!plan.ok) throw new RefusedError(`${node.name}: ${plan.why}; nothing was changed`, 'WIRING_OBSTACLE', plan.hint);
  const commands = steps.flatMap((step) => batchesOf([step], netns)).map(({ argv }) => commandText(argv));
  const { namespaceId } = read;
  return { netns, namespaceId, steps: plan.steps, wanted: [namespaceId, ...commands].join('\n') };
}

/** A pair that is there keeps its MTU: another value is for new pods. */
function withOwnMtu(wiring: PodWiring, { node, pod }: WiringState): PodWiring {
  const isPair = node.link !== undefined && pod.link !== undefined && isOtherEnd(node.link, pod.link);
  return isPair && node.link?.mtu === pod.link?.mtu ? { ...wiring, mtu: node.link?.mtu } : wiring;
}

function reported(
  steps: readonly PlannedStep[],
  outcome: 'planned' | 'made',
  notMade: readonly NotMade[] = [],
): ReportedStep[] {
  return steps.map((planned): ReportedStep => {
    if (planned.isMade) return { ...planned, outcome: 'in place' };
    const failed = notMade.find(({ step }) => step === planned.step);
    return failed === undefined ? { ...planned, outcome } : { ...planned, outcome: 'not made', why: failed.why };
  });
}

export const formats = {
  text: (result: WiringResult, view: View) => wiringText(result, view),
  json: (result: WiringResult) => wiringJson(result),
};
