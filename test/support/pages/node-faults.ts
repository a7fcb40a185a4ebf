// docs/reference/node-faults.md, generated from the catalogue of faults.
import type { Fault } from '../../../src/faults/fault.ts';
import { faultGroups } from '../../../src/faults/faults.ts';

const headings: Readonly<Record<keyof typeof faultGroups, string>> = {
  pods: 'Pods and their interfaces',
  hosts: 'The node itself',
  routes: 'Routes and addresses',
  tunnels: 'Tunnel devices',
  bgp: 'BGP',
};

const byId = (a: Fault, b: Fault): number => Number(a.id.slice(1)) - Number(b.id.slice(1));

function faultText({ id, title, severities, meaning, whatToDo, isAdvice }: Fault): string[] {
  const severity = `${severities.join(' or ')}${isAdvice === true ? ', advice only: the exit code stays 0' : ''}`;
  return [`### ${id}`, `**${title}** (${severity})`, meaning, `What to do: ${whatToDo}`];
}

export function faultsPage(): string {
  const parts = [
    '# Faults of nodes',
    'What `calictl node status`, `node bgp`, `node routes` and `node verify` find, by ids that stay the same from release ' +
      'to release. This page is generated from `src/faults/`; a test compares the two ' +
      '(`WRITE_DOCS=1 npx vitest run --config .config/vitest.config.ts --root . test/docs` writes it).',
    'What follows from another fault is not reported by itself: a session that is down names the fault of the node that ' +
      "explains it. In faults of pods, the interface is the host end of the pod's veth pair. How sessions are judged is in [BGP](bgp.md#faults), what a node must have in " +
      '[the data path](datapath.md).',
  ];
  for (const [name, group] of Object.entries(faultGroups)) {
    parts.push(`## ${headings[name as keyof typeof headings]}`);
    for (const fault of Object.values<Fault>(group).sort(byId)) parts.push(...faultText(fault));
  }
  return `${parts.join('\n\n')}\n`;
}
