// When things were written, by what Kubernetes and Calico record about it, in milliseconds since 1970; and the ages that
// guard against operations in progress.
import type { ObjectMeta } from '../resources/object.ts';

/** The later of creation and last recorded write (managedFields); undefined when the object records neither. */
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

/** Sequence numbers begin at the creation time in nanoseconds; blocks of old releases begin at 0. */
const leastTimedSequence = 10n ** 18n;

/** The time that a sequence number stands for, in ms since 1970; undefined for the small numbers of old releases. */
export function sequenceTimeMs(sequence: bigint): number | undefined {
  return sequence >= leastTimedSequence ? Number(sequence / 1_000_000n) : undefined;
}

/** A deletion that takes longer than this between its two writes was abandoned. */
export const tombstoneGuardMs = 60_000;
/** An affinity for a block that turned out to have another owner is deleted within this time. */
export const conflictGuardMs = 60_000;
/** Affinities and handle counts may be ahead of the blocks for as long as an operation takes. */
export const operationGuardMs = 5 * 60_000;
/** Clocks differ: a time that is less than this ahead does not count as in the future. */
export const clockSkewMs = 5 * 60_000;

const zero = 48;
const plainZone = ' +0000 UTC';

/** The number that two digits form; above every limit when they are not digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - zero;
  const ones = text.charCodeAt(at + 1) - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100;
}

/**
 * True when the text certainly is a time that parseGoTime reads, in UTC and before `latest`, a text of the same format.
 * False says nothing. It is called for every allocation, so it creates no objects.
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

/** True for nothing, or a point and up to nine digits. */
function isFraction(text: string, from: number, to: number): boolean {
  if (to === from) return true;
  if (to < from + 2 || to > from + 10 || text.charAt(from) !== '.') return false;
  for (let at = from + 1; at < to; at++) if (text.charCodeAt(at) < zero || text.charCodeAt(at) > zero + 9) return false;
  return true;
}
