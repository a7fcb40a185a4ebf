// DEL of the main plugin: takes the addresses from the pod, disconnects it, and releases them. Everything that is gone
// already is fine. Rules: docs/reference/cni.md#del
import { DatastoreError, getIfAny } from '../../datastore/datastore.ts';
import { hasEndpoint, podAnnotations } from '../../resources/convert/pod-addresses.ts';
import { hostInterfaceName } from '../../resources/convert/workload-endpoint-of-pod.ts';
import { type Pod, pod as podKind } from '../../resources/kinds/pod.ts';
import { serverText } from '../error-text.ts';
import type { PluginContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';
import { interfacePrefix } from './add.ts';
import { ipamRelease } from './ipam-calls.ts';
import { unwirePod } from './wire-pod.ts';

/** The name of the interface that Calico's endpoints of pods have. */
const endpointInterface = 'eth0';
const attempts = 6;

/** Errors: CniError, after which the runtime tries again. */
export async function del(ctx: PluginContext): Promise<void> {
  const { pod } = ctx;
  const isPod = pod.pod !== '' && pod.namespace !== '';
  if (isPod && ctx.request.ifName === endpointInterface) await clearAddresses(ctx);
  await unwirePod(ctx, hostInterfaceName(pod.namespace, pod.pod, interfacePrefix(ctx)));
  await ipamRelease(ctx);
}

/** Empties the annotations of the pod, unless it belongs to a later container by now. */
async function clearAddresses(ctx: PluginContext): Promise<void> {
  const { datastore, world, pod, log } = ctx;
  const ref = { name: pod.pod, namespace: pod.namespace };
  for (let attempt = 1; ; attempt++) {
    const found = await getIfAny(datastore, podKind, ref, { signal: world.signal });
    if (found === undefined || !isOwn(ctx, found)) return;
    const { uid, resourceVersion } = found.metadata;
    const annotations = { [podAnnotations.podIP]: '', [podAnnotations.podIPs]: '' };
    try {
      await datastore.annotateStatus?.(podKind, ref, { annotations, uid, resourceVersion }, world);
      return;
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      if (error.reason === 'not-found') return;
      if (error.reason !== 'conflict' || attempt === attempts) throw new CniError(serverText(error));
      log.debug('the pod changed meanwhile: reading it again', { attempt });
    }
  }
}

function isOwn({ node, request, log }: PluginContext, pod: Pod): boolean {
  if (!hasEndpoint(pod) || pod.spec?.nodeName !== node) return false;
  const container = pod.metadata.annotations?.[podAnnotations.containerId] ?? '';
  if (container === '' || container === request.containerId) return true;
  log.info('the pod belongs to a later container: its endpoint is kept', { container });
  return false;
}
