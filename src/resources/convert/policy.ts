// Between a policy in a tier and its projectcalico.org/v3 form: as every custom resource, with the tier filled in.
// Rules: docs/reference/policy-names.md.

import { orderMetadata } from '../field-order.ts';
import { type CalicoApi, type Codec, customResourceApi, type Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { defaultTier, TIER_LABEL, tierOfPolicyName } from '../policy-names.ts';
import { customResource } from './custom-resource.ts';

type Spec = { readonly tier?: string | undefined } | undefined;

function toV3(stored: KubeObject, kind: Kind): KubeObject {
  const shown = customResource.toV3(stored, kind);
  const spec = shown.spec as Spec;
  const labels = { ...shown.metadata.labels };
  labels[TIER_LABEL] ||= defaultTier;
  return {
    ...shown,
    metadata: orderMetadata({ ...shown.metadata, labels }),
    spec: { ...spec, tier: spec?.tier || tierOfPolicyName(shown.metadata.name) },
  };
}

/** Calico up to 3.31, which keeps custom resources only, labels the policies of other tiers than `default`. */
function fromV3(shown: KubeObject, kind: Kind, calicoApi: CalicoApi): KubeObject {
  const tier = (shown.spec as Spec)?.tier || defaultTier;
  if (tier === defaultTier && calicoApi === customResourceApi) return customResource.fromV3(shown, kind, calicoApi);
  const labels = { ...shown.metadata.labels, [TIER_LABEL]: tier };
  return customResource.fromV3({ ...shown, metadata: { ...shown.metadata, labels } }, kind, calicoApi);
}

/**
 * The codec of the policies in tiers. The name that `fromV3` gives is the one for a new object of Calico up to 3.31; an
 * object that exists keeps the name under which it is stored.
 */
export const policyResource: Codec = { toV3, fromV3 };
