// docs/reference/invariants.md as the table of invariants says it.
import { invariantGroups, invariantIds, invariants } from '../../../src/ipam-check/invariants.ts';

const headings: Readonly<Record<keyof typeof invariantGroups, string>> = {
  blocks: 'Inside a block',
  pools: 'Blocks against pools',
  affinities: 'Blocks against affinities',
  policy: 'Policy',
  handles: 'Handles',
  addresses: 'Addresses',
};

export function invariantsPage(): string {
  const parts = [
    '# Invariants',
    'What `calictl ipam check` judges. This page is made from `src/ipam-check/invariants/`; a test keeps the two equal ' +
      '(`WRITE_DOCS=1 npx vitest run --config .config/vitest.config.ts --root . test/docs` writes it).',
    'Where one fault breaks several invariants the most specific one is reported; the others stand in `also`. ' +
      'How repairs work is in [ipam.md](ipam.md#repair-primitives), how the report looks in [report-format.md](report-format.md).',
  ];
  for (const [name, group] of Object.entries(invariantGroups)) {
    const ids = invariantIds.filter((id) => id in group);
    parts.push(`## ${headings[name as keyof typeof headings]}`);
    for (const id of ids) {
      const { title, severities, meaning, whatToDo } = invariants[id];
      parts.push(`### ${id}`, `**${title}** (${severities.join(' or ')})`, meaning, `What to do: ${whatToDo}`);
    }
  }
  return `${parts.join('\n\n')}\n`;
}
