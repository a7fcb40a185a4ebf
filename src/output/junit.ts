// The report of `ipam check` as JUnit XML: one test case an invariant, a failure for each stable error or warning.
import { invariantIds, invariants } from '../ipam-check/invariants.ts';
import type { IPAMCheckReport } from '../ipam-check/report.ts';

/** Text and attribute values; what XML 1.0 cannot hold at all becomes U+FFFD. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** One suite named `ipam check`; invariants that could not be judged are skipped cases. */
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
    const name = `    <testcase classname="ipam check" name="${id} ${escaped(invariants[id].title)}"`;
    const why = unjudged.get(id);
    if (broken.length > 0) {
      failures += 1;
      const messages = broken.map((finding) => {
        const subject = finding.address ?? `${finding.object.kind} ${finding.object.name}`;
        const body = escaped(finding.evidence.join('\n'));
        return `      <failure type="${finding.severity}" message="${escaped(`${subject}: ${finding.title}`)}">${body}</failure>`;
      });
      cases.push(`${name}>\n${messages.join('\n')}\n    </testcase>`);
    } else if (why !== undefined) {
      skipped += 1;
      cases.push(`${name}>\n      <skipped message="${escaped(why)}"/>\n    </testcase>`);
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
