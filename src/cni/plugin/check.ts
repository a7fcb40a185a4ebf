// CHECK of the main plugin: whether everything that ADD made is still there. Calico's own plugin answers OK unseen.

import { argvOf } from '../../datapath/wire/effect.ts';
import { defaultRoutes, type PodWiring, wiringSteps } from '../../datapath/wire/pod-wiring.ts';
import { type EndOutputs, endProbes, endState, missingSteps, settingPaths } from '../../datapath/wire/wiring-state.ts';
import { networkOf } from '../../net/cidr.ts';
import { hostInterfaceName } from '../../resources/convert/workload-endpoint-of-pod.ts';
import { isObject } from '../../text/plain-values.ts';
import type { CallContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';
import { hostLocalRoutes } from '../protocol/host-local.ts';
import { resultOf } from '../protocol/result.ts';
import { interfacePrefix } from './add.ts';
import { inPod } from './wire-pod.ts';

/** Returns when nothing is missing, or the runtime did not say what ADD returned. Errors: CniError that names what is. */
export async function check(ctx: CallContext): Promise<void> {
  const { conf, request, pod } = ctx;
  if (!isObject(conf.raw['prevResult'])) return;
  const before = resultOf(conf.raw['prevResult']);
  const own = hostLocalRoutes(conf.raw);
  const wiring: PodWiring = {
    hostInterface: hostInterfaceName(pod.namespace, pod.pod, interfacePrefix(ctx)),
    podInterface: request.ifName,
    addresses: before.ips.map(({ address }) => address.address),
    // A change of the configuration does not touch pods that exist.
    mtu: before.interfaces.find(({ name }) => name === request.ifName)?.mtu,
    queues: conf.queues,
    podMac: before.interfaces.find(({ name }) => name === request.ifName)?.mac,
    allowForwarding: conf.allowForwarding,
    routes: own.length === 0 ? defaultRoutes : conf.includeDefaultRoutes ? [...defaultRoutes, ...own] : own,
    hasHostRoutes: true,
    nodePid: ctx.world.self.pid,
  };
  const steps = wiringSteps(wiring, true);
  const cidrs = wiring.addresses.map((address) => networkOf(address, address.version === 4 ? 32 : 128));
  const [node, inside] = await Promise.all([
    endOf(ctx, wiring.hostInterface, endProbes(wiring.hostInterface, settingPaths(steps, 'node'), cidrs), 'node'),
    endOf(ctx, wiring.podInterface, endProbes(wiring.podInterface, settingPaths(steps, 'pod')), 'pod'),
  ]);
  const missing = missingSteps(steps, { node, pod: inside });
  if (missing.length === 0) return;
  const list = missing.map((step) => `${step.side === 'pod' ? 'in the pod: ' : ''}${argvOf(step).join(' ')}`);
  throw new CniError('the network of the pod is not as ADD made it', undefined, `missing: ${list.join('; ')}`);
}

async function endOf(
  ctx: CallContext,
  device: string,
  probes: ReturnType<typeof endProbes>,
  side: 'node' | 'pod',
): Promise<ReturnType<typeof endState>['state']> {
  const outputs: Record<string, string> = {};
  for (const [name, argv] of Object.entries(probes)) {
    outputs[name] = side === 'pod' ? await inPod(ctx, argv) : (await ctx.helper(argv)).stdout;
  }
  const { state, problems } = endState(device, outputs as unknown as EndOutputs);
  if (problems.length > 0) throw new CniError(`the state of ${device} was not understood: ${problems.join('; ')}`);
  return state;
}
