// Nodes on which calico-node for Linux never runs, by their labels: docs/reference/installations.md#nodes-that-are-not-asked
import type { CoreNode } from '../../resources/kinds/node-fields.ts';

/** The labels that say so. */
const signs: readonly { readonly label: string; readonly value: RegExp; readonly why: string }[] = [
  { label: 'kubernetes.io/os', value: /^windows$/i, why: 'a Windows node' },
  { label: 'beta.kubernetes.io/os', value: /^windows$/i, why: 'a Windows node' },
  { label: 'type', value: /^virtual-kubelet$/, why: 'a virtual kubelet' },
  { label: 'kubernetes.azure.com/virtual-node', value: /./, why: 'a virtual kubelet' },
  { label: 'eks.amazonaws.com/compute-type', value: /^fargate$/, why: 'a Fargate node' },
];

/** Why calico-node never runs on the node; undefined where it should. */
export function whyNotAsked({ metadata }: CoreNode): string | undefined {
  return signs.find(({ label, value }) => value.test(metadata.labels?.[label] ?? ''))?.why;
}
