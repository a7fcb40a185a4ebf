// One row of the table of verdicts: objects besides those of the base cluster, and flows with what must come of each.
import type { KubeObject } from '../../../src/resources/object.ts';

/**
 * `shop/web > shop/db tcp 5432`; who decides on the source's side and on the destination's: `NetworkPolicy shop/a#0` with
 * the index of the rule, `TierDefault default`, `Profile kns.shop#0`, `None`, or `-` where the end is not a workload; and why.
 */
export type FlowCase = readonly [flow: string, verdict: 'allow' | 'deny', egress: string, ingress: string, why: string];

export interface PolicyCase {
  readonly about: string;
  readonly given: readonly KubeObject[];
  readonly flows: readonly FlowCase[];
}

/** What decides where no policy selects the pod. */
export const [shop, ops, dev] = ['Profile kns.shop#0', 'Profile kns.ops#0', 'Profile kns.dev#0'] as const;
export const endOfDefault = 'TierDefault default';
