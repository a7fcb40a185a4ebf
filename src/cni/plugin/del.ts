// DEL of the main plugin: takes the addresses from the pod, disconnects it, and releases them. Everything that is gone
// already is fine. Rules: docs/reference/cni.md#del
import type { PluginContext } from '../plugin-context.ts';
import { ipamRelease } from './ipam-calls.ts';
import { clearAddresses } from './pod-addresses.ts';
import { unwirePod } from './wire-pod.ts';

/** The name of the interface that Calico's endpoints of pods have. */
const endpointInterface = 'eth0';

/** Errors: CniError, after which the runtime tries again. */
export async function del(ctx: PluginContext): Promise<void> {
  const { pod } = ctx;
  const isPod = pod.pod !== '' && pod.namespace !== '';
  if (isPod && ctx.request.ifName === endpointInterface) await clearAddresses(ctx);
  await unwirePod(ctx);
  await ipamRelease(ctx);
}
