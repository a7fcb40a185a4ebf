// The IPAM configuration with its defaults. Rules: docs/reference/ipam.md#configuration.
import type { IPAMConfig } from '../resources/ipam-config.ts';

/** Blocks that a node may own in a family when nobody says otherwise. */
export const defaultBlockLimit = 20;

export interface IpamSettings {
  /** True: a node assigns from its own blocks only. */
  readonly strictAffinity: boolean;
  /** True: a node claims new blocks when its own are full. */
  readonly autoAllocateBlocks: boolean;
  /** 0: not set. */
  readonly maxBlocksPerHost: number;
}

/** The settings of the stored configuration, or those of a cluster that has none. Reading never writes one. */
export function settingsOf(config: IPAMConfig | undefined): IpamSettings {
  return {
    strictAffinity: config?.spec.strictAffinity ?? false,
    autoAllocateBlocks: config === undefined ? true : (config.spec.autoAllocateBlocks ?? false),
    maxBlocksPerHost: config?.spec.maxBlocksPerHost ?? 0,
  };
}

/** How many blocks a node may own: the smaller of the limits that are set (0 is not set), else the default. */
export function blockLimit(settings: IpamSettings, requested = 0): number {
  const limits = [settings.maxBlocksPerHost, requested].filter((limit) => limit > 0);
  return limits.length === 0 ? defaultBlockLimit : Math.min(...limits);
}
