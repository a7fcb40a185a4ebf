// What is different for nodes that run Windows: some addresses of each of their blocks are reserved.
// Rules: docs/reference/ipam.md#numbers-owner-and-reserve.
import { windowsHandle } from '../../resources/names.ts';
import type { Labels } from '../../resources/selector.ts';

/** Addresses at both ends of a block that are never assigned, and the handle they are allocated under. */
export interface HostReservation {
  readonly startOfBlock: number;
  readonly endOfBlock: number;
  readonly handle: string;
  readonly note: string;
}

/** What Calico reserves in each block of a Windows node. */
export const windowsReservation: HostReservation = {
  startOfBlock: 3,
  endOfBlock: 1,
  handle: windowsHandle,
  note: 'windows host rsvd',
};

/** True for the labels of a node that runs Windows. */
export function runsWindows(labels: Labels): boolean {
  return labels['kubernetes.io/os'] === 'windows';
}

/** What new blocks of a node with these labels reserve; undefined for a node that does not run Windows. */
export function reservationOf(labels: Labels): HostReservation | undefined {
  return runsWindows(labels) ? windowsReservation : undefined;
}

/** True for the ordinals that are reserved in a block of this size on a Windows node. */
export function isReservedOrdinal(ordinal: number, size: number): boolean {
  const { startOfBlock, endOfBlock } = windowsReservation;
  return ordinal < startOfBlock || ordinal >= size - endOfBlock;
}
