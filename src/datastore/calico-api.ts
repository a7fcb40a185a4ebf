// Which API holds Calico's objects where a store has both crd.projectcalico.org/v1 and projectcalico.org/v3: what is left
// over, what a migration is about to replace, and which writes would be lost. Rules: docs/reference/api-groups.md.
import { type CalicoApi, customResourceApi, v3ApiVersion } from '../resources/kind.ts';
import { exitCodes, RefusedError } from '../world/errors.ts';
import { DatastoreError } from './datastore.ts';

/** What is found in one API: its ClusterInformation, and whether it has a pool. */
export interface ApiHoldings {
  /** Undefined when there is none. */
  readonly information: { readonly isReady: boolean; readonly version: string | undefined } | 'unreadable' | undefined;
  readonly hasPools: boolean;
}

export interface CalicoApiFacts {
  /** crd.projectcalico.org/v1 is served. */
  readonly servesCrd: boolean;
  /**
   * How projectcalico.org/v3 is served: `native` by CRDs that hold everything, `aggregated` by Calico's API server on top of
   * another store, `unknown` when that server does not answer.
   */
  readonly v3: 'none' | 'native' | 'aggregated' | 'unknown';
  /** Phase of the DatastoreMigration; undefined when there is none or it may not be read. */
  readonly phase?: string | undefined;
  /** What both APIs hold, where both are served by CRDs. */
  readonly crd?: ApiHoldings | undefined;
  readonly native?: ApiHoldings | undefined;
}

export interface CalicoApiChoice {
  readonly calicoApi: CalicoApi;
  /** For people: which API is read and what the other one is. Absent where there is only one. */
  readonly note?: string;
  /** Why nothing can be written: it would be lost, or end up where Calico does not look. */
  readonly readOnly?: RefusedError;
  /** True while or before a migration copies the objects to projectcalico.org/v3, or when it is prepared. */
  readonly isBeforeMigration?: boolean;
}

/** The name of the one DatastoreMigration that Calico honours. */
export const migrationName = 'v1-to-v3';

const crd = customResourceApi;
const v3 = v3ApiVersion;
const look = `kubectl get datastoremigration ${migrationName} -o yaml`;

/** Phases after which projectcalico.org/v3 is what counts. */
const finished: readonly string[] = ['Converged', 'Complete'];
/** Phases in which crd.projectcalico.org/v1 is in use as before. */
const notBegun: readonly string[] = ['', 'Pending', 'WaitingForConflictResolution', 'Failed'];

/**
 * Where Calico's objects are. `asked` is what the user set, which decides what is read, but not what may be written.
 * Errors: DatastoreError (code NO_CALICO) when the API is not served.
 */
export function chosenCalicoApi(facts: CalicoApiFacts, server: string, asked?: CalicoApi): CalicoApiChoice {
  refuseMissing(facts, server, asked);
  if (!facts.servesCrd) return { calicoApi: v3 };
  if (facts.phase !== undefined && facts.v3 !== 'none') return inMigration(facts.phase, facts, asked);
  if (facts.v3 !== 'native') return { calicoApi: crd };
  return withBoth(facts, asked);
}

function refuseMissing({ servesCrd, v3: form }: CalicoApiFacts, server: string, asked: CalicoApi | undefined): void {
  const missing = (what: string, hint: string): DatastoreError =>
    new DatastoreError('unsupported', `${server} ${what}`, { code: 'NO_CALICO', exit: exitCodes.failed, hint });
  const unset = 'CALICO_API_GROUP (calicoAPIGroup in a configuration file) selects it; leave it out for this cluster.';
  if (!servesCrd && form === 'none') {
    throw missing(
      'serves no API group of Calico',
      'Calico is not installed in this cluster, or keeps its objects in etcd; check the context with --context.',
    );
  }
  if (!servesCrd && (form === 'aggregated' || form === 'unknown')) {
    throw missing(
      `serves ${v3} from Calico's API server, and no ${crd}`,
      'Calico keeps its objects in etcd there, or its API server is not available; check the context with --context.',
    );
  }
  if (asked === crd && !servesCrd) throw missing(`does not serve ${crd}`, unset);
  if (asked === v3 && form !== 'native') {
    const how = form === 'none' ? `does not serve ${v3}` : `serves ${v3} from Calico's API server, without IPAM data`;
    throw missing(how, unset);
  }
}

