// Whole clusters as a Kubernetes datastore contains them, made from a seed: nodes, pools, blocks, affinities, handles, pods.
// They are consistent; damage.ts damages them.
import { createHash } from 'node:crypto';
import { addressAt, formatCidr, networkOf, parseCidr } from '../../../src/net/cidr.ts';
import { addToIp, formatIp } from '../../../src/net/ip.ts';
import { affinityLabels, affinityName, blockName, handleName } from '../../../src/resources/names.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { goTimeText } from '../../../src/text/go-time.ts';

/** A small seeded generator (mulberry32): numbers from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export const pick = <T>(random: () => number, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

export interface PoolPlan {
  readonly name: string;
  readonly cidr: string;
  readonly blockSize?: number;
  readonly disabled?: boolean;
  readonly nodeSelector?: string;
}

export interface ClusterPlan {
  readonly seed: number;
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly pools?: readonly PoolPlan[];
  /** Share of pods that borrow from another node's block. */
  readonly borrowed?: number;
  /** When everything was created; the nodes were created an hour earlier. */
  readonly madeAt?: Date;
  /** Namespace of the pods. */
  readonly namespaces?: readonly string[];
  /** Adds managedFields of a realistic size. */
  readonly managedFields?: boolean;
  readonly nodeName?: (index: number) => string;
  readonly locked?: boolean;
}

export interface BlockSpec {
  cidr: string;
  affinity?: string;
  allocations: (number | null)[];
  unallocated: number[];
  attributes: { handle_id?: string; secondary?: Record<string, string> }[];
  sequenceNumber: bigint;
  sequenceNumberForAllocation: Record<string, bigint>;
  deleted: boolean;
  strictAffinity: boolean;
}

export interface Cluster {
  readonly objects: KubeObject[];
  readonly guid: string;
  readonly madeAt: Date;
}

const group = 'crd.projectcalico.org/v1';
const emptyMetadata = { 'projectcalico.org/metadata': '{"creationTimestamp":null}' };

/** A UUID that depends only on its text, in the form of version 4. */
export function uidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const defaultPools: readonly PoolPlan[] = [{ name: 'pool-1', cidr: '10.60.0.0/16', blockSize: 26 }];

