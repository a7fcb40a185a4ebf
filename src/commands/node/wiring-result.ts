// What node wire and node unwire report: the steps with their commands, and how each ended.

import type { PlannedStep } from '../../datapath/wire/wiring-plan.ts';
import { quoteArgv } from '../../node-exec/shell-quote.ts';
import { jsonDocument } from '../../output/json-document.ts';
import { printable } from '../../output/printable.ts';
import { styleOf } from '../../output/style.ts';
import { counted } from '../../text/wording.ts';
import type { View } from '../command.ts';

export type StepOutcome = 'planned' | 'made' | 'in place' | 'not made';

export interface ReportedStep extends PlannedStep {
  readonly outcome: StepOutcome;
  /** Why an optional step was not made. */
  readonly why?: string;
}

export interface WiringResult {
  readonly kind: 'PodWiring' | 'PodUnwiring';
  readonly node: string;
  readonly subject: string;
  readonly netns: string | undefined;
  readonly interface: string;
  readonly podInterface: string;
  readonly addresses: readonly string[];
  readonly dryRun: boolean;
  /** What was done about a run that was cut off. */
  readonly interrupted: 'none' | 'finished' | 'undone' | 'to be finished' | 'to be undone';
  readonly steps: readonly ReportedStep[];
  /** Undefined when nothing was changed. */
  readonly journal: string | undefined;
}

/** The command as a shell reads it; its first word needs no quotes. */
export function commandText(argv: readonly string[]): string {
  return quoteArgv(argv).replace(/^'([\w.-]+)'/, '$1');
}

const interruptedText: Readonly<Record<WiringResult['interrupted'], string>> = {
  none: '',
  finished: 'An earlier run was interrupted; this one finished it.\n',
  undone: 'An earlier run was interrupted; its changes were undone first.\n',
  'to be finished': 'An earlier run was interrupted; this plan finishes it.\n',
  'to be undone': 'An earlier run was interrupted; its changes are undone first.\n',
};

/** Each step with its outcome, command and reason, then how many there are of each. */
export function wiringText(result: WiringResult, { colour }: View): string {
  const style = styleOf(colour);
  const paints: Readonly<Record<StepOutcome, (text: string) => string>> = {
    planned: style.strong,
    made: style.ok,
    'in place': style.dim,
    'not made': style.warning,
  };
  const lines = result.steps.map(({ step, argv, outcome, why }) => {
    const reason = why === undefined ? step.reason : `${step.reason}; not made: ${why}`;
    const command = printable(commandText(argv));
    return `${paints[outcome](outcome.padEnd(10))}  ${command}\n            ${style.dim(printable(reason))}\n`;
  });
  const { subject, netns, node, podInterface, journal } = result;
  const where = netns === undefined || subject.endsWith(netns) ? '' : `, namespace ${netns}`;
  const head = printable(`${subject} on ${node}${where}: ${podInterface} and ${result.interface}`);
  const end = journal === undefined ? '' : `Journal: ${printable(journal)}\n`;
  return `${head}\n${interruptedText[result.interrupted]}${lines.join('')}${summary(result)}\n${end}`;
}

function summary({ steps, dryRun, kind }: WiringResult): string {
  const count = (outcome: StepOutcome): number => steps.filter((step) => step.outcome === outcome).length;
  const inPlace = count('in place') === 0 ? '' : `, ${count('in place')} already in place`;
  if (dryRun) return `${counted(count('planned'), 'change')} to make${inPlace}; nothing was changed.`;
  if (count('made') === 0) {
    return kind === 'PodWiring'
      ? 'Everything is already in place; nothing was changed.'
      : 'There is nothing to remove.';
  }
  const failed = count('not made') === 0 ? '' : `, ${count('not made')} not made`;
  return `${counted(count('made'), 'change')} made${inPlace}${failed}.`;
}

export function wiringJson({ steps, ...result }: WiringResult): string {
  return jsonDocument({
    ...result,
    steps: steps.map(({ step, argv, undo, outcome, why }) => ({
      side: step.side,
      command: argv,
      reason: step.reason,
      optional: step.optional === true,
      undo,
      outcome,
      why,
    })),
  });
}
