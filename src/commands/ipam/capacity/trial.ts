// What --simulate asks for, and reading it.
import { UsageError } from '../../../world/errors.ts';

const mostNodes = 2000;
const mostPodsPerNode = 1000;
const mostPods = 220_000;

/** What --simulate asks for. */
export interface Trial {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly pool: string | undefined;
  readonly blockSize: number | undefined;
}

function wholeNumber(key: string, text: string, most: number): number {
  const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new UsageError(`invalid number for --simulate: ${key}=${text}`, `use a number from 1 to ${most}`);
}

/** Errors: UsageError for an unknown or missing part, and for a number out of range. */
export function parseTrial(text: string): Trial {
  const form = 'write it like nodes=10,pods-per-node=50; pool= and block-size= may follow';
  const given = new Map<string, string>();
  for (const part of text.split(',')) {
    const [, key = '', value = ''] = /^([a-z-]+)=(.+)$/.exec(part) ?? [];
    const known = ['nodes', 'pods-per-node', 'pool', 'block-size'].includes(key);
    if (!known || given.has(key)) throw new UsageError(`invalid value for --simulate: ${part}`, form);
    given.set(key, value);
  }
  const missing = ['nodes', 'pods-per-node'].find((key) => !given.has(key));
  if (missing !== undefined) throw new UsageError(`--simulate requires ${missing}=`, form);
  const nodes = wholeNumber('nodes', given.get('nodes') as string, mostNodes);
  const podsPerNode = wholeNumber('pods-per-node', given.get('pods-per-node') as string, mostPodsPerNode);
  if (nodes * podsPerNode > mostPods) {
    throw new UsageError(
      `too many pods for --simulate: ${nodes} nodes of ${podsPerNode} pods`,
      `use at most ${mostPods} pods`,
    );
  }
  const size = given.get('block-size');
  const blockSize = size === undefined ? undefined : Number(/^[0-9]{2,3}$/.test(size) ? size : 0);
  const isSize = blockSize === undefined || (blockSize >= 20 && blockSize <= 32) || blockSize >= 116;
  if (!isSize || (blockSize ?? 0) > 128) {
    throw new UsageError(
      `invalid block size for --simulate: ${size}`,
      'use 20 to 32 for IPv4 pools, 116 to 128 for IPv6 pools',
    );
  }
  return { nodes, podsPerNode, pool: given.get('pool'), blockSize };
}