export function cluster(plan: ClusterPlan): Cluster {
  const random = seeded(plan.seed);
  const madeAt = plan.madeAt ?? new Date('2026-01-01T00:00:00Z');
  const nodesAt = new Date(madeAt.getTime() - 3_600_000);
  const pools = plan.pools ?? defaultPools;
  const nameOf =
    plan.nodeName ??
    ((index: number) => `node-${String.fromCharCode(97 + (index % 26))}${index >= 26 ? Math.floor(index / 26) : ''}`);
  const guid = createHash('md5').update(`cluster ${plan.seed}`).digest('hex');
  const objects: KubeObject[] = [];
  const managed = (manager: string, at: Date): Record<string, unknown> =>
    plan.managedFields
      ? {
          managedFields: [
            {
              apiVersion: group,
              fieldsType: 'FieldsV1',
              fieldsV1: {
                'f:metadata': { 'f:annotations': { '.': {}, 'f:projectcalico.org/metadata': {} } },
                'f:spec': { '.': {} },
              },
              manager,
              operation: 'Update',
              time: at.toISOString().replace(/\.\d+Z/, 'Z'),
            },
          ],
        }
      : {};
  const add = (
    apiVersion: string,
    kind: string,
    name: string,
    at: Date,
    rest: Record<string, unknown>,
    meta: Record<string, unknown> = {},
  ) => {
    const namespace = typeof meta['namespace'] === 'string' ? meta['namespace'] : '';
    objects.push({
      apiVersion,
      kind,
      metadata: {
        name,
        ...meta,
        uid: uidOf(`${plan.seed}/${kind}/${namespace}/${name}`),
        resourceVersion: String(1000 + objects.length),
        creationTimestamp: at.toISOString().replace(/\.\d+Z/, 'Z'),
        ...managed('calico', at),
      },
      ...rest,
    });
  };

  add(
    group,
    'ClusterInformation',
    'default',
    nodesAt,
    {
      spec: {
        calicoVersion: 'v3.31.4',
        clusterGUID: guid,
        clusterType: 'k8s,bgp,kdd',
        datastoreReady: plan.locked !== true,
      },
    },
    { annotations: emptyMetadata },
  );
  add(
    group,
    'IPAMConfig',
    'default',
    nodesAt,
    { spec: { autoAllocateBlocks: true, strictAffinity: false } },
    { annotations: emptyMetadata },
  );
  add(group, 'KubeControllersConfiguration', 'default', nodesAt, {
    spec: { controllers: { node: { leakGracePeriod: '15m0s' } } },
  });
  for (const pool of pools) {
    add(group, 'IPPool', pool.name, nodesAt, {
      spec: {
        cidr: pool.cidr,
        blockSize: pool.blockSize ?? 26,
        ipipMode: 'Never',
        vxlanMode: 'Always',
        natOutgoing: true,
        nodeSelector: pool.nodeSelector ?? 'all()',
        allowedUses: ['Workload', 'Tunnel'],
        assignmentMode: 'Automatic',
        ...(pool.disabled ? { disabled: true } : {}),
      },
    });
  }

  // Blocks: each node takes the next free block of a pool whenever its own are full.
  const usable = pools.filter((pool) => !pool.disabled);
  const cursors = usable.map(() => 0);
  const blocks: { spec: BlockSpec; node: string; at: Date }[] = [];
  const claim = (node: string): { spec: BlockSpec; node: string; at: Date } => {
    for (let tries = 0; ; tries += 1) {
      const index = Math.floor(random() * usable.length + tries) % usable.length;
      const pool = usable[index] as PoolPlan;
      const whole = parseCidr(pool.cidr);
      if (whole === undefined || tries > usable.length * 4) throw new Error('the pools are too small for this plan');
      const size = 2 ** ((whole.version === 4 ? 32 : 128) - (pool.blockSize ?? 26));
      const base = addToIp(whole.base, (cursors[index] as number) * size);
      const cidr = networkOf(base, pool.blockSize ?? 26);
      if ((cursors[index] as number) * size >= 2 ** ((whole.version === 4 ? 32 : 128) - whole.prefix)) continue;
      cursors[index] = (cursors[index] as number) + 1;
      const spec: BlockSpec = {
        cidr: formatCidr(cidr),
        affinity: `host:${node}`,
        allocations: Array.from({ length: size }, () => null),
        unallocated: Array.from({ length: size }, (_, ordinal) => ordinal),
        attributes: [],
        sequenceNumber: BigInt(madeAt.getTime()) * 1_000_000n + BigInt(Math.floor(random() * 999_999)),
        sequenceNumberForAllocation: {},
        deleted: false,
        strictAffinity: false,
      };
      const block = { spec, node, at: madeAt };
      blocks.push(block);
      return block;
    }
  };
  const handles = new Map<string, Record<string, number>>();
  const assign = (block: BlockSpec, handle: string, secondary: Record<string, string>): string => {
    const ordinal = block.unallocated.shift() as number;
    block.allocations[ordinal] = block.attributes.length;
    block.attributes.push({ handle_id: handle, secondary });
    block.sequenceNumberForAllocation[String(ordinal)] = block.sequenceNumber;
    block.sequenceNumber += 1n;
    const counts = handles.get(handle) ?? {};
    counts[block.cidr] = (counts[block.cidr] ?? 0) + 1;
    handles.set(handle, counts);
    return formatIp(addressAt(parseCidr(block.cidr) as NonNullable<ReturnType<typeof parseCidr>>, ordinal));
  };

  const own = new Map<string, { spec: BlockSpec; node: string; at: Date }>();
  for (let index = 0; index < plan.nodes; index += 1) {
    const node = nameOf(index);
    const block = claim(node);
    own.set(node, block);
    const tunnel = assign(block.spec, `vxlan-tunnel-addr-${node}`, { node, type: 'vxlanTunnelAddress' });
    const host = `192.0.${2 + Math.floor(index / 250)}.${1 + (index % 250)}`;
    add(
      'v1',
      'Node',
      node,
      nodesAt,
      {
        spec: {},
        status: {
          addresses: [
            { address: host, type: 'InternalIP' },
            { address: node, type: 'Hostname' },
          ],
        },
      },
      {
        labels: { 'kubernetes.io/hostname': node, 'kubernetes.io/os': 'linux' },
        annotations: { 'projectcalico.org/IPv4Address': `${host}/24`, 'projectcalico.org/IPv4VXLANTunnelAddr': tunnel },
      },
    );
  }
  const namespaces = plan.namespaces ?? ['shop', 'web'];
  const nodeNames = [...own.keys()];
  for (let index = 0; index < plan.nodes * plan.podsPerNode; index += 1) {
    const node = nodeNames[index % nodeNames.length] as string;
    const namespace = pick(random, namespaces);
    const name = `${pick(random, ['cart', 'front', 'search', 'mail', 'job'])}-${index}`;
    const container = createHash('sha256').update(`${plan.seed}/${namespace}/${name}`).digest('hex');
    const borrows = random() < (plan.borrowed ?? 0);
    const others = borrows ? blocks.filter((block) => block.node !== node && block.spec.unallocated.length > 1) : [];
    let block =
      others.length > 0 ? pick(random, others) : (own.get(node) as { spec: BlockSpec; node: string; at: Date });
    if (block.spec.unallocated.length === 0) {
      block = claim(node);
      own.set(node, block);
    }
    const address = assign(block.spec, `k8s-pod-network.${container}`, {
      namespace,
      node,
      pod: name,
      timestamp: goTimeText(madeAt),
    });
    add(
      'v1',
      'Pod',
      name,
      madeAt,
      {
        spec: { nodeName: node, containers: [{ name: 'main', image: 'registry.example/app:1' }] },
        status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }], hostIP: '192.0.2.1' },
      },
      {
        namespace,
        annotations: {
          'cni.projectcalico.org/containerID': container,
          'cni.projectcalico.org/podIP': `${address}/32`,
          'cni.projectcalico.org/podIPs': `${address}/32`,
        },
      },
    );
  }

  for (const { spec, node, at } of blocks) {
    add(group, 'IPAMBlock', blockName(spec.cidr), at, { spec }, { annotations: emptyMetadata });
    const labels = affinityLabels(node, 'host', spec.cidr);
    add(
      group,
      'BlockAffinity',
      affinityName(node, spec.cidr),
      at,
      {
        spec: { cidr: spec.cidr, deleted: 'false', node, state: 'confirmed', type: 'host' },
      },
      { labels, annotations: { 'projectcalico.org/metadata': JSON.stringify({ creationTimestamp: null, labels }) } },
    );
  }
  for (const [handleID, block] of handles) {
    add(
      group,
      'IPAMHandle',
      handleName(handleID),
      madeAt,
      { spec: { handleID, block, deleted: false } },
      { annotations: emptyMetadata },
    );
  }
  return { objects, guid, madeAt };
}
