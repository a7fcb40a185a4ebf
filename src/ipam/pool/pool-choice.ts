// The pools that addresses for a node are assigned from: those requested, or those that select it.
// Rules: docs/reference/ipam.md#assigning-addresses.
import { bitsOf, type Cidr, formatCidr, parseCidr } from '../../net/cidr.ts';
import type { IPPool } from '../../resources/kinds/ip-pool.ts';
import { evaluate, type Labels, SelectorError } from '../../resources/selector.ts';
import { CalictlError, UsageError } from '../../world/errors.ts';
import { assignsAutomatically, blockSizeOf, isAllocatable, isBlockSize, requireBlockSize, usesOf } from './pools.ts';

export type IntendedUse = 'Workload' | 'Tunnel' | 'LoadBalancer';

export interface ChosenPool {
  readonly pool: IPPool;
  readonly cidr: Cidr;
  readonly blockSize: number;
}

export interface PoolQuestion {
  readonly version: 4 | 6;
  readonly node: string;
  readonly labels: Labels;
  readonly namespaceLabels: Labels;
  readonly use: IntendedUse;
  /** Requested pools by CIDR, in the order of trying; if none, those that select the node. */
  readonly requested: readonly Cidr[];
  /** The longest prefix of a block that has room for what is reserved in it. */
  readonly maxPrefix?: number | undefined;
}

export interface PoolChoice {
  /** In the order of trying; without those whose block size is not supported. */
  readonly usable: readonly ChosenPool[];
  /** The same, and those that do not allow the intended use. */
  readonly selected: readonly ChosenPool[];
}

function enabledPools(pools: readonly IPPool[], version: 4 | 6): ChosenPool[] {
  const enabled: ChosenPool[] = [];
  for (const pool of pools.filter(isAllocatable)) {
    const cidr = parseCidr(pool.spec.cidr);
    if (cidr?.version === version) enabled.push({ pool, cidr, blockSize: blockSizeOf(pool) });
  }
  return enabled;
}

/** Chooses from all pools, which are in name order. Errors: CalictlError with the reason when there is none. */
export function choosePools(pools: readonly IPPool[], question: PoolQuestion): PoolChoice {
  const { version, node, use, maxPrefix = bitsOf(version), requested } = question;
  if (requested.some((cidr) => cidr.version !== version)) {
    const [given, other] = version === 4 ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
    throw new UsageError(
      `provided ${given} IPPools list contains one or more ${other} IPPools`,
      `assign ${other} addresses from them with a separate command`,
    );
  }
  const enabled = enabledPools(pools, version);
  if (!enabled.some(({ blockSize }) => blockSize <= maxPrefix)) {
    for (const { pool } of enabled) requireBlockSize(pool);
    throw new CalictlError('cannot find a qualified ippool', {
      code: 'NO_POOL',
      hint: `no enabled IPv${version} pool has large enough blocks`,
    });
  }
  const selected =
    requested.length > 0
      ? requested.map((cidr) => requestedPool(enabled, cidr, maxPrefix))
      : enabled.filter(({ pool }) => isFor(pool, question));
  if (selected.length === 0) {
    const others = enabled.filter(({ pool }) => isFor(withoutNamespaces(pool), question)).map(({ pool }) => pool);
    const kept = others.map(
      ({ metadata, spec }) => `${metadata.name} is for namespaces with ${spec.namespaceSelector}`,
    );
    throw new CalictlError(
      `no configured Calico pools for node ${node}${kept.length > 0 ? `: pool ${kept.join(', pool ')}` : ''}`,
      {
        code: 'NO_POOL',
        hint:
          kept.length > 0
            ? 'specify a namespace with --namespace'
            : `no enabled IPv${version} pool with automatic assignment selects the node; specify one with --pool`,
      },
    );
  }
  const allowed = selected.filter(({ pool }) => usesOf(pool).includes(use));
  const [first] = allowed;
  if (first === undefined) {
    throw new CalictlError(`cannot find a qualified ippool, no pools match the required use (${use})`, {
      code: 'NO_POOL',
      hint: 'allowedUses of a pool lists what its addresses may be used for',
    });
  }
  const usable = allowed.filter(({ blockSize }) => isBlockSize(version, blockSize));
  if (usable.length === 0) requireBlockSize(first.pool);
  return { usable, selected };
}

/** A requested pool is used whatever it selects. */
function requestedPool(enabled: readonly ChosenPool[], cidr: Cidr, maxPrefix: number): ChosenPool {
  const text = formatCidr(cidr);
  const found = enabled.find((pool) => formatCidr(pool.cidr) === text);
  if (found !== undefined) requireBlockSize(found.pool);
  if (found !== undefined && found.blockSize <= maxPrefix) return found;
  throw new CalictlError(`the given pool (${text}) does not exist, or is not enabled`, {
    code: 'NO_POOL',
    hint: 'calictl get ippools -o wide shows the pools',
  });
}

function withoutNamespaces(pool: IPPool): IPPool {
  return { ...pool, spec: { ...pool.spec, namespaceSelector: '' } };
}

/** True for a pool with automatic assignment that selects both the node and the namespace. */
function isFor(pool: IPPool, { labels, namespaceLabels }: PoolQuestion): boolean {
  if (!assignsAutomatically(pool)) return false;
  const { nodeSelector, namespaceSelector } = pool.spec;
  try {
    return evaluate(nodeSelector, labels) && evaluate(namespaceSelector, namespaceLabels);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new CalictlError(`invalid selector in pool ${pool.metadata.name}: ${error.message}`, {
      code: error.code,
      hint: 'correct it: until then no node gets addresses',
    });
  }
}
