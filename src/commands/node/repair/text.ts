// What calictl node repair prints: what was found, the plan or what was done, what is left.
import type { Unrepaired } from '../../../datapath/repair/repairs.ts';
import { nodeFindingLines, nodeReport } from '../../../output/findings.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { type Style, styleOf, type TextView } from '../../../output/style.ts';
import { counted } from '../../../text/wording.ts';
import { printYaml } from '../../../text/yaml.ts';
import { commandText } from '../wiring-result.ts';
import type { NodeRepairReport, RepairItem } from './report.ts';

/** One repair of a plan, in one line. */
export function repairLine({ node, id, argv }: Pick<RepairItem, 'node' | 'id' | 'argv'>): string {
  return `${node}  ${id}  ${commandText(argv)}`;
}

function itemLines(item: RepairItem, isPlan: boolean, style: Style): string {
  const mark = isPlan ? '' : `${(item.outcome === 'applied' ? style.ok : style.warning)(item.outcome)}  `;
  const detail = item.detail === undefined ? '' : ` (${printable(item.detail)})`;
  return `  ${mark}${printable(repairLine(item))}${detail}\n      ${style.dim(printable(item.finding))}\n`;
}

function repairsText({ items, journal }: NodeRepairReport, style: Style): string {
  if (items.length === 0) return '';
  const isPlan = journal === undefined;
  const head = isPlan
    ? `Repair plan, ${counted(items.length, 'step')} (nothing was changed):\n`
    : `Repairs, ${counted(items.length, 'step')}:\n`;
  const lines = items.map((item) => itemLines(item, isPlan, style)).join('');
  if (isPlan) return `${head}${lines}\n`;
  const applied = items.filter(({ outcome }) => outcome === 'applied').length;
  return `${head}${lines}${applied} of ${items.length} applied. Journal: ${printable(journal)}\n\n`;
}

function unrepairedLines(unrepaired: readonly Unrepaired[], style: Style): string {
  return unrepaired
    .map(
      ({ node, id, finding, why }) =>
        `${style.warning('not repaired')} ${node} ${id}: ${printable(finding)}\n    ${printable(why)}\n`,
    )
    .join('');
}

export function nodeRepairText(report: NodeRepairReport, view: TextView): string {
  const { found, left, journal, items, unrepaired } = report;
  const style = styleOf(view.colour);
  const isChanged = journal !== undefined;
  const foundText =
    isChanged && found.findings.length > 0
      ? `Found ${counted(found.findings.length, 'problem')}:\n${nodeFindingLines(found.findings, style)}\n`
      : '';
  const nothing = items.length === 0 && left.findings.length > 0 ? 'None of this can be repaired automatically. ' : '';
  const rest = nodeReport(
    {
      ...left,
      table: '',
      lines: nodeFindingLines(left.findings, style) + unrepairedLines(unrepaired, style),
      summary: `${nothing}${isChanged ? 'Verified again: ' : ''}${counted(left.items.filter(({ reached }) => reached).length, 'node')} read`,
    },
    view,
  );
  return isChanged
    ? foundText + repairsText(report, style) + rest
    : rest + (items.length === 0 ? '' : `\n${repairsText(report, style).trimEnd()}\n`);
}

function document({ found, left, items, unrepaired, journal }: NodeRepairReport): object {
  const count = (outcome: RepairItem['outcome']): number => items.filter((item) => item.outcome === outcome).length;
  return {
    kind: 'NodeRepairReport',
    installation: left.installation,
    found: found.findings,
    fix: {
      planned: items.length,
      applied: count('applied'),
      skipped: count('skipped'),
      failed: count('failed'),
      journal,
      items: items.map(({ node, id, finding, argv, outcome, detail }) => ({
        node,
        id,
        finding,
        command: argv,
        outcome,
        detail,
      })),
    },
    unrepaired,
    problems: left.findings,
    unreached: left.unreached,
    unread: left.unread,
    notAsked: left.notAsked,
  };
}

export const nodeRepairJson = (report: NodeRepairReport): string => jsonDocument(document(report));
export const nodeRepairYaml = (report: NodeRepairReport): string => printYaml(document(report));
