// Waits until Felix says that the policies of a new pod are in place, if the configuration asks for it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginContext } from '../plugin-context.ts';

const pollMs = 100;

/** Returns when Felix's status file of the endpoint is there, or the time is over, which is only logged. */
export async function awaitPolicy({ conf, node, pod, world, log }: PluginContext, device: string): Promise<void> {
  const limitMs = conf.policySetupTimeoutSeconds * 1000;
  if (limitMs <= 0) return;
  const file = join(conf.endpointStatusDir, `k8s ${pod.namespace}%2F${pod.pod} eth0`);
  const end = world.clock.now().getTime() + limitMs;
  while (!existsSync(file)) {
    if (world.clock.now().getTime() >= end) {
      log.warning('the policies of the pod may not be in place yet', {
        node,
        interface: device,
        seconds: limitMs / 1000,
      });
      return;
    }
    await world.clock.sleep(pollMs, world.signal);
  }
}
