// What a lab is made of, as data: nodes, addresses, blocks, pods. Nothing is built here; two slots never share an address.
import { createHash } from 'node:crypto';
import { hostInterfaceName } from '../../../src/resources/convert/workload-endpoint-of-pod.ts';

export type Family = 4 | 6;
export type PerFamily<T> = Readonly<Record<Family, T>>;
export type Encapsulation = 'none' | 'vxlan' | 'vxlan-crosssubnet';
export type NodeName = 'node-a' | 'node-b' | 'node-c' | 'rr-1';

export interface LabPod {
  readonly namespace: string;
  readonly name: string;
  readonly node: NodeName;
  /** The index of its address in its node's blocks. */
  readonly ordinal: number;
  readonly address: PerFamily<string>;
  readonly hostInterface: string;
  /** Its name below /var/run/netns. */
  readonly netns: string;
  readonly mac: string;
  readonly containerId: string;
}

export interface LabNode {
  readonly name: NodeName;
  readonly netns: string;
  /** Which of the two underlay networks it is in. */
  readonly network: 0 | 1;
  readonly address: PerFamily<string>;
  readonly gateway: PerFamily<string>;
  /** The block that it owns; a reflector has none. */
  readonly block: PerFamily<string> | undefined;
  readonly tunnelAddress: PerFamily<string> | undefined;
  readonly tunnelMac: PerFamily<string>;
  readonly clusterId: string | undefined;
  readonly pods: readonly LabPod[];
}

export interface LabPlan {
  readonly slot: number;
  readonly prefix: string;
  readonly families: readonly Family[];
  readonly encapsulation: Encapsulation;
  readonly reflector: boolean;
  readonly nodes: readonly LabNode[];
  /** Networks of the underlay, as CIDR; the router joins them. */
  readonly networks: readonly [PerFamily<string>, PerFamily<string>];
  /** The root namespace's own address in the first network. */
  readonly uplink: PerFamily<string>;
  readonly podMtu: number;
}

export const asNumber = 64512;
export const pools: PerFamily<string> = { 4: '10.244.0.0/16', 6: 'fd00:244::/48' };
export const poolNames: PerFamily<string> = { 4: 'default-ipv4-ippool', 6: 'default-ipv6-ippool' };
export const networkBits: PerFamily<number> = { 4: 24, 6: 64 };
export const hostBits: PerFamily<number> = { 4: 32, 6: 128 };
export const blockBits: PerFamily<number> = { 4: 26, 6: 122 };
export const vxlanDevice: PerFamily<string> = { 4: 'vxlan.calico', 6: 'vxlan-v6.calico' };
export const vxlanMtu: PerFamily<number> = { 4: 1450, 6: 1430 };

interface NodeSeed {
  readonly name: NodeName;
  readonly network: 0 | 1;
  readonly host: number;
  /** First address of the block without its last octet, and that octet; the same for IPv6. */
  readonly block?: { readonly v4: readonly [string, number]; readonly v6: string };
  readonly pods: readonly { readonly namespace: string; readonly name: string; readonly ordinal: number }[];
}

const seeds: readonly NodeSeed[] = [
  {
    name: 'node-a',
    network: 0,
    host: 1,
    block: { v4: ['10.244.10', 0], v6: 'fd00:244:0:a' },
    pods: [
      { namespace: 'default', name: 'web-1', ordinal: 1 },
      { namespace: 'default', name: 'nginx', ordinal: 2 },
    ],
  },
  {
    name: 'node-b',
    network: 0,
    host: 2,
    block: { v4: ['10.244.20', 64], v6: 'fd00:244:0:b' },
    pods: [{ namespace: 'kube-system', name: 'coredns-7db6d8ff4d-abcde', ordinal: 2 }],
  },
  {
    name: 'node-c',
    network: 1,
    host: 3,
    block: { v4: ['10.244.30', 128], v6: 'fd00:244:0:c' },
    pods: [{ namespace: 'namespace', name: 'podname', ordinal: 2 }],
  },
];

const reflectorSeed: NodeSeed = { name: 'rr-1', network: 0, host: 5, pods: [] };

