// The objects that a Kubernetes datastore would hold for a lab, consistent with what is built.

import { nodeAnnotations } from '../../../src/resources/convert/node-annotations.ts';
import { affinityLabels, affinityMetadata, affinityName, blockName, handleName } from '../../../src/resources/names.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { uidOf } from '../clusters/seeded-cluster.ts';
import type { Deviations } from './bird-config.ts';
import {
  asNumber,
  blockBits,
  type Family,
  hostBits,
  type LabNode,
  type LabPlan,
  type LabPod,
  networkBits,
  poolNames,
  pools,
  workers,
} from './plan.ts';

const group = 'crd.projectcalico.org/v1';
const reflectorLabel = 'route-reflector';
const madeAt = '2025-06-15T12:00:00Z';

interface Meta {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function object(apiVersion: string, kind: string, name: string, rest: object, meta: Meta = {}): KubeObject {
  const uid = uidOf(`lab/${kind}/${meta.namespace ?? ''}/${name}`);
  return {
    apiVersion,
    kind,
    metadata: { name, ...meta, uid, resourceVersion: '1', creationTimestamp: madeAt },
    ...rest,
  } as KubeObject;
}

const calico = (kind: string, name: string, spec: object, meta: Meta = {}): KubeObject =>
  object(group, kind, name, { spec }, meta);

/** All objects of the lab. Of the deviations they contain only a node's own AS number and a password. */
export function labObjects(plan: LabPlan, deviations: Deviations): KubeObject[] {
  return [
    calico('ClusterInformation', 'default', {
      clusterGUID: '0123456789abcdef0123456789abcdef',
      clusterType: 'k8s,bgp,kdd',
      calicoVersion: 'v3.31.4',
      datastoreReady: true,
    }),
    calico('FelixConfiguration', 'default', { logSeverityScreen: 'Info' }),
    calico('BGPConfiguration', 'default', {
      logSeverityScreen: 'Info',
      nodeToNodeMeshEnabled: !plan.reflector,
      asNumber,
      ...([...deviations.values()].some(({ password }) => password !== undefined) ? { nodeMeshPassword } : {}),
    }),
    ...(plan.reflector ? [reflectorPeer] : []),
    ...plan.families.map((family) => pool(plan, family)),
    ...['default', 'kube-system', 'namespace'].map((name) => object('v1', 'Namespace', name, {})),
    ...plan.nodes.map((node) => kubeNode(plan, node, deviations.get(node.name)?.localAs)),
    ...plan.nodes.flatMap(({ pods }) => pods.map((pod) => kubePod(plan, pod))),
    ...workers(plan).flatMap((node) => plan.families.flatMap((family) => blockObjects(node, node.block, family))),
    ...handles(plan),
  ];
}

const nodeMeshPassword = { secretKeyRef: { name: 'bgp-secrets', key: 'mesh' } };

const reflectorPeer = calico('BGPPeer', 'peer-with-reflectors', {
  nodeSelector: `!has(${reflectorLabel})`,
  peerSelector: `has(${reflectorLabel})`,
});

function pool({ encapsulation }: LabPlan, family: Family): KubeObject {
  const vxlanMode = { none: 'Never', vxlan: 'Always', 'vxlan-crosssubnet': 'CrossSubnet' }[encapsulation];
  return calico('IPPool', poolNames[family], {
    cidr: pools[family],
    blockSize: blockBits[family],
    ipipMode: 'Never',
    vxlanMode,
    natOutgoing: false,
    nodeSelector: 'all()',
    allowedUses: ['Workload', 'Tunnel'],
    assignmentMode: 'Automatic',
  });
}

function kubeNode(plan: LabPlan, node: LabNode, as: number | undefined): KubeObject {
  const tunnel = node.tunnelAddress;
  const has = (family: Family): boolean => plan.families.includes(family);
  const values: Partial<Record<keyof typeof nodeAnnotations, string | undefined>> = {
    ipv4Address: `${node.address[4]}/${networkBits[4]}`,
    ipv6Address: has(6) ? `${node.address[6]}/${networkBits[6]}` : undefined,
    asNumber: as === undefined ? undefined : String(as),
    routeReflectorClusterID: node.clusterId,
    ipv4VXLANTunnelAddr: has(4) ? tunnel?.[4] : undefined,
    vxlanTunnelMACAddr: tunnel && has(4) ? node.tunnelMac[4] : undefined,
    ipv6VXLANTunnelAddr: has(6) ? tunnel?.[6] : undefined,
    vxlanTunnelMACAddrV6: tunnel && has(6) ? node.tunnelMac[6] : undefined,
  };
  const annotations = Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [[nodeAnnotations[field as keyof typeof nodeAnnotations], value]],
  );
  return object(
    'v1',
    'Node',
    node.name,
    {
      spec: {},
      status: {
        addresses: [
          { type: 'InternalIP', address: node.address[4] },
          ...(has(6) ? [{ type: 'InternalIP', address: node.address[6] }] : []),
          { type: 'Hostname', address: node.name },
        ],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    },
    {
      labels: {
        'kubernetes.io/hostname': node.name,
        'kubernetes.io/os': 'linux',
        ...(node.clusterId === undefined ? {} : { [reflectorLabel]: 'true' }),
      },
      annotations: Object.fromEntries(annotations),
    },
  );
}

function kubePod(plan: LabPlan, pod: LabPod): KubeObject {
  const addresses = plan.families.map((family) => pod.address[family]);
  const masked = plan.families.map((family) => `${pod.address[family]}/${hostBits[family]}`);
  return object(
    'v1',
    'Pod',
    pod.name,
    {
      spec: { nodeName: pod.node, containers: [{ name: 'main', image: 'registry.example/app:1' }] },
      status: {
        phase: 'Running',
        podIP: addresses[0],
        podIPs: addresses.map((ip) => ({ ip })),
        hostIP: plan.nodes.find(({ name }) => name === pod.node)?.address[4],
      },
    },
    {
      namespace: pod.namespace,
      annotations: {
        'cni.projectcalico.org/containerID': pod.containerId,
        'cni.projectcalico.org/hwAddr': pod.mac,
        'cni.projectcalico.org/podIP': masked[0] ?? '',
        'cni.projectcalico.org/podIPs': masked.join(','),
      },
    },
  );
}

interface Allocation {
  /** The index of the address in the block. */
  readonly ordinal: number;
  readonly handle: string;
  readonly secondary: Readonly<Record<string, string>>;
}

/** The holders of addresses in a node's block. */
function allocations(node: LabNode, family: Family): Allocation[] {
  const { name, tunnelAddress } = node;
  const version = family === 4 ? '' : '-v6';
  const tunnel = tunnelAddress && {
    ordinal: 0,
    handle: `vxlan${version}-tunnel-addr-${name}`,
    secondary: { node: name, type: family === 4 ? 'vxlanTunnelAddress' : 'vxlanV6TunnelAddress' },
  };
  return [
    ...(tunnel === undefined ? [] : [tunnel]),
    ...node.pods.map((pod) => ({
      ordinal: pod.ordinal,
      handle: `k8s-pod-network.${pod.containerId}`,
      secondary: { namespace: pod.namespace, node: name, pod: pod.name, timestamp: '2025-06-15 12:00:00 +0000 UTC' },
    })),
  ];
}

function blockObjects(node: LabNode, block: LabNode['address'], family: Family): KubeObject[] {
  const cidr = block[family];
  const used = allocations(node, family);
  const ordinals = Array.from({ length: 2 ** (hostBits[family] - blockBits[family]) }, (_, ordinal) => ordinal);
  const indexOf = (ordinal: number): number | null => {
    const index = used.findIndex((allocation) => allocation.ordinal === ordinal);
    return index < 0 ? null : index;
  };
  const labels = affinityLabels(node.name, 'host', cidr);
  return [
    calico('IPAMBlock', blockName(cidr), {
      cidr,
      affinity: `host:${node.name}`,
      allocations: ordinals.map((ordinal) => indexOf(ordinal)),
      unallocated: ordinals.filter((ordinal) => indexOf(ordinal) === null),
      attributes: used.map(({ handle, secondary }) => ({ handle_id: handle, secondary })),
      sequenceNumber: 10,
      sequenceNumberForAllocation: Object.fromEntries(used.map(({ ordinal }) => [String(ordinal), 1])),
      deleted: false,
      strictAffinity: false,
    }),
    calico(
      'BlockAffinity',
      affinityName(node.name, cidr),
      { cidr, deleted: 'false', node: node.name, state: 'confirmed', type: 'host' },
      { labels, annotations: { 'projectcalico.org/metadata': affinityMetadata(labels) } },
    ),
  ];
}

function handles(plan: LabPlan): KubeObject[] {
  const counts = new Map<string, Record<string, number>>();
  for (const node of workers(plan)) {
    for (const family of plan.families) {
      for (const { handle } of allocations(node, family)) {
        counts.set(handle, { ...counts.get(handle), [node.block[family]]: 1 });
      }
    }
  }
  return [...counts].map(([handleID, block]) =>
    calico('IPAMHandle', handleName(handleID), { handleID, block, deleted: false }),
  );
}