function inMigration(phase: string, facts: CalicoApiFacts, asked: CalicoApi | undefined): CalicoApiChoice {
  const migration = `the migration to ${v3} is in phase ${phase || 'Pending'}`;
  const refused = (what: string, hint: string): RefusedError =>
    new RefusedError(`${migration}: ${what}`, 'DATASTORE_MIGRATION', hint);
  if (finished.includes(phase)) {
    if (asked !== crd) {
      const rest = `${crd} is out of date and may only be read`;
      return { calicoApi: v3, note: `${migration}: Calico's objects are read from ${v3}; ${rest}` };
    }
    return {
      calicoApi: crd,
      note: `${migration}: what CALICO_API_GROUP selects, ${crd}, is out of date; Calico's objects are in ${v3}`,
      readOnly: refused(
        `Calico's objects are in ${v3}, and what is written to ${crd} is lost`,
        `Leave out CALICO_API_GROUP, or set it to ${v3}.`,
      ),
    };
  }
  const isBegun = !notBegun.includes(phase);
  const isLocked = isLockedIn(facts.crd);
  const abort = `Wait until it is complete (${look}), or delete the DatastoreMigration to end it.`;
  const readOnly =
    asked === v3
      ? refused(`Calico's objects are still in ${crd}`, `Leave out CALICO_API_GROUP, or set it to ${crd}.`)
      : isBegun
        ? refused(`Calico's objects are in ${crd}, which is being copied, and a write to either API can be lost`, abort)
        : isLocked
          ? refused(
              `Calico's objects are in ${crd}, which is locked`,
              `See what it waits for (${look}), or delete the DatastoreMigration to end it.`,
            )
          : undefined;
  const state = isBegun ? ', which is frozen while it is copied' : isLocked ? ', which is locked' : '';
  const note =
    asked === v3
      ? `${migration}: what CALICO_API_GROUP selects, ${v3}, is incomplete; Calico's objects are in ${crd}${state}`
      : `${migration}: Calico's objects are read from ${crd}${state}; those in ${v3} are incomplete`;
  return { calicoApi: asked ?? crd, note, ...(readOnly && { readOnly }), isBeforeMigration: true };
}

function isLockedIn(holdings: ApiHoldings | undefined): boolean {
  const information = holdings?.information;
  return typeof information === 'object' && !information.isReady;
}

/** Both are served by CRDs, and no migration says which counts. */
function withBoth(facts: CalicoApiFacts, asked: CalicoApi | undefined): CalicoApiChoice {
  const used = usedApi(facts);
  if (used === 'unclear') {
    const both = `${crd} and ${v3} both hold objects of Calico, or may not be read, and nothing says which of them Calico uses`;
    if (asked !== undefined) return { calicoApi: asked };
    const choose = `Set CALICO_API_GROUP to the one that calico-node uses, ${crd} or ${v3}.`;
    return {
      calicoApi: crd,
      note: `${both}; ${crd} is read: set CALICO_API_GROUP to choose`,
      readOnly: new RefusedError(both, 'CALICO_API_UNCLEAR', choose),
    };
  }
  // Where there is nothing yet, Calico itself takes crd.projectcalico.org/v1.
  const found = used ?? asked ?? crd;
  const isBeforeMigration = used === crd;
  if (asked === undefined || asked === found) {
    const note = `the cluster also serves ${found === crd ? v3 : crd}, which is not in use: Calico's objects are read from ${found}`;
    return { calicoApi: found, ...(asked === undefined && { note }), isBeforeMigration };
  }
  return {
    calicoApi: asked,
    note: `what CALICO_API_GROUP selects, ${asked}, is not in use in this cluster: Calico's objects are in ${found}`,
    readOnly: new RefusedError(
      `Calico's objects are in ${found}, and what is written to ${asked} is lost`,
      'CALICO_API_UNUSED',
      `Leave out CALICO_API_GROUP, or set it to ${found}.`,
    ),
    isBeforeMigration,
  };
}

/** The API that Calico uses; undefined when neither holds anything. */
function usedApi({ crd: inCrd, native }: CalicoApiFacts): CalicoApi | 'unclear' | undefined {
  const weights = [inCrd, native].map(weightOf) as [number | undefined, number | undefined];
  const [crdWeight, nativeWeight] = weights;
  if (crdWeight === undefined || nativeWeight === undefined) return 'unclear';
  if (crdWeight !== nativeWeight) return nativeWeight > crdWeight ? v3 : crd;
  const pools = [inCrd, native].map((holdings) => holdings?.hasPools);
  if (pools[0] !== pools[1]) return pools[1] ? v3 : crd;
  return pools[0] || crdWeight > 0 ? 'unclear' : undefined;
}

/**
 * How much a ClusterInformation says that its API is in use: nodes write their version into it, and a migration locks what it
 * leaves behind. Undefined when it may not be read.
 */
function weightOf(holdings: ApiHoldings | undefined): number | undefined {
  const information = holdings?.information;
  if (information === 'unreadable') return undefined;
  if (information === undefined) return 0;
  if (information.version === undefined) return 1;
  return information.isReady ? 3 : 2;
}
