// The report of `ipam check` (docs/reference/report-format.md): its type, and how it is built.
import type { CalicoApi } from '../resources/kind.ts';
import type { Evaluation } from './evaluate.ts';
import type { Finding, Judgement } from './finding.ts';
import { type InvariantId, invariantsNeeding } from './invariants.ts';
import { isFixable, isSelected, type Selection } from './plan.ts';
import type { IpamSnapshot, UnreadKind } from './snapshot.ts';

/** `planned` occurs only in a dry run. */
export type FixOutcome = 'planned' | 'applied' | 'conflict' | 'skipped' | 'failed';

export interface FixItem {
  readonly finding: Finding;
  readonly outcome: FixOutcome;
  readonly detail?: string;
  /** The repair was not applied, but its findings are gone: another client was faster. */
  readonly resolved?: true;
}

export interface FixReport {
  readonly planned: number;
  readonly applied: number;
  readonly skipped: number;
  readonly conflicts: number;
  readonly failed: number;
  /** Repairs that were not applied and are still needed. */
  readonly left: number;
  /** Path of the journal; absent when there was nothing to write. */
  readonly journal?: string;
  readonly items: readonly FixItem[];
}

export interface CheckSummary {
  readonly pools: number;
  readonly blocks: number;
  readonly affinities: number;
  readonly handles: number;
  readonly allocations: number;
  readonly inUse: number;
  /** Stable findings only. */
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  readonly candidates: number;
  readonly fixable: number;
}

export interface ReportDatastore {
  readonly type: string;
  readonly locked: boolean;
  readonly calicoApi: CalicoApi;
  readonly clusterGUID?: string;
  readonly calicoVersion?: string;
}

/** A kind that could not be read, and what is not judged without it. */
export interface UnreadReport extends UnreadKind {
  readonly invariants: readonly InvariantId[];
}

export interface IPAMCheckReport {
  readonly apiVersion: 'calictl/v1';
  readonly kind: 'IPAMCheckReport';
  readonly datastore: ReportDatastore;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The time that ages are relative to, if it is not the time of the run: the capture time of a snapshot. */
  readonly judgedAt?: string;
  readonly summary: CheckSummary;
  readonly findings: readonly Finding[];
  readonly unread?: readonly UnreadReport[];
  readonly fix?: FixReport;
}

/** What a report is built from. The evaluation is that of what is left when the command ends. */
export interface ReportParts extends Evaluation {
  /** `kubernetes` or `folder`. */
  readonly datastoreType: string;
  readonly snapshot: IpamSnapshot;
  readonly selection?: Selection;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** When the snapshot was captured, if it was not read in this run. */
  readonly judgedAt?: Date | undefined;
  readonly items?: readonly FixItem[] | undefined;
  readonly journal?: string | undefined;
}

/** Builds a report; its `fix` part only when there are `items`. */
export function buildReport(parts: ReportParts): IPAMCheckReport {
  const { snapshot, selection, items } = parts;
  const judgements = selection
    ? parts.judgements.filter(({ finding }) => isSelected(finding, selection))
    : parts.judgements;
  const { clusterGUID, calicoVersion } = snapshot.clusterInformation?.spec ?? {};
  return {
    apiVersion: 'calictl/v1',
    kind: 'IPAMCheckReport',
    datastore: {
      type: parts.datastoreType,
      locked: snapshot.locked,
      calicoApi: snapshot.calicoApi,
      ...(clusterGUID !== undefined && { clusterGUID }),
      ...(calicoVersion !== undefined && { calicoVersion }),
    },
    startedAt: parts.startedAt.toISOString(),
    finishedAt: parts.finishedAt.toISOString(),
    ...(parts.judgedAt && { judgedAt: parts.judgedAt.toISOString() }),
    summary: {
      pools: snapshot.pools.length,
      blocks: snapshot.blocks.length,
      affinities: snapshot.affinities.length,
      handles: snapshot.handles.length,
      allocations: parts.allocations,
      inUse: parts.inUse,
      ...countFindings(judgements),
    },
    findings: judgements.map(({ finding }) => finding),
    ...(snapshot.unread.length > 0 && { unread: snapshot.unread.map(unreadReport) }),
    ...(items && { fix: fixReport(items, parts.journal) }),
  };
}

function unreadReport({ kind, reason }: UnreadKind): UnreadReport {
  return { kind, reason, invariants: invariantsNeeding(kind) };
}

function countFindings(
  judgements: readonly Judgement[],
): Pick<CheckSummary, 'errors' | 'warnings' | 'infos' | 'candidates' | 'fixable'> {
  const count = { errors: 0, warnings: 0, infos: 0, candidates: 0, fixable: 0 };
  for (const judgement of judgements) {
    const { stability, severity } = judgement.finding;
    if (isFixable(judgement)) count.fixable++;
    if (stability === 'candidate') count.candidates++;
    else if (severity === 'error') count.errors++;
    else if (severity === 'warning') count.warnings++;
    else count.infos++;
  }
  return count;
}

function fixReport(items: readonly FixItem[], journal: string | undefined): FixReport {
  const number = (outcome: FixOutcome) => items.filter((item) => item.outcome === outcome).length;
  return {
    planned: items.length,
    applied: number('applied'),
    skipped: number('skipped'),
    conflicts: number('conflict'),
    failed: number('failed'),
    left: items.filter(({ outcome, resolved }) => outcome !== 'applied' && outcome !== 'planned' && !resolved).length,
    ...(journal !== undefined && { journal }),
    items,
  };
}
