// Commands on the nodes of a lab: run over its namespaces, on its objects.
import type { NodeFinding } from '../../../src/faults/finding.ts';
import { run } from '../program/world.ts';
import type { Lab } from './lab.ts';

export interface Answer {
  readonly code: number;
  readonly problems: readonly (NodeFinding & { readonly ipVersion?: 4 | 6 })[];
  /** What there is of each node. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** What `calictl node <command> -o json` says of all nodes, reached through the lab's namespaces or by other flags. */
export async function askNodes(lab: Lab, command: string, reach?: readonly string[]): Promise<Answer> {
  const flags = reach ?? ['--via', lab.via, '--bird-dir', lab.birdFolder];
  const ran = await run(['node', command, '-o', 'json', ...flags], { objects: lab.objects() });
  if (ran.stdout === '') throw new Error(`node ${command} ended with ${ran.code}: ${ran.stderr}`);
  return { code: ran.code, ...(JSON.parse(ran.stdout) as Omit<Answer, 'code'>) };
}
