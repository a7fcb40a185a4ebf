// Reads a report file that calicoctl wrote with `ipam check -o FILE`, or calictl with `--report FILE`.
import * as z from 'zod/mini';
import { canonicalIp } from '../../net/ip.ts';
import { parseJson } from '../../text/json.ts';
import { UsageError } from '../../world/errors.ts';

const integer = z.union([z.int(), z.bigint()]);

const entry = z.looseObject({
  ip: z.string().check(z.refine((text) => canonicalIp(text) !== undefined)),
  handle: z.optional(z.string()),
  sequenceNumber: z.optional(integer),
  inUse: z.optional(z.boolean()),
});

const leakedHandle = z.looseObject({
  ID: z.string(),
  UID: z.optional(z.nullable(z.string())),
  Revision: z.optional(z.string()),
});

const report = z.looseObject({
  version: z.string(),
  clusterGUID: z.string(),
  clusterInformationRevision: z.optional(z.string()),
  allocations: z.optional(z.nullable(z.record(z.string(), z.array(entry)))),
  leakedHandles: z.optional(z.nullable(z.array(leakedHandle))),
});

export interface LeakedAddress {
  readonly address: string;
  readonly handle: string | undefined;
  readonly sequenceNumber: bigint;
}

export interface LeakedHandle {
  readonly id: string;
  /** As the report shows it, which is not as it is stored. */
  readonly uid: string | undefined;
  readonly revision: string | undefined;
}

export interface ReadReport {
  readonly file: string;
  readonly version: string;
  readonly clusterGuid: string;
  readonly clusterInformationRevision: string | undefined;
  readonly addresses: readonly LeakedAddress[];
  readonly handles: readonly LeakedHandle[];
}

/** The leaks that a report records. Errors: UsageError when the text is not such a report. */
export function parseCalicoctlReport(text: string, file: string): ReadReport {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new UsageError(
      `the report ${file} is not valid JSON: ${(cause as Error).message}`,
      'write one with: calictl ipam check --report FILE',
      'REPORT_INVALID',
    );
  }
  const checked = report.safeParse(value);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const { kind } = (value ?? {}) as Readonly<Record<string, unknown>>;
    throw new UsageError(
      kind === 'IPAMCheckReport'
        ? `${file} is what ipam check prints with -o; addresses are released from the file that it writes with --report`
        : `${file} is not a report of ipam check: missing or invalid ${issue?.path.join('.') || 'content'}`,
      'write one with: calictl ipam check --report FILE',
      'REPORT_INVALID',
    );
  }
  const { version, clusterGUID, clusterInformationRevision, allocations, leakedHandles } = checked.data;
  return {
    file,
    version,
    clusterGuid: clusterGUID,
    clusterInformationRevision,
    addresses: Object.values(allocations ?? {})
      .flat()
      .filter(({ inUse }) => inUse === false)
      .map(({ ip, handle, sequenceNumber }) => ({ address: ip, handle, sequenceNumber: BigInt(sequenceNumber ?? 0) })),
    handles: (leakedHandles ?? []).map(({ ID, UID, Revision }) => ({
      id: ID,
      uid: UID ?? undefined,
      revision: Revision,
    })),
  };
}

/** What all reports call leaked, as in the last one: addresses, and handles with the same revision in all of them. */
export function leakedInAll(reports: readonly ReadReport[]): { addresses: LeakedAddress[]; handles: LeakedHandle[] } {
  const last = reports.at(-1);
  if (last === undefined) return { addresses: [], handles: [] };
  const addressSets = reports.map(({ addresses }) => new Set(addresses.map(({ address }) => address)));
  const handleSets = reports.map(({ handles }) => new Set(handles.map(({ id, revision }) => `${id} ${revision}`)));
  return {
    addresses: last.addresses.filter(({ address }) => addressSets.every((set) => set.has(address))),
    handles: last.handles.filter(({ id, revision }) => handleSets.every((set) => set.has(`${id} ${revision}`))),
  };
}
