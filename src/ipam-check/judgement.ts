// Makes judgements: the parts that every finding has in common are filled in here.

import type { Finding, FoundObject, Ground, Judgement, Repair, RepairAction } from './finding.ts';
import type { Severity } from './invariant.ts';
import { type InvariantId, invariants } from './invariants.ts';
import type { BlockView } from './view/block-view.ts';

/** What a rule has to say; everything else follows from the invariant. */
export interface Draft {
  readonly id: InvariantId;
  readonly also?: readonly InvariantId[];
  /** The usual severity of the invariant when absent. */
  readonly severity?: Severity;
  /** True when an operation in progress may look like this. */
  readonly candidate?: boolean;
  readonly object: FoundObject;
  readonly related?: readonly FoundObject[];
  readonly cidr?: string | undefined;
  readonly address?: string | undefined;
  readonly handle?: string | undefined;
  readonly node?: string | undefined;
  readonly owner?: FoundObject | undefined;
  readonly ageSeconds?: number | undefined;
  readonly evidence: readonly string[];
  /** Tells faults of one invariant and object apart, where there can be several. */
  readonly part?: string;
  /** One reading is enough to say it: it rests on nothing that is read a second time. For notes, which may be many. */
  readonly settled?: boolean;
  /** The state it was judged on; the same text in two readings means that nothing happened. */
  readonly fingerprint: string;
  /** Beside the object itself, which is always one. */
  readonly grounds?: readonly Ground[];
  readonly repair?: Repair | undefined;
  /** Only with an automatic repair. */
  readonly action?: RepairAction | undefined;
}

/** A judgement from a draft: title, key, grounds, and fields without a value left out. */
export function judge(draft: Draft): Judgement {
  const { id, object } = draft;
  const finding: Finding = {
    id,
    also: draft.also ?? [],
    title: invariants[id].title,
    severity: draft.severity ?? invariants[id].severities[0],
    stability: draft.candidate ? 'candidate' : 'stable',
    object,
    related: draft.related ?? [],
    ...(draft.cidr !== undefined && { cidr: draft.cidr }),
    ...(draft.address !== undefined && { address: draft.address }),
    ...(draft.handle !== undefined && { handle: draft.handle }),
    ...(draft.node !== undefined && { node: draft.node }),
    ...(draft.owner !== undefined && { owner: draft.owner }),
    ...(draft.ageSeconds !== undefined && { ageSeconds: draft.ageSeconds }),
    evidence: draft.evidence,
    ...(draft.repair !== undefined && { repair: draft.repair }),
  };
  const place = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  const grounds = draft.grounds ?? [];
  return {
    finding,
    key: [id, `${object.kind}/${place}`, draft.part ?? draft.address ?? ''].join(' ').trimEnd(),
    fingerprint: draft.settled === true ? '' : draft.fingerprint,
    grounds: isGround(object) && draft.settled !== true ? [object, ...grounds] : grounds,
    ...(draft.action !== undefined && { action: draft.action }),
  };
}

/** The repair that `ipam check --fix` makes. */
export function automatic(action: RepairAction, summary: string, id: InvariantId): Repair {
  return { primitive: action.primitive, automatic: true, summary, command: `calictl ipam check --fix --only ${id}` };
}

const groundKinds: ReadonlySet<string> = new Set<Ground['kind']>([
  'IPAMBlock',
  'BlockAffinity',
  'IPAMHandle',
  'Pod',
  'Node',
  'Service',
  'IPPool',
]);

function isGround(object: FoundObject): object is Ground {
  return groundKinds.has(object.kind);
}

/** What every finding about a block as a whole says. */
export function aboutBlock(block: BlockView): Pick<Draft, 'object' | 'cidr' | 'node'> {
  return { object: blockObject(block.name), cidr: block.cidr, node: block.node };
}

export function blockObject(name: string): Ground & { readonly kind: 'IPAMBlock' } {
  return { kind: 'IPAMBlock', name };
}

export function affinityObject(name: string): Ground & { readonly kind: 'BlockAffinity' } {
  return { kind: 'BlockAffinity', name };
}

export function handleObject(name: string): Ground & { readonly kind: 'IPAMHandle' } {
  return { kind: 'IPAMHandle', name };
}

export function nodeObject(name: string): Ground & { readonly kind: 'Node' } {
  return { kind: 'Node', name };
}
