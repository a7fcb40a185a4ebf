// The catalogue of what can be wrong on nodes, by name and by id. One file per group has the texts;
// docs/reference/node-faults.md is made from this table.
import { bgpFaults } from './bgp-faults.ts';
import type { Fault } from './fault.ts';
import { hostFaults } from './host-faults.ts';
import { podFaults } from './pod-faults.ts';
import { routeFaults } from './route-faults.ts';
import { tunnelFaults } from './tunnel-faults.ts';

/** The groups, in the order of their page. */
export const faultGroups = {
  pods: podFaults,
  hosts: hostFaults,
  routes: routeFaults,
  tunnels: tunnelFaults,
  bgp: bgpFaults,
} as const satisfies Record<string, Readonly<Record<string, Fault>>>;

/** All faults by their names in the code. */
export const faults = { ...podFaults, ...hostFaults, ...routeFaults, ...tunnelFaults, ...bgpFaults } as const;

/** An entry of the catalogue. */
export type NodeFault = (typeof faults)[keyof typeof faults];

/** `F01` to `F119`. */
export type FaultId = NodeFault['id'];

/** Ids of faults that are advice only: nothing is broken. */
const advice: ReadonlySet<string> = new Set(
  Object.values<Fault>(faults)
    .filter(({ isAdvice }) => isAdvice === true)
    .map(({ id }) => id),
);

/** True when the fault is advice only: nothing is broken, and the exit code stays 0. */
export const isAdvice = (id: FaultId): boolean => advice.has(id);

/** The fault of an id, written `F62`, `f62` or `62`; undefined when there is none. */
export function faultOfId(text: string): NodeFault | undefined {
  const number = /^f?0*(\d{1,3})$/i.exec(text.trim())?.[1];
  return Object.values(faults).find(({ id }) => Number(id.slice(1)) === Number(number));
}
