// Workload endpoints of Calico 2 in projectcalico.org/v3: above all their names, which depend on the orchestrator.
import { normalName, profileName, uniqueName } from './names.ts';
import {
  addressText,
  type Calico2Object,
  type ConversionOptions,
  type Converted,
  listOf,
  type Members,
  membersOf,
  namespaceLabel,
  networkText,
  protocolOf,
  textOf,
  unconvertible,
} from './values.ts';

/** What names a workload in the new API, by the orchestrator that made it. */
function workloadOf(metadata: Members): { namespace: string; parts: Readonly<Record<string, string>> } {
  const [workload, orchestrator, containerID] = ['workload', 'orchestrator', 'activeInstanceID'].map((name) =>
    textOf(metadata[name]),
  ) as [string, string, string];
  const endpoint = uniqueName(textOf(metadata['name']));
  switch (orchestrator) {
    case 'k8s': {
      const dot = workload.indexOf('.');
      if (dot < 0) {
        const reason = 'workload was not added through the Calico CNI plugin and cannot be converted';
        throw unconvertible(`malformed k8s workload ID '${workload}': ${reason}`);
      }
      const parts = { orchestrator, pod: workload.slice(dot + 1), containerID, endpoint };
      return { namespace: workload.slice(0, dot), parts };
    }
    case 'cni':
      return { namespace: 'default', parts: { orchestrator, containerID: workload, endpoint } };
    case 'libnetwork':
      return { namespace: 'default', parts: { orchestrator, workload: 'libnetwork', containerID: '', endpoint } };
    default:
      return {
        namespace: 'default',
        parts: {
          orchestrator: uniqueName(orchestrator),
          workload: uniqueName(workload),
          containerID,
          endpoint,
        },
      };
  }
}

/** The parts of the name of an endpoint, in their order: dashes in them are doubled. */
function endpointName(parts: readonly (readonly [field: string, value: string])[]): string {
  return parts
    .map(([field, value]) => {
      const wrong =
        value === ''
          ? 'field should be assigned'
          : value.startsWith('-')
            ? "field must not begin with a '-'"
            : value.endsWith('-')
              ? "field must not end with a '-'"
              : undefined;
      if (wrong !== undefined) {
        const shown = field === 'node' && value === '' ? '' : ` = '${value}'`;
        throw unconvertible(`error with field ${field}${shown} (${wrong})`);
      }
      return value.replaceAll('-', '--');
    })
    .join('-');
}

/** A workload endpoint. Errors: CalictlError when no name can be made of what identifies the workload. */
export function workloadEndpoint({ metadata, spec }: Calico2Object, { asCalicoctl }: ConversionOptions): Converted {
  const nodeName = normalName(textOf(metadata['node']));
  const { namespace, parts } = workloadOf(metadata);
  const { orchestrator = '', endpoint = '' } = parts;
  const owner = orchestrator === 'k8s' ? 'pod' : orchestrator === 'cni' ? 'containerID' : 'workload';
  const name = endpointName([
    ['node', nodeName],
    ['orchestrator', orchestrator],
    [owner, parts[owner] ?? ''],
    ['endpoint', endpoint],
  ]);
  const labels = Object.entries(membersOf(metadata['labels'])).map(([key, value]) => [
    key === 'calico/k8s_ns' ? namespaceLabel(key) : key,
    value,
  ]);
  const nets = listOf(spec['ipNetworks']).map(networkText);
  return {
    metadata: { name, namespace, ...(labels.length > 0 && { labels: Object.fromEntries(labels) }) },
    spec: {
      ...spec,
      ...parts,
      node: nodeName,
      ipNetworks: [...nets.filter((net) => !net.includes(':')), ...nets.filter((net) => net.includes(':'))],
      ipNATs: listOf(spec['ipNATs'])
        .map(membersOf)
        .map(({ internalIP, externalIP }) => ({
          internalIP: addressText(internalIP),
          externalIP: addressText(externalIP),
        })),
      ipv4Gateway: addressText(spec['ipv4Gateway']),
      ipv6Gateway: addressText(spec['ipv6Gateway']),
      profiles: listOf(spec['profiles']).map((profile) => profileName(textOf(profile))),
      ports: listOf(spec['ports'])
        .map(membersOf)
        .map(({ protocol, ...port }) => {
          // calicoctl leaves the name as it was, which it then refuses.
          return { ...port, protocol: asCalicoctl ? protocol : protocolOf(protocol), hostPort: 0, hostIP: '' };
        }),
    },
  };
}
