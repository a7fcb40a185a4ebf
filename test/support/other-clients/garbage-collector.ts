// Calico's own garbage collector of addresses (kube-controllers), kept small: it runs next to calictl in a real cluster.
// It judges from blocks, pods and nodes alone and never reads affinities or handles; its releases are guarded.
import { type Datastore, getIfAny, listAll } from '../../../src/datastore/datastore.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { releaseBlockAffinity } from '../../../src/ipam/affinity/affinity-release.ts';
import {
  addressOf,
  allocatedOrdinals,
  attributesOf,
  effectiveHandle,
  ownerOf,
  sequenceOf,
} from '../../../src/ipam/block/block.ts';
import { getLive } from '../../../src/ipam/deletion.ts';
import { releaseIps } from '../../../src/ipam/release/release.ts';
import { noPrecondition } from '../../../src/ipam/repair/repair-outcome.ts';
import { hasEndpoint, isFinished, podAddresses } from '../../../src/resources/convert/pod-addresses.ts';
import type { BlockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { type IPAMBlock, ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';
import { calicoNode } from '../../../src/resources/kinds/node.ts';
import { type Pod, pod as podKind } from '../../../src/resources/kinds/pod.ts';
import { affinityName, windowsHandle } from '../../../src/resources/names.ts';

export interface CollectorView {
  readonly blocks: readonly IPAMBlock[];
  readonly pods: readonly Pod[];
  /** Names. */
  readonly nodes: ReadonlySet<string>;
}

/** What the collector remembers between passes: since when, in ms, something has looked wrong. */
export interface Marks {
  /** By allocation: `<handle>/<address>`. */
  readonly invalid: ReadonlyMap<string, number>;
  /** By block CIDR. */
  readonly empty: ReadonlyMap<string, number>;
}

export const noMarks: Marks = { invalid: new Map(), empty: new Map() };

export interface Leak {
  readonly address: string;
  readonly handle: string;
  readonly sequenceNumber: bigint;
  readonly node: string;
  /** The pod it names; undefined for a tunnel. */
  readonly pod: { readonly namespace: string; readonly name: string } | undefined;
}

export interface Judged {
  readonly marks: Marks;
  /** Confirmed, with every other allocation of their handles. */
  readonly leaks: readonly Leak[];
  /** Blocks that their owners do not need. */
  readonly surplus: readonly IPAMBlock[];
  /** Deleted nodes: their empty blocks are released. */
  readonly goneNodes: readonly string[];
}

const tunnels: readonly (string | undefined)[] = [
  'ipipTunnelAddress',
  'vxlanTunnelAddress',
  'vxlanV6TunnelAddress',
  'wireguardTunnelAddress',
  'wireguardV6TunnelAddress',
];

/** One pass over a snapshot. A grace period of 0 confirms nothing, as in Calico. */
export function judge(view: CollectorView, before: Marks, nowMs: number, graceMs: number): Judged {
  const pods = new Map(view.pods.map((pod) => [`${pod.metadata.namespace}/${pod.metadata.name}`, pod]));
  const invalid = new Map<string, number>();
  const confirmed: Leak[] = [];
  const spared = new Set<string>();
  const held = new Set<string>();
  const tunnelsOf = new Map<string, Leak[]>();
  for (const { leak, type } of allocationsIn(view.blocks)) {
    const nodeLives = view.nodes.has(leak.node);
    if (leak.pod === undefined) {
      if (tunnels.includes(type)) tunnelsOf.set(leak.node, [...(tunnelsOf.get(leak.node) ?? []), leak]);
      else held.add(leak.node);
      spared.add(leak.handle);
      continue;
    }
    if (isValid(leak, pods.get(`${leak.pod.namespace}/${leak.pod.name}`))) {
      held.add(leak.node);
      spared.add(leak.handle);
      continue;
    }
    const id = `${leak.handle}/${leak.address}`;
    const since = before.invalid.get(id) ?? nowMs;
    invalid.set(id, since);
    if (graceMs > 0 && (!nodeLives || nowMs - since > graceMs)) confirmed.push(leak);
    else spared.add(leak.handle);
  }
  const goneNodes = [...nodesNamed(view.blocks)].filter((node) => !view.nodes.has(node) && !held.has(node));
  const ofGoneNodes = goneNodes.flatMap((node) => tunnelsOf.get(node) ?? []);
  const { empty, surplus } = judgeBlocks(view.blocks, before, nowMs, graceMs);
  return {
    marks: { invalid, empty },
    leaks: [...confirmed.filter(({ handle }) => !spared.has(handle)), ...ofGoneNodes],
    surplus,
    goneNodes,
  };
}

/** All allocations that the collector considers: those with a handle and a node, without the Windows reserve. */
function* allocationsIn(blocks: readonly IPAMBlock[]): Generator<{ leak: Leak; type: string | undefined }> {
  for (const block of blocks) {
    for (const ordinal of allocatedOrdinals(block)) {
      const handle = effectiveHandle(block, ordinal);
      const secondary = attributesOf(block)[block.spec.allocations[ordinal] as number]?.secondary ?? {};
      const { node, pod, namespace, type } = secondary;
      if (handle === '' || handle.toLowerCase() === windowsHandle || !node) continue;
      const named = pod && namespace ? { namespace, name: pod } : undefined;
      const address = addressOf(block, ordinal);
      yield { leak: { address, handle, sequenceNumber: sequenceOf(block, ordinal), node, pod: named }, type };
    }
  }
}

function isValid({ address, node }: Leak, pod: Pod | undefined): boolean {
  if (pod === undefined) return false;
  if (pod.spec?.nodeName && pod.spec.nodeName !== node) return false;
  const { podIP, podIPs, phase, reason } = pod.status ?? {};
  if (!podIP && !podIPs?.length) return true;
  if (phase === 'Failed' && reason === 'Evicted') return false;
  return hasEndpoint(pod) && !isFinished(pod) && podAddresses(pod).includes(address);
}

function nodesNamed(blocks: readonly IPAMBlock[]): Set<string> {
  const owners = blocks.map(ownerOf).filter((owner) => owner?.type === 'host');
  const holders = [...allocationsIn(blocks)].map(({ leak }) => leak.node);
  return new Set([...owners.map((owner) => owner?.name ?? ''), ...holders]);
}

/** Empty blocks of owners with more than one block, of whatever family, that have been empty for longer than the grace. */
function judgeBlocks(
  blocks: readonly IPAMBlock[],
  before: Marks,
  nowMs: number,
  graceMs: number,
): { empty: Map<string, number>; surplus: IPAMBlock[] } {
  const empty = new Map<string, number>();
  const surplus: IPAMBlock[] = [];
  const count = new Map<string, number>();
  const ownerOfBlock = (block: IPAMBlock): string | undefined => {
    const owner = ownerOf(block);
    return owner?.type === 'host' ? owner.name : undefined;
  };
  for (const block of blocks) {
    const owner = ownerOfBlock(block);
    if (owner !== undefined) count.set(owner, (count.get(owner) ?? 0) + 1);
  }
  for (const block of blocks) {
    const owner = ownerOfBlock(block);
    if (owner === undefined || allocatedOrdinals(block).length > 0) continue;
    const since = before.empty.get(block.spec.cidr) ?? nowMs;
    empty.set(block.spec.cidr, since);
    const left = count.get(owner) ?? 0;
    if (left < 2 || graceMs <= 0 || nowMs - since <= graceMs) continue;
    surplus.push(block);
    count.set(owner, left - 1);
  }
  return { empty, surplus };
}

export interface CollectOptions {
  readonly nowMs: number;
  readonly graceMs: number;
}

export interface Collected {
  readonly marks: Marks;
  readonly released: readonly string[];
}

/** One pass over a store: reads, judges, checks each leak again, releases. Failures are left to the next pass. */
export async function collectGarbage(store: Datastore, before: Marks, options: CollectOptions): Promise<Collected> {
  const [blocks, nodes, pods] = await Promise.all([
    listAll(store, ipamBlock),
    listAll(store, calicoNode),
    listAll(store, podKind),
  ]);
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const { marks, leaks, surplus, goneNodes } = judge(
    { blocks, pods, nodes: names },
    before,
    options.nowMs,
    options.graceMs,
  );
  const revived = new Set<string>();
  for (const leak of leaks) {
    if (leak.pod === undefined || !names.has(leak.node)) continue;
    if (isValid(leak, await getIfAny(store, podKind, leak.pod))) revived.add(leak.handle);
  }
  const ipam = ipamStoreOf(store);
  const going = leaks.filter(({ handle }) => !revived.has(handle));
  const { released } =
    going.length === 0
      ? { released: [] }
      : await releaseIps(
          ipam,
          going.map(({ address, handle, sequenceNumber }) => ({ address, handle, sequenceNumber })),
        );
  const giveUp = async (affinity: BlockAffinity): Promise<void> => {
    await releaseBlockAffinity(ipam, affinity, { mustBeEmpty: true }, noPrecondition);
  };
  for (const block of surplus) {
    const affinity = await getLive(ipam.affinities, affinityName(ownerOf(block)?.name ?? '', block.spec.cidr));
    if (affinity.ok) await giveUp(affinity.value);
  }
  for (const node of goneNodes) {
    const claims = await ipam.affinities.list();
    for (const claim of claims) if (claim.spec.node === node && claim.spec.type !== 'virtual') await giveUp(claim);
  }
  return { marks, released };
}
