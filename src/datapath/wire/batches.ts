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
  const isAlone = ({ type }: Step): boolean => type === 'no-link' || type === 'veth';
  const isRemoval = isAlone(first) || isAlone(step);
  const isSame = first.side === step.side && argvOf(first)[0] === argvOf(step)[0];
  return isSame && !isRemoval && [first, step].every((each) => argvOf(each).every(isPlain));
}

/** False for a word that has another meaning in a line of `ip -batch`, where # begins a comment and quotes are removed. */
function isPlain(word: string): boolean {
  return /^[\w.:/=+-]+$/.test(word);
}

/** Runs its arguments, with its own process as the namespace that the node's end of a new pair goes to. */
const withOwnNamespace = ['sh', '-c', '"$@" netns $$', 'sh'] as const;

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
  if (first.type === 'veth' && first.nodePid === undefined && only !== undefined) {
    return { side, argv: [...withOwnNamespace, ...prefix, ...only], steps };
  }
  if (commands.length === 1 && only !== undefined) return { side, argv: [...prefix, ...only], steps };
  const lines = commands.map(([, ...words]) => `${words.join(' ')}\n`);
  return { side, argv: [...prefix, 'ip', '-batch', '-'], stdin: lines.join(''), steps };
}

/**
 * The step that failed in a process, and the message of the program about it, by what it wrote to stderr. Of several settings
 * that failed it is a required one. It is an optional one only if every line is about optional ones; undefined means unknown.
 */
export function failureIn(
  { steps }: Batch,
  stderr: string,
): { readonly step: Step | undefined; readonly text: string } {
  const failed = /^Command failed -:(\d+)$/m.exec(stderr);
  const lines = stderr.split('\n').filter((text) => text.trim() !== '' && !text.startsWith('Command failed'));
  const [first] = steps;
  if (first?.type === 'setting') {
    const failures = lines.map((line) => ({ step: settingIn(steps, line), text: reasonIn(line) }));
    return failures.find(({ step }) => step?.optional !== true) ?? failures[0] ?? { step: undefined, text: '' };
  }
  const step = failed === null ? (steps.length === 1 ? first : undefined) : steps[Number(failed[1]) - 1];
  return { step, text: reasonIn(lines[0] ?? '') };
}

function reasonIn(line: string): string {
  return line.replace(/^(RTNETLINK answers|Error|sysctl): /, '').trim();
}

/**
 * The setting that a line of sysctl names: by its path, or as a key, in which dots and slashes change places
 * (`net.ipv4.conf.eth0/5.forwarding` for the interface eth0.5).
 */
function settingIn(steps: readonly Step[], line: string): Step | undefined {
  return steps.find((step) => step.type === 'setting' && (line.includes(step.path) || line.includes(keyOf(step.path))));
}

function keyOf(path: string): string {
  return path.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}
