// GC: releases the addresses of containers that the runtime no longer lists. Rules: docs/reference/cni.md#gc
import { ipamStoreOf } from '../../datastore/stored-ipam.ts';
import { addressOf, allocatedOrdinals, attributesOf, handleOf, sequenceOf } from '../../ipam/block/block.ts';
import { type GuardedRelease, releaseInBlock } from '../../ipam/release/release.ts';
import type { IPAMBlock } from '../../resources/kinds/ipam-block.ts';
import { groupBy } from '../../text/group-by.ts';
import { isObject } from '../../text/plain-values.ts';
import { calicoText } from '../error-text.ts';
import { withIpamLock } from '../ipam/ipam-lock.ts';
import type { PluginContext } from '../plugin-context.ts';
import { CniError, cniErrorCodes } from '../protocol/cni-error.ts';
import { delegate } from './delegate.ts';

/** The containers that the runtime lists. Errors: CniError without a list, for then every container would seem gone. */
function validContainers(raw: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const list = raw['cni.dev/valid-attachments'];
  if (!Array.isArray(list)) {
    throw new CniError('GC needs the list cni.dev/valid-attachments', cniErrorCodes.invalidConfiguration);
  }
  const ids = list.map((entry) => (isObject(entry) ? entry['containerID'] : undefined));
  if (ids.some((id) => typeof id !== 'string' || id === '')) {
    throw new CniError('an entry of cni.dev/valid-attachments has no containerID', cniErrorCodes.invalidConfiguration);
  }
  return new Set(ids.map((id) => String(id).toLowerCase()));
}

/**
 * Releases every address that this node has on the network for a container that is not listed, each only while the same
 * allocation holds it. Errors: CniError, also when an address was not released because its block changed meanwhile.
 */
export async function gc(ctx: PluginContext): Promise<void> {
  const { conf, world, log } = ctx;
  const valid = validContainers(conf.raw);
  if (conf.ipam.type !== 'calico-ipam') {
    await delegate(ctx, 'GC', conf.raw);
    return;
  }
  const store = ipamStoreOf(ctx.datastore, { signal: world.signal });
  const kept: string[] = [];
  try {
    await withIpamLock(conf.ipamLockFile, world, log, async () => {
      const gone = (await store.blocks.list()).flatMap((block) => releasesIn(ctx, block, valid));
      for (const [name, requests] of groupBy(gone, ({ block }) => block)) {
        const outcomes = await releaseInBlock(store, name, requests, async () => undefined);
        const released = requests.filter((_, at) => outcomes[at]?.outcome === 'applied').map(({ address }) => address);
        if (released.length > 0) log.info('released the addresses of containers that are gone', { released });
        for (const [at, { address }] of requests.entries()) {
          const { outcome, detail: why } = outcomes[at] ?? {};
          if (outcome === 'applied') continue;
          log.info('an address of a container that is gone was not released', { address, why });
          if (outcome === 'conflict') kept.push(`${address}: ${why}`);
        }
      }
    });
  } catch (error) {
    throw new CniError(calicoText(error, 'IPAMBlock'));
  }
  if (kept.length > 0) throw new CniError('addresses were not released', undefined, kept.join('; '));
}

function releasesIn({ conf, node }: PluginContext, block: IPAMBlock, valid: ReadonlySet<string>): GuardedRelease[] {
  const prefix = `${conf.name}.`.toLowerCase();
  return allocatedOrdinals(block).flatMap((ordinal) => {
    const handle = handleOf(block, ordinal) ?? '';
    const index = block.spec.allocations[ordinal];
    const attributes = attributesOf(block)[Number(index)]?.secondary;
    const container = handle.toLowerCase().slice(prefix.length);
    const isOurs = handle.toLowerCase().startsWith(prefix) && attributes?.['node'] === node;
    // The handle `a.b.c` may be of the network `a.b` as well, and of the virtual machine `vmi.b.c` on the network `a`.
    if (!isOurs || container.includes('.') || valid.has(container)) return [];
    // The first releases of Calico named handles NAMESPACE.POD.
    if (handle === `${attributes?.['namespace']}.${attributes?.['pod']}`) return [];
    const sequenceNumber = sequenceOf(block, ordinal);
    return [{ block: block.metadata.name, address: addressOf(block, ordinal), handle, sequenceNumber }];
  });
}
