// The addresses of the machine behind a Node object.
import { stripMask } from '../../net/cidr.ts';
import type { CoreNode } from '../kinds/node-fields.ts';
import { nodeAnnotation } from './node-annotations.ts';

/** Canonical addresses, each once: those that Calico uses for BGP, and the InternalIPs that the kubelet reports. */
export function ownAddresses({ metadata: { annotations }, status }: CoreNode): string[] {
  const internal = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  const texts = [nodeAnnotation(annotations, 'ipv4Address'), nodeAnnotation(annotations, 'ipv6Address'), ...internal];
  return [...new Set(texts.map((text) => stripMask(text ?? '')).filter((address) => address !== undefined))];
}
