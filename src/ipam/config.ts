// The IPAM configuration with its defaults. Rules: docs/reference/ipam.md#configuration.
import type { IPAMConfig } from '../resources/ipam-config.ts';

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
