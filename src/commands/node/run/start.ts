// Starting calico-node with Docker on this machine.
import { writeFile } from 'node:fs/promises';
import { streamProgram } from '../../../node-exec/child-program.ts';
import type { CommandResult } from '../../../node-exec/node-exec.ts';
import { CalictlError } from '../../../world/errors.ts';
import type { OutputStream } from '../../../world/world.ts';
import type { Context } from '../../command.ts';
import { noDeadlineMs } from '../../transport-flags.ts';
import { runHere } from '../local-host.ts';

/** Longest time to wait for the line that reports the start. */
const startMs = 10_000;
const startedLine = 'Calico node started successfully';

/** What the kernel needs first: modules, forwarding, room for connections. A part that fails does not stop the others. */
async function prepareKernel(ctx: Context, say: (line: string) => Promise<void>): Promise<void> {
  const modprobe = ['modprobe', '-a', 'xt_set', 'ip6_tables'];
  await say(`Running command to load modules: ${modprobe.join(' ')}`);
  const set = (path: string, value: string): Promise<boolean> =>
    writeFile(`/proc/sys/net/${path}`, value).then(
      () => true,
      () => false,
    );
  const loaded = await program(ctx, modprobe).catch(() => undefined);
  if (loaded?.exit !== 0) await say(`Error loading modules: ${loaded?.stderr.trim() ?? 'no modprobe'}`);
  await say('Enabling IPv4 forwarding');
  await set('ipv4/ip_forward', '1');
  await say('Enabling IPv6 forwarding');
  await set('ipv6/conf/all/forwarding', '1');
  await say('Increasing conntrack limit');
  if (!(await set('netfilter/nf_conntrack_max', '1000000'))) {
    await say('WARNING: Could not set nf_conntrack_max. This may have an impact at scale.');
  }
}

/** Without a deadline: an image may take long to download. */
const program = (ctx: Context, argv: readonly string[]): Promise<CommandResult> => runHere(ctx, argv, noDeadlineMs);

/** Passes the log on until it reports that calico-node started. Errors: CalictlError when it ended, or did not in time. */
async function followStart(ctx: Context, progress: OutputStream): Promise<void> {
  const { signal } = ctx.world;
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), startMs);
  let log = '';
  const take = async (bytes: Uint8Array): Promise<void> => {
    const text = Buffer.from(bytes).toString();
    log += text;
    await progress.write(text);
    if (log.includes(startedLine)) enough.abort();
  };
  try {
    await streamProgram(['docker', 'logs', '--follow', 'calico-node'], ctx.world, {
      signal: AbortSignal.any([signal, enough.signal]),
      onStdout: take,
      onStderr: take,
    });
  } finally {
    clearTimeout(timer);
  }
  if (!log.includes(startedLine)) {
    throw new CalictlError('calico/node has terminated, check logs for details', { code: 'NODE_RUN' });
  }
}

/**
 * Prepares the kernel, replaces the container and waits until calico-node started; lines about it go to `progress`.
 * Errors: CalictlError NODE_RUN when Docker failed or calico-node did not start.
 */
export async function startNode(ctx: Context, argv: readonly string[], progress: OutputStream): Promise<void> {
  const say = (line: string): Promise<void> => progress.write(`${line}\n`);
  if (!ctx.world.env['CALICO_CTL_CONTAINER']) await prepareKernel(ctx, say);
  await say('Removing old calico-node container (if running).');
  await program(ctx, ['docker', 'rm', '-f', 'calico-node']);
  await say(`Running the following command to start calico-node:\n\n${argv.join(' ')}\n`);
  await say('Image may take a short time to download if it is not available locally.');
  const { exit, stderr } = await program(ctx, argv);
  if (exit !== 0) {
    throw new CalictlError(`docker ended with exit code ${exit}: ${stderr.trim()}`, { code: 'NODE_RUN' });
  }
  await say('Container started, checking progress logs.\n');
  await followStart(ctx, progress);
}