/** The tunnel device's MAC as Felix derives it: 0x66 and five bytes of the SHA-1 of the name. */
function tunnelMac(text: string): string {
  const bytes = createHash('sha1').update(text).digest();
  return [0x66, ...bytes.subarray(0, 5)].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

export interface PlanOptions {
  readonly reflector?: boolean;
  readonly encapsulation?: Encapsulation;
  readonly families?: readonly Family[];
}

/** The lab of a slot (0 to 127): the slot decides on the underlay's addresses, pods have the same ones in every lab. */
export function labPlan(slot: number, options: PlanOptions): LabPlan {
  const { reflector = false, encapsulation = 'none', families = [4, 6] } = options;
  const prefix = `clab${slot}`;
  const network = (which: 0 | 1): PerFamily<string> => ({
    4: `10.90.${2 * slot + which}.`,
    6: `2001:db8:9${which}:${(slot + 1).toString(16)}::`,
  });
  const inNetwork = (which: 0 | 1, host: number): PerFamily<string> => ({
    4: `${network(which)[4]}${host}`,
    6: `${network(which)[6]}${host.toString(16)}`,
  });
  const nodeFrom = (seed: NodeSeed): LabNode => {
    const addressAt = (value: number): PerFamily<string> | undefined =>
      seed.block && {
        4: `${seed.block.v4[0]}.${seed.block.v4[1] + value}`,
        6: `${seed.block.v6}::${value === 0 ? '' : value.toString(16)}`,
      };
    return {
      name: seed.name,
      netns: `${prefix}-${seed.name}`,
      network: seed.network,
      address: inNetwork(seed.network, seed.host),
      gateway: inNetwork(seed.network, 254),
      block: seed.block && {
        4: `${seed.block.v4[0]}.${seed.block.v4[1]}/${blockBits[4]}`,
        6: `${seed.block.v6}::/${blockBits[6]}`,
      },
      tunnelAddress: encapsulation === 'none' ? undefined : addressAt(0),
      tunnelMac: { 4: tunnelMac(seed.name), 6: tunnelMac(`${seed.name}-v6`) },
      clusterId: seed === reflectorSeed ? '244.0.0.1' : undefined,
      pods: seed.pods.map(({ namespace, name, ordinal: at }) => {
        const digest = createHash('sha256').update(`${namespace}/${name}`).digest('hex');
        return {
          namespace,
          name,
          node: seed.name,
          ordinal: at,
          address: addressAt(at) as PerFamily<string>,
          hostInterface: hostInterfaceName(namespace, name),
          netns: `${prefix}-${name}`,
          mac: `02:${(digest.slice(0, 10).match(/../g) ?? []).join(':')}`,
          containerId: digest,
        };
      }),
    };
  };
  const networkOf = (which: 0 | 1): PerFamily<string> => ({
    4: `${network(which)[4]}0/24`,
    6: `${network(which)[6]}/64`,
  });
  return {
    slot,
    prefix,
    families,
    encapsulation,
    reflector,
    nodes: [...seeds, ...(reflector ? [reflectorSeed] : [])].map(nodeFrom),
    networks: [networkOf(0), networkOf(1)],
    uplink: inNetwork(0, 253),
    podMtu: encapsulation === 'none' ? 1500 : Math.min(...families.map((family) => vxlanMtu[family])),
  };
}

export function nodeOf(plan: LabPlan, name: string): LabNode {
  const node = plan.nodes.find((candidate) => candidate.name === name);
  if (node === undefined) throw new Error(`the lab has no node ${name}`);
  return node;
}

export function podOf(plan: LabPlan, name: string): LabPod {
  const pod = plan.nodes.flatMap(({ pods }) => pods).find((candidate) => candidate.name === name);
  if (pod === undefined) throw new Error(`the lab has no pod ${name}`);
  return pod;
}

/** The nodes that have pods. */
export const workers = (plan: LabPlan): readonly (LabNode & { readonly block: PerFamily<string> })[] =>
  plan.nodes.filter((node): node is LabNode & { readonly block: PerFamily<string> } => node.block !== undefined);
