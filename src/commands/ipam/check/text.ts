// What `ipam check` prints outside compat mode: the table a person reads, with the repair's outcome below it.
import type { Finding } from '../../../ipam-check/finding.ts';
import type { Severity } from '../../../ipam-check/invariant.ts';
import type { IPAMCheckReport } from '../../../ipam-check/report.ts';
import { printable } from '../../../output/columns.ts';
import { explainLine, moreInWide } from '../../../output/findings.ts';
import { type Style, styleOf, type TextView } from '../../../output/style.ts';
import { wrap } from '../../../output/wrap.ts';
import { shortDuration } from '../../../text/go-duration.ts';
import { counted } from '../../../text/wording.ts';

export interface CheckView extends TextView {
  /** All facts and all candidates, one line each. */
  readonly wide: boolean;
}

/** Findings of one invariant beyond this many are counted, not listed, in the plain table. */
const listedPerInvariant: Readonly<Record<Severity, number>> = { error: 20, warning: 20, info: 3 };

function badge(finding: Finding, style: Style): string {
  if (finding.stability === 'candidate') return style.dim('candidate');
  return { error: style.error, warning: style.warning, info: style.dim }[finding.severity](finding.severity);
}

/** What the finding is about: the address if it is about one, else the object. */
function subject(finding: Finding): string {
  const { kind, name } = finding.object;
  return printable(finding.address ?? `${kind} ${name}`);
}

function facts(finding: Finding): string {
  const { owner, node, ageSeconds } = finding;
  const parts: string[] = [];
  if (owner !== undefined) parts.push([owner.namespace, owner.name].filter(Boolean).join('/'));
  const isNamed = owner?.name === node || (finding.object.kind === 'Node' && finding.object.name === node);
  if (node !== undefined && !isNamed) parts.push(`node ${node}`);
  if (ageSeconds !== undefined) parts.push(`${shortDuration(ageSeconds * 1000)} old`);
  return printable(parts.join(', '));
}

/** What to do by hand about each of a group, when it is the same for all and the plain table would repeat it. */
function commonAdvice(group: readonly Finding[], view: CheckView): string | undefined {
  const [first] = group;
  if (view.wide || group.length < 2 || first?.repair === undefined) return undefined;
  const { summary } = first.repair;
  const isCommon = group.every(({ repair }) => repair?.automatic === false && repair.summary === summary);
  return isCommon ? summary : undefined;
}

function findingLines(finding: Finding, view: CheckView, style: Style, isCommon: boolean): string {
  const about = facts(finding);
  const what = style.strong(subject(finding)) + (about === '' ? '' : `  ${style.dim(about)}`);
  const lines = [wrap(what, view.columns, '  ', '      ')];
  if (finding.related.length > 0) {
    const others = finding.related.map(({ kind, name }) => `${kind} ${name}`).join(', ');
    lines.push(wrap(`related: ${printable(others)}`, view.columns, '      '));
  }
  if (view.wide) {
    for (const fact of finding.evidence) lines.push(wrap(printable(fact), view.columns, '      '));
    if (finding.also.length > 0) lines.push(`      also breaks ${finding.also.join(', ')}`);
  }
  const { repair } = finding;
  if (repair !== undefined && (view.wide || (!repair.automatic && !isCommon))) {
    lines.push(
      wrap(`${repair.automatic ? repair.primitive : 'by hand'}: ${printable(repair.summary)}`, view.columns, '      '),
    );
    if (view.wide && repair.command !== undefined) lines.push(`      ${style.dim(printable(repair.command))}`);
  }
  return lines.join('\n');
}

const moreLine = (count: number, style: Style): string => style.dim(`  ${moreInWide(count).trimEnd()}`);

/** Findings in report order, those of one invariant, severity and stability under one heading. */
function findingGroups(findings: readonly Finding[], view: CheckView, style: Style): string {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.stability} ${finding.severity} ${finding.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  const parts: string[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    parts.push(`${badge(first, style)} ${first.id} ${first.title} (${group.length})`);
    const listed = view.wide ? group : group.slice(0, listedPerInvariant[first.severity]);
    const advice = commonAdvice(group, view);
    parts.push(...listed.map((finding) => findingLines(finding, view, style, advice !== undefined)));
    if (listed.length < group.length) parts.push(moreLine(group.length - listed.length, style));
    if (advice !== undefined) parts.push(wrap(`by hand, for each: ${printable(advice)}`, view.columns, '      '));
  }
  return parts.map((part) => `${part}\n`).join('');
}

