// The API group of Calico that the user names with CALICO_API_GROUP or calicoAPIGroup of a configuration file.
import { type CalicoApi, customResourceApi, v3ApiVersion } from '../resources/kind.ts';
import { UsageError } from '../world/errors.ts';

/**
 * The API that a setting names, in any letter case; undefined when there is none. For calicoctl every other text means
 * crd.projectcalico.org/v1. Errors: UsageError for another text.
 */
export function calicoApiSetting(text: string | undefined, asCalicoctl = false): CalicoApi | undefined {
  if (!text) return undefined;
  const known = [v3ApiVersion, customResourceApi] as const;
  const found = known.find((api) => api === text.toLowerCase());
  if (found !== undefined || asCalicoctl) return found ?? customResourceApi;
  throw new UsageError(
    `invalid CALICO_API_GROUP (calicoAPIGroup): ${text}`,
    `set it to ${v3ApiVersion} or ${customResourceApi}, or leave it out`,
    'CALICO_API_GROUP',
  );
}
