// The labels and the type that block affinities should have. Old ones lack them, and then their node does not see them.
// Rules: docs/reference/ipam.md#ownership-by-hand.
import { v3ApiVersion } from '../../resources/kind.ts';
import { affinityType, type BlockAffinity } from '../../resources/kinds/block-affinity.ts';
import { affinityLabels, affinityMetadata, METADATA_ANNOTATION } from '../../resources/names.ts';
import { isObject } from '../../text/plain-values.ts';
import type { Owner } from '../block/block.ts';
import { isTombstone } from '../deletion.ts';
import type { IpamStore } from '../ipam-store.ts';
import { maxRetries, retriesExhausted } from '../retries.ts';

/**
 * The affinity with the right type and labels; everything else stays. Undefined when they are right already. `hash`: the
 * hostname hash of its node, if the caller knows it.
 */
export function relabelled(affinity: BlockAffinity, hash?: string): BlockAffinity | undefined {
  const { metadata, spec } = affinity;
  const type = affinityType(affinity);
  const labels = affinityLabels(spec.node, type, spec.cidr, hash);
  const wrong = Object.entries(labels).some(([key, value]) => metadata.labels?.[key] !== value);
  if (!wrong && spec.type === type) return undefined;
  const right = {
    ...affinity,
    metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
    spec: { ...spec, type },
  };
  // In projectcalico.org/v3 labels are nowhere else.
  if (affinity.apiVersion === v3ApiVersion) return right;
  const annotations = {
    ...metadata.annotations,
    [METADATA_ANNOTATION]: withLabels(metadata.annotations?.[METADATA_ANNOTATION], labels),
  };
  return { ...right, metadata: { ...right.metadata, annotations } };
}

/** The metadata annotation of Calico with the labels in it; a new one when it is missing or not a JSON object. */
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
 * Corrects labels and type of an owner's affinities, so that the owner finds its blocks. An affinity without a type is that
 * of a node. Returns the names of the affinities that were written.
 */
export async function upgradeHost(store: IpamStore, owner: Owner): Promise<string[]> {
  const written: string[] = [];
  for (const affinity of await store.affinities.list()) {
    if (affinity.spec.node !== owner.name || affinityType(affinity) !== owner.type) continue;
    if (await relabel(store, affinity)) written.push(affinity.metadata.name);
  }
  return written;
}

/** Corrects one affinity, reading it again after each conflict. Returns whether it was written. */
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
