// From judgements to the list of repairs: what --fix does, each object written by one repair, in the order that is safe.
import type { Finding, Judgement, Primitive, RepairAction } from './finding.ts';
import type { InvariantId } from './invariants.ts';

/** `--only` and `--skip`. A finding is selected by its id and by the ids in its `also`. */
export interface Selection {
  readonly only?: readonly InvariantId[] | undefined;
  readonly skip?: readonly InvariantId[] | undefined;
}

export interface PlannedRepair {
  /** The first of the findings that the repair resolves. */
  readonly finding: Finding;
  readonly action: RepairAction;
  /** All judgements that the repair resolves, that of `finding` first. */
  readonly judgements: readonly Judgement[];
}

/**
 * Tombstones first, because they hide what is behind them; owners before addresses; what must be empty last. Labels come
 * before the state of an affinity, so that the stronger repair of the two is the later one.
 */
const order: readonly Primitive[] = ['R7', 'R2', 'R8', 'R4', 'R5', 'R1', 'R3', 'R9', 'R6'];

/** True when the selection includes the finding. */
export function isSelected(finding: Finding, { only, skip }: Selection): boolean {
  const named = (ids: readonly InvariantId[]) =>
    ids.includes(finding.id) || finding.also.some((id) => ids.includes(id));
  return (only === undefined || only.length === 0 || named(only)) && !named(skip ?? []);
}

/** True when --fix would repair it: stable, with an automatic repair. */
export function isFixable({ finding, action }: Judgement): boolean {
  return action !== undefined && finding.stability === 'stable' && finding.repair?.automatic === true;
}

/** The repairs of all selected judgements that can be repaired. Judgements that one write resolves share a repair. */
export function planRepairs(judgements: readonly Judgement[], selection: Selection = {}): PlannedRepair[] {
  const planned = new Map<string, { action: RepairAction; judgements: Judgement[] }>();
  for (const judgement of judgements) {
    const { action } = judgement;
    if (action === undefined || !isFixable(judgement) || !isSelected(judgement.finding, selection)) continue;
    const key = targetOf(action);
    const shared = planned.get(key);
    if (shared === undefined) planned.set(key, { action, judgements: [judgement] });
    else {
      shared.action = stronger(shared.action, action);
      shared.judgements.push(judgement);
    }
  }
  const repairs: PlannedRepair[] = [];
  for (const { action, judgements: resolved } of planned.values()) {
    const [first] = resolved;
    if (first) repairs.push({ finding: first.finding, action, judgements: resolved });
  }
  return repairs.sort((a, b) => order.indexOf(a.action.primitive) - order.indexOf(b.action.primitive));
}

/** What a repair writes, so that two repairs of the same are merged; repairs of one affinity exclude each other. */
function targetOf(action: RepairAction): string {
  switch (action.primitive) {
    case 'R1':
      return `address ${action.block} ${action.ordinal}`;
    case 'R2':
      return `bookkeeping ${action.block}`;
    case 'R3':
      return `handle ${action.handle}`;
    case 'R7':
      return `tombstone ${action.kind} ${action.name}`;
    case 'R9':
      return `block ${action.block}`;
    default:
      return 'affinity' in action ? `affinity ${action.affinity}` : `affinity of ${action.owner} for ${action.block}`;
  }
}

/** The one of two repairs after which the other has nothing left to do: a release also settles what R4 would confirm. */
function stronger(a: RepairAction, b: RepairAction): RepairAction {
  if (a.primitive === 'R2' && b.primitive === 'R2') return (a.unused?.length ?? 0) >= (b.unused?.length ?? 0) ? a : b;
  return order.indexOf(b.primitive) > order.indexOf(a.primitive) ? b : a;
}
