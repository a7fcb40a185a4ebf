// Which release of calicoctl compat mode follows.
import type { CalicoctlRelease } from '../manifest/calicoctl/decode.ts';
import { type CalicoApi, v3ApiVersion } from '../resources/kind.ts';
import type { Context } from './command.ts';

/** The release that belongs to a cluster which keeps its objects there. */
export function releaseFor(calicoApi: CalicoApi | undefined): CalicoctlRelease {
  return calicoApi === v3ApiVersion ? '3.32' : '3.31';
}

/** The release that the cluster has. Without one it is 3.31: manifests are read before anybody says that there is none. */
export async function releaseOf(ctx: Pick<Context, 'datastore'>): Promise<CalicoctlRelease> {
  const store = await ctx.datastore().catch(() => undefined);
  return releaseFor(store?.calicoApi);
}
