// What `ipam check` prints outside compat mode: the table a person reads, with the repair's outcome below it.
import type { Finding } from '../../../ipam-check/finding.ts';
import type { Severity } from '../../../ipam-check/invariant.ts';
import type { IPAMCheckReport } from '../../../ipam-check/report.ts';
import { explainLine, moreInWide } from '../../../output/findings.ts';
import { printable } from '../../../output/printable.ts';
import { type Style, styleOf, type TextView } from '../../../output/style.ts';
import { wrap } from '../../../output/wrap.ts';
import { shortDuration } from '../../../text/go-duration.ts';
import { groupBy } from '../../../text/group-by.ts';
import { counted, listed } from '../../../text/wording.ts';

export interface CheckTextView extends TextView {
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
function commonAdvice(group: readonly Finding[], view: CheckTextView): string | undefined {
  const [first] = group;
  if (view.wide || group.length < 2 || first?.repair === undefined) return undefined;
  const { summary } = first.repair;
  const isCommon = group.every(({ repair }) => repair?.automatic === false && repair.summary === summary);
  return isCommon ? summary : undefined;
}

function findingLines(finding: Finding, view: CheckTextView, style: Style, isCommon: boolean): string {
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

interface FindingGroup {
  readonly first: Finding;
  readonly all: readonly Finding[];
}

/** Findings in report order, those of one invariant, severity and stability together. */
function groupsOf(findings: readonly Finding[]): FindingGroup[] {
  const groups = groupBy(findings, ({ stability, severity, id }) => `${stability} ${severity} ${id}`);
  return [...groups.values()].flatMap((all) => (all[0] === undefined ? [] : [{ first: all[0], all }]));
}

function groupHeading({ first, all }: FindingGroup, style: Style): string {
  return `${badge(first, style)} ${first.id} ${first.title} (${all.length})`;
}

/** Each group under its heading. */
function findingGroups(findings: readonly Finding[], view: CheckTextView, style: Style): string {
  const parts: string[] = [];
  for (const group of groupsOf(findings)) {
    const { first, all } = group;
    parts.push(groupHeading(group, style));
    const listed = view.wide ? all : all.slice(0, listedPerInvariant[first.severity]);
    const advice = commonAdvice(all, view);
    parts.push(...listed.map((finding) => findingLines(finding, view, style, advice !== undefined)));
    if (listed.length < all.length) parts.push(moreLine(all.length - listed.length, style));
    if (advice !== undefined) parts.push(wrap(`by hand, for each: ${printable(advice)}`, view.columns, '      '));
  }
  return parts.map((part) => `${part}\n`).join('');
}

const hasProblems = ({ summary }: IPAMCheckReport): boolean => summary.errors + summary.warnings > 0;

/** `2 errors and 6 warnings`. */
function problemsText({ summary: { errors, warnings } }: IPAMCheckReport, style: Style): string {
  return `${style.error(counted(errors, 'error'))} and ${style.warning(counted(warnings, 'warning'))}`;
}

/** What else was found: `; 3 notes, 1 candidate (possibly operations in progress)`. Empty when nothing was. */
function restText({ summary }: IPAMCheckReport): string {
  const rest: string[] = [];
  if (summary.infos > 0) rest.push(counted(summary.infos, 'note'));
  if (summary.candidates > 0)
    rest.push(`${counted(summary.candidates, 'candidate')} (possibly operations in progress)`);
  return rest.length > 0 ? `; ${rest.join(', ')}` : '';
}

function summaryLines(report: IPAMCheckReport, style: Style): string {
  const { summary, fix } = report;
  const verdict = hasProblems(report) ? `Found ${problemsText(report, style)}` : style.ok('No problems found');
  let text = `${verdict}${restText(report)}.\n`;
  if (summary.fixable > 0 && fix === undefined) {
    text += `${summary.fixable} can be repaired: calictl ipam check --fix --dry-run shows how.\n`;
  }
  return text + explainLine(report.findings);
}

/** What was found before the repairs, one line per invariant: the repairs themselves are listed below it. */
function foundLines(before: IPAMCheckReport, style: Style): string {
  const lines = groupsOf(before.findings).map((group) => `  ${groupHeading(group, style)}\n`);
  const found = hasProblems(before) ? problemsText(before, style) : 'no problems';
  return `Found ${found}${restText(before)}:\n${lines.join('')}\n`;
}

/** What is left after the repairs. */
function leftLines(report: IPAMCheckReport, view: CheckTextView, style: Style): string {
  const found = findingGroups(report.findings, view, style);
  const verdict = hasProblems(report) ? `Left: ${problemsText(report, style)}` : style.ok('No problems are left');
  const list = found === '' ? '' : `Left after the repairs:\n${found}\n`;
  return `${list}${verdict}${restText(report)}.\n${explainLine(report.findings)}`;
}

/** One repair of a plan: what is done, and to what where the summary does not say. */
export function repairLine(finding: Finding): string {
  const { primitive = '', summary = '' } = finding.repair ?? {};
  const named = summary.includes(finding.address ?? finding.object.name) ? '' : `${subject(finding)}: `;
  return `${primitive} ${named}${printable(summary)}`;
}

function fixLines(report: IPAMCheckReport, view: CheckTextView, style: Style): string {
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
  for (const { finding, outcome, detail, resolved } of shown) {
    const mark = planOnly ? '' : outcome === 'applied' ? `${style.ok('applied')}  ` : `${style.warning(outcome)}  `;
    const reason = resolved ? 'no longer needed: another client was faster' : detail;
    const why = reason === undefined ? '' : ` (${printable(reason)})`;
    lines.push(wrap(`${mark}${repairLine(finding)}${why}`, view.columns, '  ', '      '));
  }
  if (shown.length < fix.items.length) lines.push(moreLine(fix.items.length - shown.length, style));
  if (!planOnly) {
    const resolved = fix.planned - fix.applied - fix.left;
    const others = `${resolved > 0 ? `, ${resolved} no longer needed` : ''}${fix.left > 0 ? `, ${fix.left} left` : ''}`;
    lines.push(`${fix.applied} of ${fix.planned} applied${others}. Journal: ${fix.journal}`);
  }
  return `${lines.join('\n')}\n\n`;
}

/** What was read, and what was not. */
function headLines({ summary, datastore, unread = [] }: IPAMCheckReport, view: CheckTextView, style: Style): string {
  const read =
    `Read ${counted(summary.pools, 'pool')}, ${counted(summary.blocks, 'block')}, ` +
    `${counted(summary.affinities, 'affinity')}, ${counted(summary.handles, 'handle')}: ` +
    `${counted(summary.allocations, 'address')} allocated, ${summary.inUse} in use.`;
  const head = [wrap(read, view.columns, '')];
  if (datastore.locked) head.push('The datastore is locked, so nothing is treated as an operation in progress.');
  // One unreadable file of a directory may hold any kind.
  for (const [reason, kinds] of groupBy(unread, ({ reason }) => reason)) {
    const invariants = [...new Set(kinds.flatMap((one) => one.invariants))].sort();
    const unchecked = invariants.length === 0 ? '' : `; not checked: ${invariants.join(', ')}`;
    const names = listed(
      kinds.map(({ kind }) => kind),
      kinds.length,
    );
    head.push(wrap(style.warning(`${names} could not be read: ${printable(reason)}${unchecked}`), view.columns, ''));
  }
  return `${head.join('\n')}\n\n`;
}

/**
 * The report as text for people. With `before`, the report of what was found before repairs were made: what was found,
 * what was done, what is left, in this order.
 */
export function ipamCheckText(report: IPAMCheckReport, view: CheckTextView, before?: IPAMCheckReport): string {
  const style = styleOf(view.colour);
  const repairs = fixLines(report, view, style);
  if (before !== undefined) {
    return headLines(before, view, style) + foundLines(before, style) + repairs + leftLines(report, view, style);
  }
  const found = findingGroups(report.findings, view, style);
  return `${headLines(report, view, style)}${found}${found === '' ? '' : '\n'}${repairs}${summaryLines(report, style)}`;
}
