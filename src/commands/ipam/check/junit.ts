// The report of `ipam check` as JUnit XML: one test case per invariant, one failure per stable error or warning.
import { invariantIds, invariants } from '../../../ipam-check/invariants.ts';
import type { IPAMCheckReport } from '../../../ipam-check/report.ts';
import { escapedMarkup } from '../../../output/markup.ts';

/** One suite named `ipam check`; invariants that could not be checked are skipped cases. */
export function ipamCheckJunit(report: IPAMCheckReport): string {
  const unjudged = new Map(
    (report.unread ?? []).flatMap(({ kind, reason, invariants }) => invariants.map((id) => [id, `${kind}: ${reason}`])),
  );
  const cases: string[] = [];
  let failures = 0;
  let skipped = 0;
  for (const id of invariantIds) {
    const broken = report.findings.filter(
      (finding) => finding.id === id && finding.stability === 'stable' && finding.severity !== 'info',
    );
    const name = `    <testcase classname="ipam check" name="${id} ${escapedMarkup(invariants[id].title)}"`;
    const why = unjudged.get(id);
    if (broken.length > 0) {
      failures += 1;
      const messages = broken.map((finding) => {
        const subject = finding.address ?? `${finding.object.kind} ${finding.object.name}`;
        const body = escapedMarkup(finding.evidence.join('\n'));
        return `      <failure type="${finding.severity}" message="${escapedMarkup(`${subject}: ${finding.title}`)}">${body}</failure>`;
      });
      cases.push(`${name}>\n${messages.join('\n')}\n    </testcase>`);
    } else if (why !== undefined) {
      skipped += 1;
      cases.push(`${name}>\n      <skipped message="${escapedMarkup(why)}"/>\n    </testcase>`);
    } else cases.push(`${name}/>`);
  }
  const counts = `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="ipam check" ${counts} timestamp="${report.startedAt}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
