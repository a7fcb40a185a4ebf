// A separate process that assigns and releases addresses with the command line, one command after the other, and writes
// to stdout what it held from when to when. Bundled and started by allocating-processes.ts.
import { hostname } from 'node:os';
import { processIdentity } from '../../../src/cli/process-identity.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import type { OutputStream, World } from '../../../src/world/world.ts';

/** An address that was held; the times are those of the machine's monotonic clock, so that processes can be compared. */
export interface Held {
  readonly address: string;
  readonly from: string;
  readonly to: string;
}

export interface Plan {
  readonly env: Readonly<Record<string, string>>;
  readonly node: string;
  /** The prefix of this process's handles. */
  readonly name: string;
  /** Where it ends: after so many assignments, or so many seconds. */
  readonly assignments?: number;
  readonly seconds?: number;
  /** Addresses held at once. */
  readonly most: number;
}

class Kept implements OutputStream {
  readonly isTerminal = false;
  readonly columns = 80;
  readonly colour = false;
  readonly gone = new AbortController().signal;
  text = '';

  async write(text: string): Promise<void> {
    this.text += text;
  }
}

async function command(env: Plan['env'], ...argv: string[]): Promise<string> {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const world: World = {
    programName: 'calictl',
    programPath: 'calictl',
    env,
    cwd: '/',
    platform: process.platform,
    io: { stdin: { isTerminal: false, readAll: async () => '', readLine: async () => undefined }, stdout, stderr },
    clock: {
      now: () => new Date(),
      nowNs: () => BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    random: { uuid: () => crypto.randomUUID(), float: () => Math.random() },
    self: processIdentity(
      process.pid,
      hostname,
      () => Math.round(performance.timeOrigin),
      () => true,
    ),
    signalGroup: () => undefined,
    lendTerminal: (work) => work(),
    signal: new AbortController().signal,
  };
  const code = await runCli(argv, world);
  if (code !== 0 || stderr.text !== '') throw new Error(`${argv.join(' ')}: exit ${code}: ${stderr.text}`);
  return stdout.text;
}

async function main({ env, node, name, assignments = Number.POSITIVE_INFINITY, seconds, most }: Plan): Promise<void> {
  const held: { address: string; handle: string; from: bigint }[] = [];
  const release = async (byHandle: boolean): Promise<void> => {
    const oldest = held.shift();
    if (oldest === undefined) return;
    const { address, handle, from } = oldest;
    const to = process.hrtime.bigint();
    await command(env, 'ipam', 'release', ...(byHandle ? ['--handle', handle] : ['--ip', address]));
    console.log(JSON.stringify({ address, from: String(from), to: String(to) } satisfies Held));
  };
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + seconds * 1000;
  for (let nth = 0; nth < assignments && Date.now() < end; nth += 1) {
    const handle = `${name}.${nth}`;
    const done = await command(env, 'ipam', 'assign', '--node', node, '--handle', handle, '-o', 'json');
    const [{ address }] = JSON.parse(done).addresses;
    held.push({ address, handle, from: process.hrtime.bigint() });
    if (held.length >= most) await release(nth % 2 === 0);
  }
  while (held.length > 0) await release(held.length % 2 === 0);
}

await main(JSON.parse(process.argv[2] ?? ''));
