// Labels and type of block affinities, as they should be: old ones lack them, and then their node does not see them.
// Rules: docs/reference/ipam.md#ownership-by-hand.
import { affinityType, type BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import { affinityLabels, affinityMetadata, METADATA_ANNOTATION } from '../../resources/names.ts';
import { isObject } from '../../text/plain-values.ts';
import type { Owner } from '../block/block.ts';
import { isTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';

/**
 * The affinity with its type and its three labels right; all else stays. Undefined when they are right already.
 * `hash`: the hostname hash of its node, where the caller knows it.
 */
export function relabelled(affinity: BlockAffinity, hash?: string): BlockAffinity | undefined {
  const { metadata, spec } = affinity;
  const type = affinityType(affinity);
  const labels = affinityLabels(spec.node, type, spec.cidr, hash);
  const wrong = Object.entries(labels).some(([key, value]) => metadata.labels?.[key] !== value);
  if (!wrong && spec.type === type) return undefined;
  const annotations = {
    ...metadata.annotations,
    [METADATA_ANNOTATION]: withLabels(metadata.annotations?.[METADATA_ANNOTATION], labels),
  };
  return {
    ...affinity,
    metadata: { ...metadata, labels: { ...metadata.labels, ...labels }, annotations },
    spec: { ...spec, type },
  };
}

/** Calico's own metadata with the labels in it; made anew when it is missing or no object. */
function withLabels(stored: string | undefined, labels: Readonly<Record<string, string>>): string {
  const before = objectOf(stored);
  if (before === undefined) return affinityMetadata(labels);
  const others = typeof before.labels === 'object' && before.labels !== null ? before.labels : {};
  return JSON.stringify({ ...before, labels: { ...others, ...labels } });
}

function objectOf(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Puts labels and type of an owner's affinities right, so that the owner finds its blocks. An affinity without a type is
 * a node's. Answers the names of those it wrote.
 */
export async function upgradeHost(store: IpamStore, owner: Owner): Promise<string[]> {
  const written: string[] = [];
  for (const affinity of await store.affinities.list()) {
    if (affinity.spec.node !== owner.name || affinityType(affinity) !== owner.type) continue;
    if (await relabel(store, affinity)) written.push(affinity.metadata.name);
  }
  return written;
}

/** True when it was written; read again after each conflict. */
async function relabel(store: IpamStore, listed: BlockAffinity): Promise<boolean> {
  let affinity = listed;
  for (let attempt = 0; attempt < maxRetries; attempt++) {
    const right = isTombstone(affinity) ? undefined : relabelled(affinity);
    if (right === undefined) return false;
    if ((await store.affinities.update(right)).ok) return true;
    const again = await store.affinities.get(affinity.metadata.name);
    if (!again.ok) return false;
    affinity = again.value;
  }
  throw retriesExhausted();
}
