// What `ipam configure` and `ipam configure show` print.
import { changedSettings, type IpamSettings } from '../../../ipam/config.ts';
import type { ConfigurationShown } from '../../../ipam/show/views.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { ipamShowText } from '../show/text.ts';
import type { IpamConfigured } from './change.ts';

const titles: Readonly<Record<keyof IpamSettings, string>> = {
  strictAffinity: 'StrictAffinity',
  autoAllocateBlocks: 'AutoAllocateBlocks',
  maxBlocksPerHost: 'MaxBlocksPerHost',
  kubeVirtVMAddressPersistence: 'KubeVirtVMAddressPersistence',
};

/** One line per setting that changed, or would change. */
export function ipamConfiguredText({ dryRun, created, before, after }: IpamConfigured): string {
  const changed = changedSettings(before, after);
  if (changed.length === 0) return 'Nothing to change: the configuration already has these settings.\n';
  const verb = dryRun ? 'would set' : 'Set';
  const lines = changed.map((name) => `${verb} ${titles[name]}: ${before[name] ?? 'not set'} -> ${after[name]}\n`);
  if (created) lines.push(dryRun ? 'would create the IPAMConfig object\n' : 'Created the IPAMConfig object\n');
  return lines.join('');
}

export function ipamConfiguredJson({ dryRun, created, before, after }: IpamConfigured): string {
  const changed = changedSettings(before, after);
  const document = { kind: 'IPAMConfigurationChange', dryRun, created, changed, before, after };
  return jsonDocument(document);
}

export interface ConfigurationState extends ConfigurationShown {
  /** False: there is no object, and these are the defaults. */
  readonly stored: boolean;
}

/** The settings in force as a grid, and whether anything is stored. */
export function configurationText(shown: ConfigurationState): string {
  const remark = shown.stored ? '' : 'No IPAMConfig object found: these are the defaults.\n';
  return ipamShowText(shown) + remark;
}
