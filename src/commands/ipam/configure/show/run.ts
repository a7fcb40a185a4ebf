// What calictl ipam configure show does: read the IPAM settings, stored or default. Never writes.
import { getIfAny } from '../../../../datastore/datastore.ts';
import { configurationShown } from '../../../../ipam/show/views.ts';
import { ipamConfig } from '../../../../resources/kinds/ipam-config.ts';
import type { Context } from '../../../command.ts';
import { ipamShowJson, ipamShowYaml } from '../../show/text.ts';
import { type ConfigurationState, configurationText } from '../text.ts';

export async function run(ctx: Context): Promise<ConfigurationState> {
  const store = await ctx.datastore();
  const config = await getIfAny(store, ipamConfig, { name: 'default' }, { signal: ctx.world.signal });
  return { ...configurationShown(config, store.calicoApi), stored: config !== undefined };
}

export const formats = {
  table: (shown: ConfigurationState) => configurationText(shown),
  json: (shown: ConfigurationState) => ipamShowJson(shown),
  yaml: (shown: ConfigurationState) => ipamShowYaml(shown),
};
