// docs/reference/invariants.md, generated from the catalogue of invariants.
import { invariantGroups, invariantIds, invariants } from '../../../src/ipam-check/invariants.ts';

const headings: Readonly<Record<keyof typeof invariantGroups, string>> = {
  blocks: 'Blocks',
  pools: 'Pools, and blocks in pools',
  affinities: 'Ownership of blocks',
  policy: 'Configuration and reservations',
  handles: 'Handles',
  addresses: 'Addresses',
  waiting: 'Waiting for an address',
};

export function invariantsPage(): string {
  const parts = [
    '# Invariants',
    'What `calictl ipam check` judges. This page is generated from the `invariants.ts` files of `src/ipam-check/`, and a ' +
      'test compares the two (`WRITE_DOCS=1 npx vitest run --config .config/vitest.config.ts --root . test/docs` writes it).',
    'When one fault breaks several invariants, the most specific one is reported and the others are listed in its `also`. ' +
      'Repairs are described in [ipam.md](ipam.md#repair-primitives), the report in [report-format.md](report-format.md).',
    'An invariant is not judged when a kind that it needs cannot be read. Blocks, pools and pods are always needed: if they ' +
      'cannot be read, the check ends with an error.',
  ];
  for (const [name, group] of Object.entries(invariantGroups)) {
    const ids = invariantIds.filter((id) => id in group);
    parts.push(`## ${headings[name as keyof typeof headings]}`);
    for (const id of ids) {
      const { title, severities, needs, meaning, whatToDo } = invariants[id];
      parts.push(`### ${id}`, `**${title}** (${severities.join(' or ')})`, meaning, `What to do: ${whatToDo}`);
      if (needs.length > 0) parts.push(`Needs: ${needs.join(', ')}`);
    }
  }
  return `${parts.join('\n\n')}\n`;
}
