// What the configuration of BIRD is made from besides the plan of the sessions: objects, and the environment of calico-node.
import type { BGPConfiguration } from '../resources/kinds/bgp-configuration.ts';
import type { BGPFilter } from '../resources/kinds/bgp-filter.ts';
import type { BlockAffinity } from '../resources/kinds/block-affinity.ts';
import type { EndpointSlice } from '../resources/kinds/endpoint-slice.ts';
import type { IPPool } from '../resources/kinds/ip-pool.ts';
import type { CoreNode } from '../resources/kinds/node-fields.ts';
import type { Service } from '../resources/kinds/service.ts';
import { CalictlError } from '../world/errors.ts';

export interface BirdObjects {
  readonly nodes: readonly CoreNode[];
  readonly bgpConfigurations: readonly BGPConfiguration[];
  readonly bgpFilters: readonly BGPFilter[];
  readonly pools: readonly IPPool[];
  readonly affinities: readonly BlockAffinity[];
  readonly services: readonly Service[];
  readonly endpointSlices: readonly EndpointSlice[];
}

/** Variables of the calico-node container that its configuration depends on; empty ones count as not set. */
export const environmentVariables = [
  'CALICO_ROUTER_ID',
  'CALICO_ADVERTISE_CLUSTER_IPS',
  'CALICO_K8S_NODE_REF',
  'NAMESPACE',
  'USE_POD_CIDR',
] as const;

export type BirdEnvironment = Readonly<Partial<Record<(typeof environmentVariables)[number], string>>>;

/** The key of a Secret that holds a password. */
export interface PasswordKey {
  readonly secret: string;
  readonly key: string;
}

/** The password at a key, or what is written in its place; undefined where there is none. */
export type Passwords = (key: PasswordKey) => string | undefined;

/** What is written in place of a password. */
export const hiddenPassword = '(hidden)';

/** Something about the configuration that people should know. */
export interface Remark {
  readonly message: string;
  /** BIRD does not load such a configuration, and goes on with the one it has. */
  readonly refused: boolean;
}

export const remark = (message: string): Remark => ({ message, refused: false });
export const refusal = (message: string): Remark => ({ message, refused: true });

/** A configuration that cannot be written: a value would end the text that it stands in. */
export class UnrenderableError extends CalictlError {
  constructor(message: string, hint?: string) {
    super(message, { code: 'BIRD_CONFIG', hint });
  }
}

/** Compares texts by their bytes, as Calico sorts keys. */
export const compareBytes = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
