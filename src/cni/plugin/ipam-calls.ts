// The IPAM of the configuration: Calico's own in this process, any other as a plugin of its own.
import { calicoNode } from '../../resources/kinds/node.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import { serverText } from '../error-text.ts';
import { ipamDel } from '../ipam/release.ts';
import type { PluginContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';
import { usesPodCidr, withPodCidrs } from '../protocol/host-local.ts';
import { delegate } from './delegate.ts';

/** Releases all addresses of the container. Errors: CniError. */
export async function ipamRelease(ctx: PluginContext): Promise<void> {
  if (ctx.conf.ipam.type === 'calico-ipam') await ipamDel(ctx);
  else await delegate(ctx, 'DEL', await withNodeRanges(ctx, 'DEL'));
}

/** The same after a failure, which is what is reported: DEL releases what this leaves. */
export async function releaseAddresses(ctx: PluginContext): Promise<void> {
  try {
    await ipamRelease(ctx);
  } catch (error) {
    ctx.log.error('the addresses of the failed ADD were not released', { error: serverText(error) });
  }
}

/** The configuration for another IPAM plugin, with the ranges of the node in place of usePodCidr. */
export async function withNodeRanges(
  { conf, datastore, node, world }: PluginContext,
  command: 'ADD' | 'DEL',
): Promise<Readonly<Record<string, unknown>>> {
  if (!usesPodCidr(conf.raw)) return conf.raw;
  try {
    const found = await datastore.get(calicoNode, { name: node }, { signal: world.signal });
    return withPodCidrs(conf.raw, rangesOf(found));
  } catch (error) {
    // A release must not fail because the node is gone: as Calico does, it then names every range.
    if (command === 'DEL') return withPodCidrs(conf.raw, { 4: '0.0.0.0/0', 6: '::/0' });
    throw error instanceof CniError ? error : new CniError(serverText(error));
  }
}

/** The first range of each family that Kubernetes gave the node. */
function rangesOf({ spec }: CoreNode): Partial<Record<4 | 6, string>> {
  const all = spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
  const first = (family: 4 | 6): string | undefined => all.find((range) => range.includes(':') === (family === 6));
  const [v4, v6] = [first(4), first(6)];
  return { ...(v4 === undefined ? {} : { 4: v4 }), ...(v6 === undefined ? {} : { 6: v6 }) };
}
