// Pods of the namespace shop that take and hold addresses, with the handle and the attributes that the CNI plugin writes.
import type { Holder } from '../../../src/ipam/block/block-assign.ts';
import { goTimeText } from '../../../src/text/go-time.ts';

export interface PodOf {
  readonly pod: string;
  readonly node: string;
}

export const handleOf = (pod: string): string => `k8s-pod-network.${pod}-container`;

/** What the CNI plugin writes for an address that was assigned `at`. */
export function holderOf({ pod, node }: PodOf, at: Date): Holder {
  return { handle: handleOf(pod), secondary: { namespace: 'shop', node, pod, timestamp: goTimeText(at) } };
}
