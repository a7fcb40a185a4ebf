// `calictl node` commands on the nodes of a lab, over its namespaces or another transport, with its objects.
import type { NodeFinding } from '../../../src/faults/finding.ts';
import { run } from '../program/world.ts';
import type { Lab } from './lab.ts';

export interface Answer {
  readonly code: number;
  readonly problems: readonly (NodeFinding & { readonly ipVersion?: 4 | 6 })[];
  /** The item of each node. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** The output of `calictl node <command> -o json` for all nodes, over the lab's namespaces or with other flags. */
export async function askNodes(lab: Lab, command: string, reach?: readonly string[]): Promise<Answer> {
  const flags = reach ?? ['--via', lab.via, '--bird-dir', lab.birdFolder];
  const ran = await run(['node', command, '-o', 'json', ...flags], { objects: lab.objects() });
  if (ran.stdout === '') throw new Error(`node ${command} ended with ${ran.code}: ${ran.stderr}`);
  return { code: ran.code, ...(JSON.parse(ran.stdout) as Omit<Answer, 'code'>) };
}
