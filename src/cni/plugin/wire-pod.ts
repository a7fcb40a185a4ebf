// Makes the steps of a pod's wiring on this node, and undoes them if one of them fails.
import { existsSync, statfsSync } from 'node:fs';
import { type Batch, batchesOf, failureIn, inNamespace } from '../../datapath/wire/batches.ts';
import { argvOf, type RouteEffect, type Step } from '../../datapath/wire/effect.ts';
import { type PodWiring, unwiringStep, wiringSteps } from '../../datapath/wire/pod-wiring.ts';
import { formatCidr } from '../../net/cidr.ts';
import { parseJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { systemText } from '../../world/errors.ts';
import { serverText } from '../error-text.ts';
import type { CallContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';

/** File systems of which a file is a network namespace: nsfs, and proc on old kernels. */
const namespaceFileSystems = [0x6e736673, 0x9fa0];

/** Errors: CniError when the path is not that of a network namespace. */
function requireNamespace(path: string): void {
  let type: number;
  try {
    ({ type } = statfsSync(path));
  } catch (error) {
    throw new CniError(`failed to Statfs ${JSON.stringify(path)}: ${systemText(error)}`);
  }
  if (namespaceFileSystems.includes(type)) return;
  throw new CniError(`unknown FS magic on ${JSON.stringify(path)}: ${type.toString(16)}`);
}

/** A pod could not be connected, and its pair is still there: its addresses may be in use. DEL removes both. */
export class PairRemains extends CniError {}

/**
 * Connects the pod, and then does the rest of the work that a connected pod needs. Errors: CniError and those of the rest;
 * the pair is gone then, unless it is PairRemains.
 */
export async function wirePod(ctx: CallContext, wiring: PodWiring, rest: () => Promise<void>): Promise<void> {
  const { request, log } = ctx;
  requireNamespace(request.netns);
  const { hostInterface } = wiring;
  const isNew = !existsSync(`/proc/sys/net/ipv4/conf/${hostInterface}`);
  const batches = batchesOf(wiringSteps(wiring, isNew), request.netns);
  let hasPair = false;
  try {
    for (const batch of batches) {
      await makeBatch(ctx, wiring, batch);
      hasPair ||= batch.steps.some(({ type }) => type === 'veth');
    }
    log.info('connected the pod', { interface: hostInterface, netns: request.netns });
    await rest();
  } catch (error) {
    if (hasPair && !(await removePair(ctx, hostInterface))) {
      throw new PairRemains(`${serverText(error)}; the interface ${hostInterface} was not removed`);
    }
    throw error;
  }
}

async function makeBatch(ctx: CallContext, wiring: PodWiring, batch: Batch): Promise<void> {
  const { exit, stderr } = await ctx.helper(batch.argv, { stdin: batch.stdin });
  if (exit === 0) return;
  const { step, text } = failureIn(batch, stderr);
  if (exit === 126 || exit === 127) throw new CniError(stderr.trim());
  if (step?.type === 'route' && step.side === 'node' && text === 'File exists') {
    await acceptOwnRoute(ctx, step);
    const rest = batch.steps.slice(batch.steps.indexOf(step) + 1);
    for (const next of batchesOf(rest, ctx.request.netns)) await makeBatch(ctx, wiring, next);
    return;
  }
  if (step?.type === 'no-link' && isGone(stderr)) return;
  if (step?.optional) {
    ctx.log.warning('a setting was not made; the pod works without it', { why: stderr.trim() });
    return;
  }
  ctx.log.error('a step of the wiring failed', { argv: batch.argv, step, why: stderr.trim() });
  throw new CniError(failureText(wiring, step, text));
}

function isGone(stderr: string): boolean {
  return /Cannot find device|No such device|does not exist/.test(stderr);
}

/** The kernel's reason in the words of Go. */
function failureText({ podMac }: PodWiring, step: Step | undefined, text: string): string {
  if (step?.type === 'setting') return `failed to set ${step.path}=${step.value}: ${text}`;
  const reason = /^mtu (?:greater|less) than device/i.test(text) ? 'invalid argument' : lowerFirst(text);
  if (step?.type === 'veth' && podMac !== undefined && reason === 'cannot assign requested address') {
    return `failed to set container veth MAC to ${podMac} as requested via cni.projectcalico.org/hwAddr: ${reason}`;
  }
  return reason;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Felix may have made the route already. Errors: CniError when it leads elsewhere. */
async function acceptOwnRoute(ctx: CallContext, { destination, device }: RouteEffect): Promise<void> {
  const family = `-${destination.version}`;
  const { stdout } = await ctx.helper(['ip', '-j', '-d', family, 'route', 'show', 'exact', formatCidr(destination)]);
  const entries: unknown = parseJson(stdout.trim() || '[]');
  const routes: Record<string, unknown>[] = Array.isArray(entries) ? entries.filter(isObject) : [];
  if (routes.some(({ dev }) => dev === device)) return;
  const other = String(routes[0]?.['dev'] ?? 'unknown');
  const described = async (name: string): Promise<string> =>
    `Ifindex: ${await indexOf(ctx, name)}, Dst: ${formatCidr(destination)}, Scope: link`;
  throw new CniError(
    `error adding host side routes for interface: ${device}, error: route (${await described(device)}) already exists ` +
      `for an interface other than '${device}': route (${await described(other)}, Iface: ${other})`,
  );
}

async function indexOf({ helper }: CallContext, device: string): Promise<number> {
  const { stdout } = await helper(['ip', '-o', 'link', 'show', 'dev', device]);
  return Number(/^(\d+):/.exec(stdout)?.[1] ?? 0);
}

/** Removes the node's end, and with it everything else. Returns false when it is still there. */
async function removePair({ helper, log }: CallContext, device: string): Promise<boolean> {
  const { exit, stderr } = await helper(argvOf(unwiringStep('node', device))).catch((error: unknown) => ({
    exit: 1,
    stderr: String(error),
  }));
  if (exit === 0 || isGone(stderr)) return true;
  log.error('the pair was not removed', { device, why: stderr.trim() });
  return false;
}

const unwireTimeoutMs = 20_000;

/** Removes the pod's end, and with it the node's. A namespace or an interface that is gone is not an error. */
export async function unwirePod({ request, helper, log }: CallContext): Promise<void> {
  const { netns, ifName } = request;
  if (netns === '' || !existsSync(netns)) return;
  if (!isNamespace(netns)) {
    // The file stays when its namespace is unmounted, for example by a restart of the node.
    log.info('the network namespace of the pod is gone', { netns });
    return;
  }
  const argv = [...inNamespace(netns), ...argvOf(unwiringStep('pod', ifName))];
  const { exit, stderr } = await helper(argv, { timeoutMs: unwireTimeoutMs });
  if (exit === 0) log.info('disconnected the pod', { netns, interface: ifName });
  else if (!isGone(stderr) && isNamespace(netns)) throw new CniError(lowerFirst(stderr.trim()));
}

/** False also for a path that does not exist. Errors: a path that cannot be read. */
function isNamespace(path: string): boolean {
  try {
    return namespaceFileSystems.includes(statfsSync(path).type);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
