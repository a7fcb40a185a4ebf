// Steps as commands: neighbouring steps of one program in one namespace are one process.
import { argvOf, type Side, type Step } from './effect.ts';

/** One process, and the steps that it makes. */
export interface Batch {
  readonly side: Side;
  readonly argv: readonly string[];
  /** Commands for `ip -batch -`, one per line. */
  readonly stdin?: string;
  readonly steps: readonly Step[];
}

/** The words before a command that is to run in the pod's namespace. */
export function inNamespace(path: string): readonly string[] {
  return ['nsenter', `--net=${path}`];
}

/** The whole command of one step, as a person would type it. `netns` is the path of the pod's namespace. */
export function commandOf(step: Step, netns: string): readonly string[] {
  const argv = argvOf(step);
  return step.side === 'pod' ? [...inNamespace(netns), ...argv] : argv;
}

/**
 * The processes that make the steps, in order. A step that removes something has a process of its own, because a later one
 * must not be left out when there is nothing to remove.
 */
export function batchesOf(steps: readonly Step[], netns: string): readonly Batch[] {
  const batches: Step[][] = [];
  for (const step of steps) {
    const last = batches.at(-1);
    const [first] = last ?? [];
    if (last !== undefined && first !== undefined && fits(first, step)) last.push(step);
    else batches.push([step]);
  }
  return batches.map((batch) => toBatch(batch, netns));
}

function fits(first: Step, step: Step): boolean {
  const isRemoval = first.type === 'no-link' || step.type === 'no-link';
  const isSame = first.side === step.side && argvOf(first)[0] === argvOf(step)[0];
  return isSame && !isRemoval && [first, step].every((each) => argvOf(each).every(isPlain));
}

/** False for a word that has another meaning in a line of `ip -batch`, where # begins a comment and quotes are removed. */
function isPlain(word: string): boolean {
  return /^[\w.:/=+-]+$/.test(word);
}

function toBatch(steps: readonly Step[], netns: string): Batch {
  const [first] = steps as readonly [Step];
  const side = first.side;
  const prefix = side === 'pod' ? inNamespace(netns) : [];
  const commands = steps.map(argvOf);
  if (first.type === 'setting') {
    const settings = commands.map((argv) => argv.at(-1) ?? '');
    return { side, argv: [...prefix, 'sysctl', '-qw', ...settings], steps };
  }
  const [only] = commands;
  if (commands.length === 1 && only !== undefined) return { side, argv: [...prefix, ...only], steps };
  const lines = commands.map(([, ...words]) => `${words.join(' ')}\n`);
  return { side, argv: [...prefix, 'ip', '-batch', '-'], stdin: lines.join(''), steps };
}

/** The step that failed in a process, and the message of the program about it, by what it wrote to stderr. */
export function failureIn(
  { steps }: Batch,
  stderr: string,
): { readonly step: Step | undefined; readonly text: string } {
  const failed = /^Command failed -:(\d+)$/m.exec(stderr);
  const step =
    failed === null ? (steps.length === 1 ? steps[0] : settingIn(steps, stderr)) : steps[Number(failed[1]) - 1];
  const [line = ''] = stderr.split('\n').filter((text) => text.trim() !== '' && !text.startsWith('Command failed'));
  return { step, text: line.replace(/^(RTNETLINK answers|Error|sysctl): /, '').trim() };
}

function settingIn(steps: readonly Step[], stderr: string): Step | undefined {
  return steps.find((step) => step.type === 'setting' && !step.optional && stderr.includes(step.path));
}
