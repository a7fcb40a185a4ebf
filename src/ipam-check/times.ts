// When things were written, from what Kubernetes and Calico record about it. Text to milliseconds since 1970; no clock here.
import type { ObjectMeta } from '../resources/object.ts';

/** The later of creation and last recorded write (managedFields); undefined when the object has no time at all. */
export function lastWriteMs(metadata: ObjectMeta): number | undefined {
  let latest: number | undefined;
  const take = (text: string | null | undefined) => {
    if (typeof text !== 'string') return;
    const ms = Date.parse(text);
    if (!Number.isNaN(ms) && (latest === undefined || ms > latest)) latest = ms;
  };
  take(metadata.creationTimestamp);
  if (Array.isArray(metadata.managedFields)) for (const field of metadata.managedFields) take(field?.time);
  return latest;
}

const goTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,9}))? ([+-]\d\d)(\d\d)\b/;

/** The `timestamp` attribute of an allocation, Go's `time.Time.String()`; undefined when it does not parse. */
export function parseGoTime(text: string): number | undefined {
  const match = goTime.exec(text);
  if (!match) return undefined;
  const fraction = (match[3] ?? '0').slice(0, 3).padEnd(3, '0');
  const ms = Date.parse(`${match[1]}T${match[2]}.${fraction}${match[4]}:${match[5]}`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** A deletion that takes longer between its two writes was given up. */
export const tombstoneGuardMs = 60_000;
/** A claim that met another owner is withdrawn within this time. */
export const conflictGuardMs = 60_000;
/** Claims, releases of claims and handle counts may be ahead of the blocks for as long as an operation takes. */
export const operationGuardMs = 5 * 60_000;
