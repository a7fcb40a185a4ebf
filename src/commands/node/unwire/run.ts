// What calictl node unwire does: undoes what an interrupted run had done, and removes the pair.
import { unwiringPlan } from '../../../datapath/wire/wiring-plan.ts';
import { openJournal } from '../../../files/journal.ts';
import { TransportError } from '../../../node-exec/node-exec.ts';
import { applyWiring, beginRun, undoRun } from '../../../node-live/wiring/apply-wiring.ts';
import { readLinks } from '../../../node-live/wiring/read-wiring.ts';
import { isFinished } from '../../../resources/convert/pod-addresses.ts';
import { RefusedError } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import { requireConsent } from '../../consent.ts';
import { commandText, type WiringResult, wiringJson, wiringText } from '../wiring-result.ts';
import { execOf, journalOf, wiringSubject } from '../wiring-subject.ts';
import type { UnwireInput } from './command.ts';

export async function run(ctx: Context, input: UnwireInput): Promise<WiringResult> {
  const subject = await wiringSubject(ctx, input);
  const { node, pod, text, netns, hostInterface, podInterface } = subject;
  if (pod !== undefined && !isFinished(pod) && !input.force && !input.dryRun) {
    throw new RefusedError(
      `${text} has not finished and would lose its network`,
      'POD_IN_USE',
      'to disconnect it anyway, use --force',
    );
  }
  const exec = await execOf(ctx, input);
  const { path, unfinished } = await journalOf(ctx, input, subject);
  const planNow = async () => {
    const links = await readLinks(exec, node, subject, { timeoutMs: input.timeout });
    const plan = unwiringPlan(subject, netns, links, input.interface !== undefined);
    if (!plan.ok)
      throw new RefusedError(`${node.name}: ${plan.why}; nothing was removed`, 'WIRING_OBSTACLE', plan.hint);
    return plan.steps;
  };
  const first = await planNow();
  const result = (more: Partial<WiringResult>): WiringResult => ({
    kind: 'PodUnwiring',
    node: node.name,
    subject: text,
    netns,
    interface: hostInterface,
    podInterface,
    addresses: [],
    dryRun: input.dryRun,
    interrupted: 'none',
    steps: [],
    journal: undefined,
    ...more,
  });
  const outcomes = (outcome: 'planned' | 'made', steps = first) =>
    steps.map((step) => ({ ...step, outcome: step.isMade ? ('in place' as const) : outcome }));
  if (input.dryRun) {
    return result({ steps: outcomes('planned'), interrupted: unfinished === undefined ? 'none' : 'to be undone' });
  }
  const todo = first.filter(({ isMade }) => !isMade);
  if (todo.length === 0 && unfinished === undefined) return result({ steps: outcomes('made') });
  await requireConsent(ctx, input, {
    plan: [...(unfinished?.undo ?? []), ...todo.map(({ argv }) => argv)].map(commandText),
    question: `Disconnect ${text} from ${node.name}?`,
    otherwise: 'nothing was removed',
  });
  const journal = await openJournal(path, ctx.world.clock);
  try {
    const at = { exec, node, netns: netns ?? '', journal, timeoutMs: input.timeout, signal: ctx.world.signal };
    if (unfinished !== undefined) await undoRun(at, unfinished);
    const steps = await planNow();
    const wanted = steps.map(({ argv }) => commandText(argv)).join('\n');
    await beginRun(journal, { wanted, netns: at.netns, namespaceId: '' }, ctx.world.self);
    await applyWiring(at, steps);
    const interrupted = unfinished === undefined ? 'none' : 'undone';
    // What was removed with the earlier run was removed by this one.
    return result({ steps: outcomes('made', interrupted === 'none' ? steps : first), interrupted, journal: path });
  } catch (error) {
    const isOpen = error instanceof TransportError || journal.failure !== undefined;
    if (isOpen) await ctx.note('the run is not finished: run the command again to finish it');
    throw error;
  } finally {
    await journal.close();
  }
}

export const formats = {
  text: (result: WiringResult, view: View) => wiringText(result, view),
  json: (result: WiringResult) => wiringJson(result),
};
