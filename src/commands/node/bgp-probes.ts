// What node status and node bgp read from each node: BIRD of the families that it speaks, and what explains its silence.
import type { BgpPlan } from '../../bgp/desired-sessions.ts';
import { familiesOf } from '../../bgp/node-status.ts';
import { birdProbes, felixProbes, kernelProbes, type Probe } from '../../node-state/probes.ts';
import type { BirdInput } from '../transport-flags.ts';
import { birdFolder } from './targets.ts';

/** The probes of a node, by its name. */
export function birdProbesOf(
  input: BirdInput,
  plan: BgpPlan,
  { withFelix }: { withFelix: boolean },
): (node: string) => readonly Probe[] {
  return (name) => {
    const families = familiesOf(plan.index.node(name));
    const bird = families.flatMap((version) => birdProbes(version, birdFolder(input, name)));
    // A BIRD that hangs keeps what comes after it from being read: what never hangs is first.
    return [kernelProbes.addresses, ...bird, ...(withFelix ? felixProbes : [])];
  };
}
