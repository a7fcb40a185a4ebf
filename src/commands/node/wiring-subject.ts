// Which pod node wire and node unwire are about, by the datastore or by flags alone, and where its wiring is.
import { felixSettings } from '../../datapath/expected/felix-settings.ts';
import { listAll } from '../../datastore/datastore.ts';
import { outputPath } from '../../files/output-path.ts';
import type { NodeExec, NodeTarget } from '../../node-exec/node-exec.ts';
import { type UnfinishedRun, unfinishedRun, wiringJournalPath } from '../../node-live/wiring/wiring-journal.ts';
import { hasEndpoint, isFinished, podAddresses } from '../../resources/convert/pod-addresses.ts';
import { hostInterfaceName } from '../../resources/convert/workload-endpoint-of-pod.ts';
import { felixConfiguration } from '../../resources/kinds/felix-configuration.ts';
import { type Pod, pod as podKind } from '../../resources/kinds/pod.ts';
import { qualifiedName } from '../../resources/object.ts';
import { CalictlError, RefusedError, UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { targetNamed } from './targets.ts';
import type { WiringInput } from './wiring-flags.ts';

export interface WiringSubject {
  readonly node: NodeTarget;
  /** The Pod object; undefined when only a namespace was named. */
  readonly pod: Pod | undefined;
  /** `pod shop/web`, or the namespace. */
  readonly text: string;
  readonly hostInterface: string;
  readonly podInterface: string;
  /** Path on the node; undefined when it was not named. */
  readonly netns: string | undefined;
}

/** A name of `ip netns` as its path. */
const namespacePath = (text: string): string => (text.includes('/') ? text : `/var/run/netns/${text}`);

/** The longest name of an interface, in bytes. */
const longestName = 15;

/** The kernel has settings for all interfaces, and for new ones, under these names. */
const namesOfSettings: readonly string[] = ['all', 'default'];

/**
 * Errors: those of the datastore; UsageError for a name that no interface can have; CalictlError for a pod that is not
 * scheduled; RefusedError for one that Calico does not wire.
 */
export async function wiringSubject(ctx: Context, input: WiringInput): Promise<WiringSubject> {
  const netns = input.netns === undefined ? undefined : namespacePath(input.netns);
  const named = input.pod === undefined ? undefined : await podNamed(ctx, input.pod);
  const nodeName = input.node ?? named?.spec?.nodeName;
  // Without a node the commands run where they are started: no datastore is needed for that.
  const node = nodeName === undefined ? thisMachine(ctx, input) : await targetNamed(ctx, nodeName);
  const hostInterface = input.interface ?? (await interfaceOf(ctx, named, node, input.netns ?? ''));
  for (const name of [hostInterface, input.podInterface]) requireInterfaceName(name);
  const text = named === undefined ? `namespace ${netns}` : `pod ${qualifiedName(named.metadata)}`;
  return { node, pod: named, text, hostInterface, podInterface: input.podInterface, netns };
}

async function podNamed(ctx: Context, ref: { readonly namespace: string; readonly name: string }): Promise<Pod> {
  const store = await ctx.datastore();
  const found = await store.get(podKind, ref, { signal: ctx.world.signal });
  const name = `pod ${ref.namespace}/${ref.name}`;
  if (found.spec?.nodeName === undefined) {
    throw new CalictlError(`${name} is not scheduled to a node yet`, { code: 'POD_NOT_SCHEDULED' });
  }
  if (!hasEndpoint(found)) {
    throw new RefusedError(`${name} uses the host network and has no interface of its own`, 'POD_HOST_NETWORK');
  }
  return found;
}

function thisMachine(ctx: Context, { via }: WiringInput): NodeTarget {
  if (via !== 'local' && !via?.startsWith('netns:')) {
    throw new UsageError('the node is not known', 'name it with --node, or use --via local for this machine');
  }
  return { name: ctx.world.self.hostname, addresses: [] };
}

async function interfaceOf(ctx: Context, pod: Pod | undefined, node: NodeTarget, netns: string): Promise<string> {
  if (pod === undefined) return hostInterfaceName('netns', netns);
  const store = await ctx.datastore();
  const configurations = await listAll(store, felixConfiguration, { signal: ctx.world.signal });
  const [prefix] = felixSettings(configurations)(node.name).interfacePrefixes;
  const { namespace = 'default', name } = pod.metadata;
  return hostInterfaceName(namespace, name, prefix);
}

/** As dev_valid_name of the kernel; it replaces a percent sign with a number. */
function requireInterfaceName(name: string): void {
  const isValid = /^[^\s/:%]+$/.test(name) && name !== '.' && name !== '..' && !namesOfSettings.includes(name);
  if (isValid && Buffer.byteLength(name) <= longestName) return;
  throw new UsageError(
    `invalid name of an interface: ${name}`,
    `use at most ${longestName} bytes, without spaces, slashes, colons and percent signs, and not all or default`,
  );
}

/** The addresses that the pod has by its object, none for one that ended. */
export function addressesOf(pod: Pod | undefined): readonly string[] {
  return pod === undefined || isFinished(pod) ? [] : podAddresses(pod);
}

/** Opens the transport. Errors: RefusedError for a snapshot; those of the transport. */
export async function execOf(ctx: Context, input: WiringInput): Promise<NodeExec> {
  const exec = await ctx.nodeExec(input);
  if (exec.transport !== 'replay') return exec;
  throw new RefusedError(
    'the nodes of a snapshot are recordings and cannot be changed',
    'RECORDED_NODES',
    'name a transport to live nodes with --via ssh, local or netns',
  );
}

/** The journal of the subject, and the run that it says was cut off. Errors: RefusedError while that run is still at work. */
export async function journalOf(
  ctx: Context,
  { journal }: WiringInput,
  { node, pod, hostInterface }: WiringSubject,
): Promise<{ readonly path: string; readonly unfinished: UnfinishedRun | undefined }> {
  const { self, env, cwd } = ctx.world;
  const named = journal ?? wiringJournalPath(env, node.name, hostInterface);
  const store = pod === undefined ? {} : await ctx.datastore();
  const path = outputPath(cwd, named, store, 'the journal', '--journal FILE');
  const unfinished = await unfinishedRun(path);
  const isOther = unfinished !== undefined && unfinished.incarnation !== self.incarnation;
  const isHere = unfinished?.hostname === self.hostname;
  if (isOther && isHere && self.isAlive(unfinished.pid, unfinished.incarnation) === true) {
    throw new RefusedError(
      `process ${unfinished.pid} is changing ${hostInterface} on ${node.name}`,
      'WIRING_BUSY',
      'wait until it has ended',
    );
  }
  return { path, unfinished };
}
