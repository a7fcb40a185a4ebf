// CHECK of the main plugin: whether everything that ADD made is still there. Calico's own plugin answers OK unseen.

import { inNamespace } from '../../datapath/wire/batches.ts';
import { argvOf, type Side, type Step } from '../../datapath/wire/effect.ts';
import { type PodWiring, wiringSteps } from '../../datapath/wire/pod-wiring.ts';
import {
  type EndAnswer,
  type EndState,
  endProbes,
  endState,
  missingSteps,
  saysAbsent,
} from '../../datapath/wire/wiring-state.ts';
import { hostInterfaceName } from '../../resources/convert/workload-endpoint-of-pod.ts';
import { isObject } from '../../text/plain-values.ts';
import type { CallContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';
import { routesOf } from '../protocol/host-local.ts';
import { resultOf } from '../protocol/result.ts';
import { interfacePrefix } from './add.ts';

/** Returns when nothing is missing, or the runtime did not say what ADD returned. Errors: CniError that names what is. */
export async function check(ctx: CallContext): Promise<void> {
  const { conf, request, pod } = ctx;
  if (!isObject(conf.raw['prevResult'])) return;
  const before = resultOf(conf.raw['prevResult']);
  const wiring: PodWiring = {
    hostInterface: hostInterfaceName(pod.namespace, pod.pod, interfacePrefix(ctx)),
    podInterface: request.ifName,
    addresses: before.ips.map(({ address }) => address.address),
    // A change of the configuration does not touch pods that exist.
    mtu: before.interfaces.find(({ name }) => name === request.ifName)?.mtu,
    queues: conf.queues,
    podMac: before.interfaces.find(({ name }) => name === request.ifName)?.mac,
    allowForwarding: conf.allowForwarding,
    routes: routesOf(conf),
    hasHostRoutes: true,
    nodePid: ctx.world.self.pid,
  };
  const steps = wiringSteps(wiring, true);
  const [node, inside] = await Promise.all([
    endOf(ctx, wiring.hostInterface, steps, 'node'),
    endOf(ctx, wiring.podInterface, steps, 'pod'),
  ]);
  const missing = missingSteps(steps, { node, pod: inside });
  if (missing.length === 0) return;
  const list = missing.map((step) => `${step.side === 'pod' ? 'in the pod: ' : ''}${argvOf(step).join(' ')}`);
  throw new CniError('the network of the pod is not as ADD made it', undefined, `missing: ${list.join('; ')}`);
}

/** Errors: CniError when a probe failed, except because what it asks for does not exist. */
async function endOf(
  { request, helper }: CallContext,
  device: string,
  steps: readonly Step[],
  side: Side,
): Promise<EndState> {
  const answers: EndAnswer[] = [];
  for (const { subject, argv } of endProbes(device, steps, side)) {
    const { exit, stdout, stderr } = await helper(side === 'pod' ? [...inNamespace(request.netns), ...argv] : argv);
    if (exit !== 0 && !saysAbsent(stderr)) {
      const why = stderr.trim() || `exit code ${exit}`;
      throw new CniError(`the state of ${device} could not be read`, undefined, `${argv.join(' ')}: ${why}`);
    }
    answers.push({ subject, stdout });
  }
  const { state, problems } = endState(device, answers);
  if (problems.length > 0) throw new CniError(`the state of ${device} was not understood: ${problems.join('; ')}`);
  return state;
}
