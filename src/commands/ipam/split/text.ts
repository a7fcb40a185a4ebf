// What `ipam split` prints: the plan, and how it ended.
import type { PlannedPart } from '../../../ipam/pool/pool-split.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { counted } from '../../../text/wording.ts';

export interface IpamSplit {
  readonly name: string;
  /** Unknown when the pool was split before. */
  readonly cidr: string | undefined;
  readonly outcome: 'planned' | 'split' | 'terminating' | 'already-split';
  /** The pool is disabled by this split, not before. */
  readonly disable: boolean;
  readonly parts: readonly PlannedPart[];
}

/** One line per write, in the order in which they are (or would be) made. */
export function ipamSplitText({ name, cidr, outcome, disable, parts }: IpamSplit): string {
  const pool = printable(name);
  if (outcome === 'already-split') {
    const list = parts.map(({ pool: part }) => `  ${printable(part.metadata.name)} ${part.spec.cidr}\n`).join('');
    return `Pool ${pool} is already split: nothing to do.\n${list}`;
  }
  const planned = outcome === 'planned';
  const verb = (would: string, did: string): string => (planned ? `would ${would}` : did);
  const lines = [
    disable ? `${verb('disable', 'Disabled')} ${pool} (${cidr})` : `${pool} (${cidr}) is already disabled`,
    ...parts.map(({ pool: part, exists, blocks }) => {
      const what = `${printable(part.metadata.name)} (${part.spec.cidr}, ${counted(blocks, 'block')})`;
      return exists ? `${what} already exists` : `${verb('create', 'Created')} ${what}`;
    }),
    outcome === 'terminating'
      ? `Requested the deletion of ${pool}; it waits for its finalizers`
      : `${verb('delete', 'Deleted')} ${pool}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export function ipamSplitJson({ name, cidr, outcome, parts }: IpamSplit): string {
  const document = {
    kind: 'IPPoolSplit',
    outcome,
    pool: name,
    ...(cidr === undefined ? {} : { cidr }),
    parts: parts.map(({ pool, exists, blocks }) => ({
      name: pool.metadata.name,
      cidr: pool.spec.cidr,
      existed: exists,
      blocks,
    })),
  };
  return jsonDocument(document);
}
