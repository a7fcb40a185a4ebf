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

/** Sequence numbers begin at the creation time in nanoseconds; blocks of old releases begin at 0. */
const leastTimedSequence = 10n ** 18n;

/** The time that a sequence number stands for, in ms since 1970; undefined for the small numbers of old releases. */
export function sequenceTimeMs(sequence: bigint): number | undefined {
  return sequence >= leastTimedSequence ? Number(sequence / 1_000_000n) : undefined;
}

/** A deletion that takes longer between its two writes was given up. */
export const tombstoneGuardMs = 60_000;
/** A claim that met another owner is withdrawn within this time. */
export const conflictGuardMs = 60_000;
/** Claims, releases of claims and handle counts may be ahead of the blocks for as long as an operation takes. */
export const operationGuardMs = 5 * 60_000;
/** Clocks of nodes differ: a time that is this little ahead is not in the future. */
export const clockSkewMs = 5 * 60_000;

const zero = 48;
const plainZone = ' +0000 UTC';

/** The two digits at the place; above every limit when they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - zero;
  const ones = text.charCodeAt(at + 1) - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100;
}

/**
 * True when the text is surely a time that parseGoTime reads, in UTC and not after `latest`, a text of the same form.
 * False says nothing. Every allocation is asked, so nothing is made on the way.
 */
export function isPlainGoTime(text: string, latest: string): boolean {
  return (
    text < latest &&
    text.endsWith(plainZone) &&
    twoDigits(text, 0) < 100 &&
    twoDigits(text, 2) < 100 &&
    text.charAt(4) === '-' &&
    isBetween(twoDigits(text, 5), 1, 12) &&
    text.charAt(7) === '-' &&
    isBetween(twoDigits(text, 8), 1, 31) &&
    text.charAt(10) === ' ' &&
    isBetween(twoDigits(text, 11), 0, 23) &&
    text.charAt(13) === ':' &&
    isBetween(twoDigits(text, 14), 0, 59) &&
    text.charAt(16) === ':' &&
    isBetween(twoDigits(text, 17), 0, 59) &&
    isFraction(text, 19, text.length - plainZone.length)
  );
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** Nothing, or a point and up to nine digits. */
function isFraction(text: string, from: number, to: number): boolean {
  if (to === from) return true;
  if (to < from + 2 || to > from + 10 || text.charAt(from) !== '.') return false;
  for (let at = from + 1; at < to; at++) if (text.charCodeAt(at) < zero || text.charCodeAt(at) > zero + 9) return false;
  return true;
}
