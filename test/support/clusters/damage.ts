// Damages a cluster of seeded-cluster.ts in one way at a time, chosen by a seed, and returns what was damaged.
import { addressAt, formatCidr, networkOf, parseCidr } from '../../../src/net/cidr.ts';
import { addToIp, formatIp } from '../../../src/net/ip.ts';
import { affinityLabels, affinityName, blockName, handleName } from '../../../src/resources/names.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { type BlockSpec, type Cluster, pick, seeded, uidOf } from './seeded-cluster.ts';

/** A damage: its name, the invariants that it breaks, and the address or object. */
export interface Damage {
  readonly name: DamageName;
  readonly invariants: readonly string[];
  readonly where: string;
}

type Random = () => number;

const ofKind = (cluster: Cluster, kind: string): KubeObject[] =>
  cluster.objects.filter((object) => object.kind === kind);
const specOf = (object: KubeObject): BlockSpec => object.spec as BlockSpec;

function remove(cluster: Cluster, object: KubeObject): void {
  cluster.objects.splice(cluster.objects.indexOf(object), 1);
}

function podAddress(pod: KubeObject): string {
  return String((pod.status as { podIP?: string }).podIP);
}

/** Pods whose address has not been damaged yet. */
function untouched(cluster: Cluster): KubeObject[] {
  return ofKind(cluster, 'Pod').filter(
    (pod) => pod['damaged'] !== true && pod.metadata.labels?.['damaged'] === undefined,
  );
}

function touch(pod: KubeObject): void {
  pod.metadata.labels = { ...pod.metadata.labels, damaged: 'yes' };
}

function blockOf(cluster: Cluster, pod: KubeObject): { spec: BlockSpec; ordinal: number; handle: string } | undefined {
  const container = pod.metadata.annotations?.['cni.projectcalico.org/containerID'];
  for (const block of ofKind(cluster, 'IPAMBlock')) {
    const spec = specOf(block);
    const ordinal = spec.allocations.findIndex(
      (index) => index !== null && spec.attributes[index]?.handle_id === `k8s-pod-network.${container}`,
    );
    if (ordinal >= 0) return { spec, ordinal, handle: `k8s-pod-network.${container}` };
  }
  return undefined;
}

function setAddress(pod: KubeObject, address: string): void {
  pod.status = { ...(pod.status as object), podIP: address, podIPs: [{ ip: address }] };
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    'cni.projectcalico.org/podIP': `${address}/32`,
    'cni.projectcalico.org/podIPs': `${address}/32`,
  };
}

