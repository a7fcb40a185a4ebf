// What calico-ipam does for DEL: releases all addresses of the container, those of repeated ADDs too.
import { ipamStoreOf } from '../../datastore/stored-ipam.ts';
import { releaseByHandle } from '../../ipam/release/release.ts';
import { calicoText } from '../error-text.ts';
import { handleOf, type PluginContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';
import { withIpamLock } from './ipam-lock.ts';

/** Releases the addresses; none is not an error. Errors: CniError, after which the runtime tries again. */
export async function ipamDel(ctx: PluginContext): Promise<void> {
  const { conf, request, pod, world, log } = ctx;
  const store = ipamStoreOf(ctx.datastore, { signal: world.signal });
  // Releases from the first years of Calico named the handle after the pod, or the container alone.
  const old = pod.pod === '' ? request.containerId : `${pod.namespace}.${pod.pod}`;
  await withIpamLock(conf.ipamLockFile, world, log, async () => {
    for (const handle of [handleOf(conf, request.containerId), old]) {
      try {
        const { released } = await releaseByHandle(store, handle);
        log.info('released the addresses of a handle', { handle, released });
      } catch (error) {
        throw new CniError(calicoText(error, `IPAMHandle(${handle})`));
      }
    }
  });
}
