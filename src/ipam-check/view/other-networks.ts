// Pods whose addresses Calico's IPAM does not assign: those of a host-local IPAM (canal, or Calico with USE_POD_CIDR), and
// those that another CNI plugin set up (a policy-only cluster, a bridge of the container runtime). Recognised by evidence.
import { addressAt, type Cidr, cidrContains, parseCidr } from '../../net/cidr.ts';
import { compareIp, type IpAddress, parseIp } from '../../net/ip.ts';
import type { IpamSnapshot, NodeRecord, PodRecord } from '../snapshot.ts';

/** What the recognition needs of the check's view. */
interface Cluster {
  readonly snapshot: IpamSnapshot;
  readonly blocks: readonly unknown[];
  readonly affinities: readonly unknown[];
  wasRead(kind: 'IPAMBlock'): boolean;
  isAllocated(ip: IpAddress): boolean;
  blockOf(ip: IpAddress): unknown;
  poolOf(ip: IpAddress): unknown;
}

/** Who assigned the address instead. */
export type OtherIpam = 'host-local' | 'another CNI plugin';

/** What speaks for and against a host-local IPAM, on one node or in the cluster. */
interface Signs {
  /** Addresses in the pod CIDR of the pod's node that no block holds. */
  outsideBlocks: number;
  /** Addresses in the pod CIDR that are allocated in a block. */
  allocated: number;
  /** Addresses in a pool, but not in the pod CIDR. */
  elsewhere: number;
}

/** A single address may be in the pod CIDR by coincidence: that of a pod whose block lies there. */
const enoughPods = 2;

const noSigns = (): Signs => ({ outsideBlocks: 0, allocated: 0, elsewhere: 0 });

export class OtherNetworks {
  readonly #view: Cluster;
  /** True when the cluster shows that Calico's plugin marks the pods that it sets up, or that Calico assigns nothing. */
  readonly #marksCount: boolean;
  readonly #withoutBlocks: boolean;
  readonly #podCidrs: ReadonlyMap<string, readonly Cidr[]>;
  readonly #hostLocalNodes: ReadonlySet<string>;
  /** True when all of the cluster uses a host-local IPAM, whatever blocks an earlier or a mistaken run left. */
  readonly #hostLocal: boolean;

  constructor(view: Cluster) {
    this.#view = view;
    const { pods, nodes } = view.snapshot;
    this.#withoutBlocks = view.blocks.length === 0 && view.affinities.length === 0 && view.wasRead('IPAMBlock');
    this.#marksCount = this.#withoutBlocks || pods.some(({ wired }) => wired);
    this.#podCidrs = new Map(nodes.map((node) => [node.name, node.podCIDRs.flatMap((text) => parseCidr(text) ?? [])]));
    const byNode = new Map<string, Signs>();
    const all = noSigns();
    for (const pod of pods) {
      if (pod.finished || pod.hostNetwork || pod.node === undefined) continue;
      const signs = byNode.get(pod.node) ?? noSigns();
      byNode.set(pod.node, signs);
      for (const address of pod.addresses) this.#count(pod.node, parseIp(address), [signs, all]);
    }
    const others = all.allocated + all.elsewhere;
    this.#hostLocal =
      all.elsewhere === 0 && all.outsideBlocks > others && (this.#withoutBlocks || all.outsideBlocks >= enoughPods);
    this.#hostLocalNodes = new Set(
      [...byNode].flatMap(([node, { outsideBlocks, allocated, elsewhere }]) =>
        allocated + elsewhere === 0 && outsideBlocks >= enoughPods ? [node] : [],
      ),
    );
  }

  /** Who assigned the address of the pod, when it was not Calico's IPAM; undefined when it was, or should have been. */
  ofPod(pod: PodRecord, ip: IpAddress): OtherIpam | undefined {
    if (this.#view.isAllocated(ip)) return undefined;
    if (this.usesHostLocal(pod.node) && this.#isInPodCidr(pod.node, ip)) return 'host-local';
    if (pod.wired || !this.#marksCount) return undefined;
    return this.#withoutBlocks || this.#view.poolOf(ip) === undefined ? 'another CNI plugin' : undefined;
  }

  /** True when Calico's IPAM assigns nothing, and its CNI plugin set up none of the pods that there are. */
  get assignsAll(): boolean {
    const { pods } = this.#view.snapshot;
    return (
      this.#withoutBlocks && pods.some(({ addresses }) => addresses.length > 0) && pods.every(({ wired }) => !wired)
    );
  }

  /** True for the tunnel address of a node with a host-local IPAM: the first address of its pod CIDR after the base. */
  isTunnelOfPodCidr({ name }: NodeRecord, ip: IpAddress): boolean {
    const isFirst = (this.#podCidrs.get(name) ?? []).some((cidr) => compareIp(addressAt(cidr, 1), ip) === 0);
    return isFirst && (this.#withoutBlocks || this.usesHostLocal(name));
  }

  /** True when a host-local IPAM assigns the addresses on the node. */
  usesHostLocal(node: string | undefined): boolean {
    return this.#hostLocal || (node !== undefined && this.#hostLocalNodes.has(node));
  }

  #isInPodCidr(node: string | undefined, ip: IpAddress): boolean {
    return (this.#podCidrs.get(node ?? '') ?? []).some((cidr) => cidrContains(cidr, ip));
  }

  #count(node: string, ip: IpAddress | undefined, counters: readonly Signs[]): void {
    if (ip === undefined) return;
    const inside = this.#isInPodCidr(node, ip);
    if (!inside && this.#view.poolOf(ip) === undefined) return;
    const sign = inside ? this.#signInPodCidr(ip) : 'elsewhere';
    if (sign !== undefined) for (const counter of counters) counter[sign]++;
  }

  /** A free address of a block says nothing: it may be that of a pod whose allocation was lost. */
  #signInPodCidr(ip: IpAddress): keyof Signs | undefined {
    if (this.#view.isAllocated(ip)) return 'allocated';
    return this.#view.blockOf(ip) === undefined ? 'outsideBlocks' : undefined;
  }
}
