// Faults of the data path, injected into a lab, by the ids of docs/reference/node-faults.md.

import { kernelFaults } from './kernel-faults.ts';
import type { Lab } from './lab.ts';
import { type Family, type LabPod, type NodeName, nodeOf } from './plan.ts';
import { type Heal, sessionFaults } from './session-faults.ts';

/** Where a fault is injected. */
export interface FaultPlace {
  readonly node: NodeName;
  /** The other node of a session, route or tunnel. */
  readonly peer?: NodeName;
  readonly family?: Family;
}

export const labFaults = { ...sessionFaults, ...kernelFaults };

export type LabFault = keyof typeof labFaults;

/** Injects a fault and waits until it shows. Returns a function that undoes it and waits until the lab has converged. */
export async function breakLab(lab: Lab, fault: LabFault, place: FaultPlace): Promise<Heal> {
  const node = nodeOf(lab.plan, place.node);
  const peer = nodeOf(lab.plan, place.peer ?? lab.plan.nodes.find(({ name }) => name !== place.node)?.name ?? '');
  const at = { lab, node, peer, family: place.family ?? 4 };
  const heal = await labFaults[fault].break({ ...at, pod: node.pods[0] as LabPod });
  return async () => {
    await heal();
    await lab.converged();
  };
}
