// calictl node exec: runs one program on a node and passes its output and its exit code on.
import type { CommandResult } from '../../../node-exec/node-exec.ts';
import { UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import { targetNamed } from '../targets.ts';
import { noDeadlineMs, timeoutOf, transportFlags } from '../transport-flags.ts';

interface Executed {
  readonly node: string;
  readonly argv: readonly string[];
  readonly exit: number;
  /** Undefined when the output went to the streams as it came. */
  readonly output: CommandResult | undefined;
}

async function run(ctx: Context, input: Input): Promise<Executed> {
  const [name = '', ...argv] = input.args;
  if (argv.length === 0 || argv[0] === '') {
    throw new UsageError('no command to run', `write it after two dashes: calictl node exec ${name} -- ip route`);
  }
  const timeoutMs = input.text('timeout') === undefined ? undefined : await timeoutOf(input);
  const { io, signal } = ctx.world;
  const [target, exec] = await Promise.all([targetNamed(ctx, name), ctx.nodeExec(input)]);
  const stdin = input.on('stdin') ? await io.stdin.readAll() : undefined;
  // Only a command that is run to its end can have a deadline and an input; without --timeout it may run for as long as
  // it likes.
  if (input.text('output') === 'json' || stdin !== undefined || timeoutMs !== undefined) {
    const result = await exec.run(target, argv, { timeoutMs: timeoutMs ?? noDeadlineMs, stdin, signal });
    if (input.text('output') !== 'json') await io.stderr.write(result.stderr);
    return { node: target.name, argv, exit: result.exit, output: result };
  }
  const exit = await exec.stream(target, argv, {
    signal: AbortSignal.any([signal, io.stdout.gone]),
    onStdout: (bytes) => io.stdout.write(bytes),
    onStderr: (bytes) => io.stderr.write(bytes),
  });
  return { node: target.name, argv, exit, output: undefined };
}

export const nodeExec = defineCommand<Executed>({
  path: ['node', 'exec'],
  summary: 'Run a program on a node',
  description:
    'Runs the program with exactly these arguments; no shell of calictl reads them. Its output and its exit code are ' +
    "passed on; when the node cannot be reached the exit code is 1 and the reason is on stderr. In calico-node's " +
    'container only the programs of its image exist (ip, birdcl, nft, iptables-save, cat, sh and the like).',
  examples: [
    { command: 'calictl node exec node-a -- ip route', about: "a node's routes" },
    { command: "calictl node exec node-a --via ssh -- sh -c 'dmesg | tail'", about: 'a shell line, over SSH' },
    { command: 'calictl node exec node-a -o json -- cat /var/lib/calico/mtu', about: 'for a script' },
  ],
  args: [
    { name: 'NODE', about: 'name of the node', required: true },
    { name: 'ARGV', about: 'the program and its arguments, after two dashes', variadic: true },
  ],
  flags: [
    ...transportFlags.filter(({ name }) => name !== 'timeout' && name !== 'parallel'),
    { name: 'timeout', value: 'DURATION', about: 'end it after this time, like 10s; default: never' },
    { name: 'stdin', short: 'i', about: 'give it our standard input, up to its end' },
    outputFlag('text', 'json'),
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: ({ output }) => output?.stdout ?? '',
    json: async ({ node, argv, exit, output }) => {
      const { jsonDocument } = await import('../../../output/json-document.ts');
      const { stdout, stderr, truncated } = output ?? {};
      return jsonDocument({ kind: 'NodeCommand', node, argv, exit, stdout, stderr, truncated });
    },
  },
  exit: ({ exit }) => exit,
});
