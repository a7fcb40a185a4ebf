// Flags that several ipam commands have: how --output and --yes are described, what --node, --pod and pairs of key and
// value take.
import { UsageError } from '../world/errors.ts';
import type { FlagSpec, Input } from './command.ts';

/** -o with these formats; the first is the default. */
export function outputFlag(...formats: readonly [string, ...string[]]): FlagSpec {
  return { name: 'output', short: 'o', value: 'FORMAT', about: 'output format', choices: formats, default: formats[0] };
}

export const yesFlag: FlagSpec = { name: 'yes', short: 'y', about: 'do not ask' };

/** The node that --node names. Errors: UsageError for an empty name. */
export function nodeOf(input: Input): string | undefined {
  const node = input.text('node');
  if (node === '') throw new UsageError('--node is empty', 'name a node');
  return node;
}

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** The pod that --pod names. Errors: UsageError for another text than NAMESPACE/NAME. */
export function podOf(input: Input): PodName | undefined {
  const text = input.text('pod');
  if (text === undefined) return undefined;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new UsageError(`--pod does not take '${text}'`, 'write it as NAMESPACE/NAME');
}

/** The pairs that a repeatable flag names. Errors: UsageError for a text without a key. */
export function pairsOf(input: Input, flag: string): [key: string, value: string][] {
  return input.texts(flag).map((text) => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key !== undefined && value !== undefined) return [key, value];
    throw new UsageError(`--${flag} does not take '${text}'`, 'write it as KEY=VALUE');
  });
}