const damages = {
  /** A pod is deleted, its address stays allocated. */
  leak(cluster, random) {
    const pods = untouched(cluster);
    if (pods.length === 0) return undefined;
    const pod = pick(random, pods);
    remove(cluster, pod);
    return { invariants: ['INV-53'], where: podAddress(pod) };
  },
  /** A pod has finished and still holds its address. */
  finishedPod(cluster, random) {
    const pods = untouched(cluster);
    if (pods.length === 0) return undefined;
    const pod = pick(random, pods);
    touch(pod);
    pod.status = { ...(pod.status as object), phase: pick(random, ['Succeeded', 'Failed']) };
    return { invariants: ['INV-60'], where: podAddress(pod) };
  },
  strayHandle(cluster, random) {
    const handleID = `k8s-pod-network.${Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
      .repeat(8)}`;
    const block = pick(random, ofKind(cluster, 'IPAMBlock'));
    const at = cluster.madeAt.toISOString().replace(/\.\d+Z/, 'Z');
    cluster.objects.push({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPAMHandle',
      metadata: {
        name: handleName(handleID),
        uid: uidOf(handleID),
        resourceVersion: '7',
        creationTimestamp: at,
        annotations: { 'projectcalico.org/metadata': '{"creationTimestamp":null}' },
      },
      spec: { handleID, block: { [specOf(block).cidr]: 1 }, deleted: false },
    });
    return { invariants: ['INV-45'], where: handleName(handleID) };
  },
  missingHandle(cluster, random) {
    const pods = untouched(cluster);
    if (pods.length === 0) return undefined;
    const pod = pick(random, pods);
    const found = blockOf(cluster, pod);
    const handle = ofKind(cluster, 'IPAMHandle').find(
      (object) => object.metadata.name === handleName(found?.handle ?? ''),
    );
    if (handle === undefined) return undefined;
    touch(pod);
    remove(cluster, handle);
    return { invariants: ['INV-46'], where: handle.metadata.name };
  },
  /** A running pod's address is free in its block, and its handle is deleted. */
  unallocated(cluster, random) {
    const pods = untouched(cluster);
    if (pods.length === 0) return undefined;
    const pod = pick(random, pods);
    const found = blockOf(cluster, pod);
    if (found === undefined) return undefined;
    touch(pod);
    const { spec, ordinal, handle } = found;
    const index = spec.allocations[ordinal] as number;
    spec.attributes.splice(index, 1);
    spec.allocations = spec.allocations.map((value, at) =>
      at === ordinal || value === null ? null : value > index ? value - 1 : value,
    );
    spec.unallocated.push(ordinal);
    delete spec.sequenceNumberForAllocation[String(ordinal)];
    const object = ofKind(cluster, 'IPAMHandle').find(({ metadata }) => metadata.name === handleName(handle));
    if (object !== undefined) remove(cluster, object);
    return { invariants: ['INV-54'], where: podAddress(pod) };
  },
  /** A pod has an address outside all pools; its former one remains allocated. */
  foreignAddress(cluster, random) {
    const pods = untouched(cluster);
    if (pods.length === 0) return undefined;
    const pod = pick(random, pods);
    touch(pod);
    const own = podAddress(pod);
    setAddress(pod, `172.20.${Math.floor(random() * 250)}.${1 + Math.floor(random() * 250)}`);
    return { invariants: ['INV-55'], where: own };
  },
  /** Two pods have the same address. */
  sharedAddress(cluster, random) {
    const pods = untouched(cluster);
    if (pods.length < 2) return undefined;
    const pod = pick(random, pods);
    const other = pick(
      random,
      pods.filter((candidate) => candidate !== pod),
    );
    touch(pod);
    touch(other);
    setAddress(pod, podAddress(other));
    return { invariants: ['INV-56'], where: podAddress(other) };
  },
  hostNetworkPod(cluster, random) {
    const pods = untouched(cluster);
    if (pods.length === 0) return undefined;
    const pod = pick(random, pods);
    touch(pod);
    pod.spec = { ...(pod.spec as object), hostNetwork: true };
    return { invariants: ['INV-61'], where: podAddress(pod) };
  },
  lostOrdinal(cluster, random) {
    const block = pick(random, ofKind(cluster, 'IPAMBlock'));
    if (specOf(block).unallocated.length < 2) return undefined;
    specOf(block).unallocated.pop();
    return { invariants: ['INV-08'], where: block.metadata.name };
  },
  pendingAffinity(cluster, random) {
    const affinity = pick(random, ofKind(cluster, 'BlockAffinity'));
    affinity.spec = { ...(affinity.spec as object), state: 'pending' };
    return { invariants: ['INV-32'], where: affinity.metadata.name };
  },
  missingAffinity(cluster, random) {
    const affinities = ofKind(cluster, 'BlockAffinity');
    if (affinities.length < 2) return undefined;
    const affinity = pick(random, affinities);
    remove(cluster, affinity);
    return { invariants: ['INV-28'], where: blockName((affinity.spec as { cidr: string }).cidr) };
  },
  /** The pool of some blocks is deleted. */
  orphanBlock(cluster, random) {
    const pool = pick(random, ofKind(cluster, 'IPPool'));
    const base = parseCidr('10.99.0.0/16');
    if (base === undefined || pool === undefined) return undefined;
    const cidr = formatCidr(networkOf(addToIp(base.base, Math.floor(random() * 1000) * 64), 26));
    const node = pick(random, ofKind(cluster, 'Node')).metadata.name;
    const spec: BlockSpec = {
      cidr,
      affinity: `host:${node}`,
      allocations: Array.from({ length: 64 }, () => null),
      unallocated: Array.from({ length: 64 }, (_, ordinal) => ordinal),
      attributes: [],
      sequenceNumber: BigInt(cluster.madeAt.getTime()) * 1_000_000n,
      sequenceNumberForAllocation: {},
      deleted: false,
      strictAffinity: false,
    };
    cluster.objects.push({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPAMBlock',
      metadata: {
        name: blockName(cidr),
        uid: uidOf(cidr),
        resourceVersion: '8',
        creationTimestamp: cluster.madeAt.toISOString().replace(/\.\d+Z/, 'Z'),
      },
      spec,
    });
    const labels = affinityLabels(node, 'host', cidr);
    cluster.objects.push({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'BlockAffinity',
      metadata: {
        name: affinityName(node, cidr),
        labels,
        uid: uidOf(`${node} ${cidr}`),
        resourceVersion: '9',
        creationTimestamp: cluster.madeAt.toISOString().replace(/\.\d+Z/, 'Z'),
      },
      spec: { cidr, deleted: 'false', node, state: 'confirmed', type: 'host' },
    });
    return { invariants: ['INV-19'], where: blockName(cidr) };
  },
  disabledPool(cluster, random) {
    const pool = pick(random, ofKind(cluster, 'IPPool'));
    pool.spec = { ...(pool.spec as object), disabled: true };
    return { invariants: [], where: pool.metadata.name };
  },
  /** An allocation that names no handle and no owner. */
  anonymous(cluster, random) {
    const block = pick(random, ofKind(cluster, 'IPAMBlock'));
    const spec = specOf(block);
    const ordinal = spec.unallocated.shift();
    const cidr = parseCidr(spec.cidr);
    if (ordinal === undefined || cidr === undefined) return undefined;
    spec.allocations[ordinal] = spec.attributes.length;
    spec.attributes.push({});
    spec.sequenceNumberForAllocation[String(ordinal)] = spec.sequenceNumber;
    spec.sequenceNumber += 1n;
    return { invariants: ['INV-53'], where: formatIp(addressAt(cidr, ordinal)) };
  },
} satisfies Record<string, (cluster: Cluster, random: Random) => Omit<Damage, 'name'> | undefined>;

export type DamageName = keyof typeof damages;

export const damageNames = Object.keys(damages) as readonly DamageName[];

/** Damages the cluster in the named way; undefined if the cluster has no undamaged object for it. */
export function damageOnce(name: DamageName, cluster: Cluster, random: Random): Damage | undefined {
  const done = damages[name](cluster, random);
  return done === undefined ? undefined : { name, ...done };
}

/** Damages the cluster in up to `most` ways picked by the seed. */
export function damageRandomly(
  cluster: Cluster,
  seed: number,
  most: number,
  names: readonly DamageName[] = damageNames,
): Damage[] {
  const random = seeded(seed);
  const count = Math.floor(random() * (most + 1));
  return Array.from({ length: count }, () => damageOnce(pick(random, names), cluster, random)).filter(
    (done) => done !== undefined,
  );
}
