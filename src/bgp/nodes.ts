// Nodes as BGP speakers: AS number, addresses, cluster ID and listen port, from Node and BGPConfiguration objects.
import { parseInterface } from '../net/cidr.ts';
import { parseIp } from '../net/ip.ts';
import { addressText, bgpOf, nodeAnnotation } from '../resources/convert/node-annotations.ts';
import { nodeLabels } from '../resources/convert/node-v3.ts';
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import { parseGoDuration } from '../text/go-duration.ts';
import { type BgpNode, defaultAsNumber, type Sourced } from './session.ts';

const globalName = 'default';

/** What applies to all nodes. */
export interface BgpDefaults {
  readonly as: Sourced<number>;
  readonly mesh: boolean;
  readonly listenPort: Sourced<number> | undefined;
  readonly meshPassword: { readonly secret: string; readonly key: string } | undefined;
  /** In whole seconds. */
  readonly meshMaxRestartTime: number | undefined;
}

/** A secret that holds a password, as BGPPeer and BGPConfiguration name it. */
export function passwordOf(
  password: { secretKeyRef?: { name?: string | undefined; key: string } | undefined } | undefined,
): { secret: string; key: string } | undefined {
  const ref = password?.secretKeyRef;
  return ref === undefined ? undefined : { secret: ref.name ?? '', key: ref.key };
}

/** A Go duration in whole seconds, rounded as Calico does; undefined for any other text. */
export function wholeSeconds(duration: string | undefined): number | undefined {
  const ms = duration === undefined ? undefined : parseGoDuration(duration);
  return ms === undefined ? undefined : Math.round(ms / 1000);
}

function listenPortIn(configurations: readonly BGPConfiguration[], name: string): Sourced<number> | undefined {
  const port = configurations.find(({ metadata }) => metadata.name === name)?.spec?.listenPort;
  return !port ? undefined : { value: port, from: { kind: 'BGPConfiguration', name, field: 'listenPort' } };
}

/** The settings of BGPConfiguration `default`, else Calico's own. */
export function bgpDefaults(configurations: readonly BGPConfiguration[]): BgpDefaults {
  const spec = configurations.find(({ metadata }) => metadata.name === globalName)?.spec;
  return {
    as:
      spec?.asNumber === undefined
        ? { value: defaultAsNumber, from: { kind: 'default', name: '', field: 'asNumber' } }
        : { value: spec.asNumber, from: { kind: 'BGPConfiguration', name: globalName, field: 'asNumber' } },
    mesh: spec?.nodeToNodeMeshEnabled ?? true,
    listenPort: listenPortIn(configurations, globalName),
    meshPassword: passwordOf(spec?.nodeMeshPassword),
    meshMaxRestartTime: wholeSeconds(spec?.nodeMeshMaxRestartTime),
  };
}

/** All nodes by name, including those without an address. */
export function bgpNodes(nodes: readonly CoreNode[], configurations: readonly BGPConfiguration[]): BgpNode[] {
  const defaults = bgpDefaults(configurations);
  return nodes
    .map((node): BgpNode => {
      const { name } = node.metadata;
      const bgp = bgpOf(node.metadata.annotations);
      const invalid = ([4, 6] as const).flatMap((version) => {
        const text = nodeAnnotation(node.metadata.annotations, version === 4 ? 'ipv4Address' : 'ipv6Address');
        return text !== undefined && addressText(text, version) === undefined ? [{ version, text }] : [];
      });
      const [four, six] = [bgp?.ipv4Address, bgp?.ipv6Address].map((text) => {
        const withMask = parseInterface(text ?? '');
        return { address: withMask?.address ?? parseIp(text ?? ''), network: withMask?.cidr };
      });
      return {
        name,
        labels: nodeLabels(node),
        as:
          bgp?.asNumber === undefined
            ? defaults.as
            : { value: bgp.asNumber, from: { kind: 'Node', name, field: 'spec.bgp.asNumber' } },
        address: {
          ...(four?.address === undefined ? {} : { 4: four.address }),
          ...(six?.address === undefined ? {} : { 6: six.address }),
        },
        network: {
          ...(four?.network === undefined ? {} : { 4: four.network }),
          ...(six?.network === undefined ? {} : { 6: six.network }),
        },
        invalid,
        ready: (node.status?.conditions ?? []).find(({ type }) => type === 'Ready')?.status,
        clusterId: bgp?.routeReflectorClusterID,
        listenPort: listenPortIn(configurations, `node.${name}`) ?? defaults.listenPort,
        internalIps: (node.status?.addresses ?? [])
          .filter(({ type }) => type === 'InternalIP')
          .flatMap(({ address }) => parseIp(address) ?? []),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
