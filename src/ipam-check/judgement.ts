// Creates judgements: the parts that all findings have in common are filled in here.
import { qualifiedName } from '../resources/object.ts';
import type { Dependency, Finding, FoundObject, Judgement, Repair, RepairAction } from './finding.ts';
import type { Severity } from './invariant.ts';
import { type InvariantId, invariants } from './invariants.ts';
import type { BlockView } from './view/block-view.ts';

/** Lists in evidence are cut after so many entries: a block can have thousands of ordinals. */
export const mostListed = 20;

/** What a rule says; everything else follows from the invariant. */
export interface Draft {
  readonly id: InvariantId;
  readonly also?: readonly InvariantId[];
  /** The first severity of the invariant when absent. */
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
  /** Distinguishes faults of one invariant and object, where there can be several. */
  readonly part?: string;
  /** True when one reading is enough, so that nothing is read a second time. For notes, of which there may be many. */
  readonly settled?: boolean;
  /** The state it was judged by; the same text in two readings means that nothing changed. */
  readonly fingerprint: string;
  /** In addition to the object itself. */
  readonly dependencies?: readonly Dependency[];
  readonly repair?: Repair | undefined;
  /** Only with an automatic repair. */
  readonly action?: RepairAction | undefined;
}

/** The judgement for a draft: adds title, key and dependencies, and leaves out fields without a value. */
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
  const dependencies = draft.dependencies ?? [];
  return {
    finding,
    key: [id, `${object.kind}/${qualifiedName(object)}`, draft.part ?? draft.address ?? ''].join(' ').trimEnd(),
    fingerprint: draft.settled === true ? '' : draft.fingerprint,
    dependencies: isDependency(object) && draft.settled !== true ? [object, ...dependencies] : dependencies,
    ...(draft.action !== undefined && { action: draft.action }),
  };
}

/** A repair that `ipam check --fix` makes. */
export function automatic(action: RepairAction, summary: string, id: InvariantId): Repair {
  return { primitive: action.primitive, automatic: true, summary, command: `calictl ipam check --fix --only ${id}` };
}

const dependencyKinds: ReadonlySet<string> = new Set<Dependency['kind']>([
  'IPAMBlock',
  'BlockAffinity',
  'IPAMHandle',
  'Pod',
  'Node',
  'Service',
  'IPPool',
]);

function isDependency(object: FoundObject): object is Dependency {
  return dependencyKinds.has(object.kind);
}

/** What a person does about it, and where there is one the command. */
export function byHand(summary: string, command?: string): Repair {
  return { automatic: false, summary, ...(command !== undefined && { command }) };
}

/** What every finding about a block as a whole says. */
export function aboutBlock(block: BlockView): Pick<Draft, 'object' | 'cidr' | 'node'> {
  return { object: blockObject(block.name), cidr: block.cidr, node: block.node };
}

export function blockObject(name: string): Dependency & { readonly kind: 'IPAMBlock' } {
  return { kind: 'IPAMBlock', name };
}

export function affinityObject(name: string): Dependency & { readonly kind: 'BlockAffinity' } {
  return { kind: 'BlockAffinity', name };
}

export function handleObject(name: string): Dependency & { readonly kind: 'IPAMHandle' } {
  return { kind: 'IPAMHandle', name };
}

export function poolObject(name: string): Dependency & { readonly kind: 'IPPool' } {
  return { kind: 'IPPool', name };
}

export function nodeObject(name: string): Dependency & { readonly kind: 'Node' } {
  return { kind: 'Node', name };
}
