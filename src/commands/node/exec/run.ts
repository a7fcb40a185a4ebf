// What calictl node exec does: runs one program on a node and passes its output and its exit code on.
import type { CommandResult } from '../../../node-exec/node-exec.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { noDeadlineMs } from '../../transport-flags.ts';
import { passedOnTo } from '../pass-on.ts';
import { targetNamed } from '../targets.ts';
import type { ExecInput } from './command.ts';

interface Executed {
  readonly node: string;
  readonly argv: readonly string[];
  readonly exit: number;
  /** Undefined when it was streamed. */
  readonly output: CommandResult | undefined;
}

export async function run(ctx: Context, input: ExecInput): Promise<Executed> {
  const { node, argv, timeout, output } = input;
  if (!argv[0]) {
    throw new UsageError('no command to run', `write it after two dashes: calictl node exec ${node} -- ip route`);
  }
  const { io, signal } = ctx.world;
  const [target, exec] = await Promise.all([targetNamed(ctx, node), ctx.nodeExec(input)]);
  const stdin = input.stdin ? await io.stdin.readAll() : undefined;
  // Only a command whose output is collected can have a deadline and an input; without --timeout it runs without limit.
  if (output === 'json' || stdin !== undefined || timeout !== undefined) {
    const timeoutMs = Math.min(timeout ?? noDeadlineMs, noDeadlineMs);
    const result = await exec.run(target, argv, { timeoutMs, stdin, signal });
    if (output !== 'json') {
      await passedOnTo(io.stderr)(Buffer.from(result.stderr));
      await passedOnTo(io.stdout)(Buffer.from(result.stdout));
    }
    return { node: target.name, argv, exit: result.exit, output: result };
  }
  const exit = await exec.stream(target, argv, {
    signal: AbortSignal.any([signal, io.stdout.gone]),
    onStdout: passedOnTo(io.stdout),
    onStderr: passedOnTo(io.stderr),
  });
  return { node: target.name, argv, exit, output: undefined };
}

export const formats = {
  // It has been passed on already.
  text: () => '',
  json: ({ node, argv, exit, output }: Executed) => {
    const { stdout, stderr, truncated } = output ?? {};
    return jsonDocument({ kind: 'NodeCommand', node, argv, exit, stdout, stderr, truncated });
  },
};

export const exit = (result: Executed): number => result.exit;
