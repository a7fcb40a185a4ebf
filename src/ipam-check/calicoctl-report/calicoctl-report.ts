// The report file of calicoctl (`ipam check -o FILE`, here `--report FILE`), as `ipam release --from-report` reads it.
import { shownUid } from '../../resources/names.ts';
import { printJson } from '../../text/json.ts';
import type { CalicoctlAllocation, CalicoctlCheck } from './calicoctl-check.ts';

/** One allocation; the fields are in the order of the file. */
export interface ReportedAllocation {
  readonly ip: string;
  readonly handle?: string;
  /** Exact; 0 when none is stored. */
  readonly sequenceNumber: bigint;
  readonly pod?: string;
  readonly namespace?: string;
  readonly node?: string;
  readonly type?: string;
  /** The `timestamp` attribute as stored. */
  readonly creationTimestamp?: string;
  readonly inUse: boolean;
  readonly borrowed?: true;
  readonly owners: readonly string[] | null;
}

export interface ReportedHandle {
  readonly ID: string;
  /** As Calico shows it; null when the object has none. */
  readonly UID: string | null;
  readonly Revision: string;
}

export interface CalicoctlReport {
  readonly version: string;
  readonly clusterGUID: string;
  readonly datastoreLocked: boolean;
  readonly clusterInformationRevision: string;
  readonly clusterType: string;
  readonly allocations: Readonly<Record<string, readonly ReportedAllocation[]>>;
  readonly leakedHandles?: readonly ReportedHandle[];
}

/** The report of a check; `version` is that of the program. */
function calicoctlReport(check: CalicoctlCheck, version: string): CalicoctlReport {
  const addresses = [...check.allocations.keys()].sort();
  const allocations = addresses.map((address) => {
    const owners = check.owners.get(address);
    return [address, (check.allocations.get(address) ?? []).map((one) => reported(one, owners))] as const;
  });
  return {
    version,
    clusterGUID: check.cluster.guid,
    datastoreLocked: check.cluster.locked,
    clusterInformationRevision: check.cluster.resourceVersion,
    clusterType: check.cluster.type,
    allocations: Object.fromEntries(allocations),
    ...(check.leakedHandles.length > 0 && {
      leakedHandles: check.leakedHandles.map(({ id, uid, resourceVersion }) => ({
        ID: id,
        UID: uid === undefined ? null : shownUid(uid, check.cluster.calicoApi),
        Revision: resourceVersion ?? '',
      })),
    }),
  };
}

function reported(allocation: CalicoctlAllocation, owners: readonly string[] | undefined): ReportedAllocation {
  const { attributes = {}, handle, node } = allocation;
  const { pod, namespace, type, timestamp } = attributes;
  return {
    ip: allocation.address,
    ...(handle && { handle }),
    sequenceNumber: allocation.sequenceNumber,
    ...(pod && { pod }),
    ...(namespace && { namespace }),
    ...(node && { node }),
    ...(type && { type }),
    ...(timestamp && { creationTimestamp: timestamp }),
    inUse: owners !== undefined,
    ...(allocation.borrowed && { borrowed: true as const }),
    owners: owners ?? null,
  };
}

/** The content of the file: as Go prints it, indented by two spaces, without a newline at the end. */
export function calicoctlReportText(check: CalicoctlCheck, version: string): string {
  return printJson(calicoctlReport(check, version), { indent: 2, goEscapes: true });
}
