// The IPAM configuration: its defaults, changes to it, and which settings can be combined.
// Rules: docs/reference/ipam.md#configuration.

import { type CalicoApi, v3ApiVersion } from '../resources/kind.ts';
import type { IPAMConfig } from '../resources/kinds/ipam-config.ts';
import { EMPTY_METADATA, METADATA_ANNOTATION } from '../resources/names.ts';

export interface IpamSettings {
  /** True: a node assigns from its own blocks only. */
  readonly strictAffinity: boolean;
  /** True: a node claims new blocks when its own are full. */
  readonly autoAllocateBlocks: boolean;
  /** 0: not set. */
  readonly maxBlocksPerHost: number;
  /** `Enabled` or `Disabled`: whether a KubeVirt VM keeps its addresses. Not set before Calico 3.32. */
  readonly kubeVirtVMAddressPersistence?: string;
}

/** The default block limit of Calico. */
const defaultBlockLimit = 20;

/** The largest block limit that the configuration can hold. */
export const mostBlocksPerHost = 2 ** 31 - 1;

/** The settings of the stored configuration, or those of a cluster that has none. Reading never writes one. */
export function settingsOf(config: IPAMConfig | undefined): IpamSettings {
  const persistence = config?.spec.kubeVirtVMAddressPersistence;
  return {
    strictAffinity: config?.spec.strictAffinity ?? false,
    autoAllocateBlocks: config === undefined ? true : (config.spec.autoAllocateBlocks ?? false),
    maxBlocksPerHost: config?.spec.maxBlocksPerHost ?? 0,
    ...(persistence !== undefined && { kubeVirtVMAddressPersistence: persistence }),
  };
}

/** How many blocks of a family a node may own: the smaller of the configured and the requested limit. */
export function blockLimit({ maxBlocksPerHost }: IpamSettings, requested = 0): number {
  const limits = [requested, maxBlocksPerHost].filter((limit) => limit > 0);
  return limits.length === 0 ? defaultBlockLimit : Math.min(...limits);
}

/** The default configuration as an object to be created, by the Calico that stores objects in this API. */
export function defaultConfig(calicoApi: CalicoApi): IPAMConfig {
  const { strictAffinity, autoAllocateBlocks } = settingsOf(undefined);
  // Custom resources of v3 exist since 3.32, which writes the setting; in v1 an older Calico would drop it.
  const persistence = calicoApi === v3ApiVersion ? { kubeVirtVMAddressPersistence: 'Enabled' as const } : {};
  return {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMConfig',
    metadata: { name: 'default', annotations: { [METADATA_ANNOTATION]: EMPTY_METADATA } },
    spec: { strictAffinity, autoAllocateBlocks, ...persistence },
  };
}

/** The configuration with these settings; everything else stays as it is. A limit of 0 is left out, and what is not set. */
export function withSettings(config: IPAMConfig, settings: IpamSettings): IPAMConfig {
  const { maxBlocksPerHost: _, ...spec } = config.spec;
  const { strictAffinity, autoAllocateBlocks, maxBlocksPerHost, kubeVirtVMAddressPersistence } = settings;
  const limit = maxBlocksPerHost === 0 ? {} : { maxBlocksPerHost };
  const persistence = kubeVirtVMAddressPersistence === undefined ? {} : { kubeVirtVMAddressPersistence };
  return { ...config, spec: { ...spec, strictAffinity, autoAllocateBlocks, ...limit, ...persistence } };
}

/** The names of the settings in which the two differ. */
export function changedSettings(before: IpamSettings, after: IpamSettings): (keyof IpamSettings)[] {
  const names = ['strictAffinity', 'autoAllocateBlocks', 'maxBlocksPerHost', 'kubeVirtVMAddressPersistence'] as const;
  return names.filter((name) => before[name] !== after[name]);
}

/** Why these settings cannot be combined, in Calico's words; undefined when they can. */
export function settingsProblem({
  strictAffinity,
  autoAllocateBlocks,
  maxBlocksPerHost,
}: IpamSettings): string | undefined {
  if (!strictAffinity && !autoAllocateBlocks) {
    return "Cannot disable 'StrictAffinity' and 'AutoAllocateBlocks' at the same time";
  }
  return maxBlocksPerHost > 0 && !strictAffinity ? 'MaxBlocksPerHost requires StrictAffinity to be enabled' : undefined;
}