function summaryLines(report: IPAMCheckReport, style: Style): string {
  const { summary, fix } = report;
  const verdict =
    summary.errors + summary.warnings === 0
      ? style.ok('No problems found')
      : `Found ${style.error(counted(summary.errors, 'error'))} and ${style.warning(counted(summary.warnings, 'warning'))}`;
  const rest: string[] = [];
  if (summary.infos > 0) rest.push(counted(summary.infos, 'note'));
  if (summary.candidates > 0)
    rest.push(`${counted(summary.candidates, 'candidate')} (possibly operations in progress)`);
  let text = `${verdict}${rest.length > 0 ? `; ${rest.join(', ')}` : ''}.\n`;
  if (summary.fixable > 0 && fix === undefined) {
    text += `${summary.fixable} can be repaired: calictl ipam check --fix --dry-run shows how.\n`;
  }
  return text + explainLine(report.findings);
}

/** One repair of a plan: what is done, and to what where the summary does not say. */
export function repairLine(finding: Finding): string {
  const { primitive = '', summary = '' } = finding.repair ?? {};
  const named = summary.includes(finding.address ?? finding.object.name) ? '' : `${subject(finding)}: `;
  return `${primitive} ${named}${printable(summary)}`;
}

function fixLines(report: IPAMCheckReport, view: CheckView, style: Style): string {
  const { fix } = report;
  if (fix === undefined) return '';
  if (fix.planned === 0)
    return report.findings.length === 0 ? '' : 'None of the findings can be repaired automatically.\n\n';
  const lines: string[] = [];
  const planOnly = fix.journal === undefined;
  lines.push(
    planOnly
      ? `Repair plan, ${counted(fix.planned, 'step')} (nothing was written):`
      : `Repairs, ${counted(fix.planned, 'step')}:`,
  );
  const shown = view.wide ? fix.items : fix.items.slice(0, 50);
  for (const { finding, outcome, detail } of shown) {
    const mark = planOnly ? '' : outcome === 'applied' ? `${style.ok('applied')}  ` : `${style.warning(outcome)}  `;
    const why = detail === undefined ? '' : ` (${printable(detail)})`;
    lines.push(wrap(`${mark}${repairLine(finding)}${why}`, view.columns, '  ', '      '));
  }
  if (shown.length < fix.items.length) lines.push(moreLine(fix.items.length - shown.length, style));
  if (!planOnly) {
    const left = fix.conflicts + fix.failed + fix.skipped;
    lines.push(`${fix.applied} of ${fix.planned} applied${left > 0 ? `, ${left} left` : ''}. Journal: ${fix.journal}`);
  }
  return `${lines.join('\n')}\n\n`;
}

/** The report as text for people. */
export function ipamCheckText(report: IPAMCheckReport, view: CheckView): string {
  const style = styleOf(view.colour);
  const { summary, datastore } = report;
  const read =
    `Read ${counted(summary.pools, 'pool')}, ${counted(summary.blocks, 'block')}, ` +
    `${counted(summary.affinities, 'affinity')}, ${counted(summary.handles, 'handle')}: ` +
    `${counted(summary.allocations, 'address')} allocated, ${summary.inUse} in use.`;
  const head = [wrap(read, view.columns, '')];
  if (datastore.locked) head.push('The datastore is locked, so nothing is treated as an operation in progress.');
  for (const { kind, reason, invariants } of report.unread ?? []) {
    const unchecked = invariants.length === 0 ? '' : `; not checked: ${invariants.join(', ')}`;
    head.push(wrap(style.warning(`${kind} could not be read: ${printable(reason)}${unchecked}`), view.columns, ''));
  }
  const found = findingGroups(report.findings, view, style);
  return `${head.join('\n')}\n\n${fixLines(report, view, style)}${found}${found === '' ? '' : '\n'}${summaryLines(report, style)}`;
}
