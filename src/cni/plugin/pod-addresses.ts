// The addresses of a pod as annotations of its object, which ADD writes and DEL empties.
import { DatastoreError, getIfAny } from '../../datastore/datastore.ts';
import { networkOf } from '../../net/cidr.ts';
import { formatIp, type IpAddress } from '../../net/ip.ts';
import { hasEndpoint, podAnnotations } from '../../resources/convert/pod-addresses.ts';
import { type Pod, pod as podKind } from '../../resources/kinds/pod.ts';
import { serverText } from '../error-text.ts';
import type { PluginContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';

/**
 * Writes them with one patch of the pod's status. It does not depend on the revision, so that nothing that others write at
 * the same time can make it fail. Errors: DatastoreError, also when the pod has another `uid` by now.
 */
export async function writeAddresses(
  { datastore, pod, request, world }: PluginContext,
  addresses: readonly IpAddress[],
  uid: string | undefined,
): Promise<void> {
  const texts = addresses.map((ip) => {
    const { prefix } = networkOf(ip, ip.version === 4 ? 32 : 128);
    return `${formatIp(ip)}/${prefix}`;
  });
  const annotations = {
    [podAnnotations.containerId]: request.containerId,
    [podAnnotations.podIP]: texts[0] ?? '',
    [podAnnotations.podIPs]: texts.join(','),
  };
  if (datastore.annotateStatus === undefined) throw new CniError('the datastore cannot annotate pods');
  await datastore.annotateStatus(podKind, { name: pod.pod, namespace: pod.namespace }, { annotations, uid }, world);
}

const attempts = 6;

/**
 * Empties the annotations of the pod, unless it belongs to a later container by now, or is not the one with `onlyUid`.
 * Errors: CniError, DatastoreError.
 */
export async function clearAddresses(ctx: PluginContext, onlyUid?: string): Promise<void> {
  const { datastore, world, pod, log } = ctx;
  const ref = { name: pod.pod, namespace: pod.namespace };
  for (let attempt = 1; ; attempt++) {
    const found = await getIfAny(datastore, podKind, ref, { signal: world.signal });
    if (found === undefined || !isOwn(ctx, found)) return;
    const { uid, resourceVersion } = found.metadata;
    if (onlyUid !== undefined && uid !== onlyUid) return;
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
