// The profiles that a Kubernetes datastore has: one of each namespace, one of each service account, and a fixed one.

import { v3ApiVersion } from '../kind.ts';
import type { Rule } from '../kinds/policy-rule-fields.ts';
import { defaultProfileName, type Profile } from '../kinds/profile-fields.ts';
import { translateUid } from '../names.ts';
import type { KubeObject, ObjectMeta } from '../object.ts';

const allow = (): Rule[] => [{ action: 'Allow', source: {}, destination: {} }];

/** The labels of the source under a prefix, and its name. */
function inherited(prefix: string, { labels, name }: ObjectMeta): Record<string, string> {
  const own = Object.entries(labels ?? {}).map(([key, value]) => [`${prefix}${key}`, value] as const);
  return Object.fromEntries(
    [...own, [`${prefix}projectcalico.org/name`, name] as const].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function profile(name: string, source: ObjectMeta, resourceVersion: string, spec: Profile['spec']): Profile {
  const { uid, creationTimestamp } = source;
  return {
    apiVersion: v3ApiVersion,
    kind: 'Profile',
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid: translateUid(uid) }),
      resourceVersion,
      creationTimestamp: creationTimestamp ?? null,
    },
    spec,
  };
}

/** `kns.<namespace>`: allows everything, and gives the labels of the namespace to its pods. */
export function profileOfNamespace({ metadata }: KubeObject): Profile {
  const revision = `${metadata.resourceVersion ?? ''}/`;
  return profile(`kns.${metadata.name}`, metadata, revision, {
    ingress: allow(),
    egress: allow(),
    labelsToApply: inherited('pcns.', metadata),
  });
}

/** `ksa.<namespace>.<name>`: gives the labels of the service account to its pods; it has no rules. */
export function profileOfServiceAccount({ metadata }: KubeObject): Profile {
  const revision = `/${metadata.resourceVersion ?? ''}`;
  const name = `ksa.${metadata.namespace ?? ''}.${metadata.name}`;
  return profile(name, metadata, revision, { labelsToApply: inherited('pcsa.', metadata) });
}

/** The profile that every cluster has: it allows everything. */
export function defaultProfile(): Profile {
  return profile(defaultProfileName, { name: defaultProfileName }, '1', { ingress: allow(), egress: allow() });
}
