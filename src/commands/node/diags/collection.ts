// Collecting diagnostics of this machine into one .tar.gz: outputs of commands, logs of Calico and of its containers.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegularFile } from '../../../files/regular-file.ts';
import { newScratchFolder } from '../../../files/scratch-folder.ts';
import type { CommandResult } from '../../../node-exec/node-exec.ts';
import { openTarget, type SnapshotTarget } from '../../../snapshot/target.ts';
import { systemText } from '../../../world/errors.ts';
import type { OutputStream } from '../../../world/world.ts';
import type { Context } from '../../command.ts';
import { runHere } from '../local-host.ts';

export interface Diagnostics {
  readonly path: string;
}

export interface CollectionOptions {
  /** Where Calico's logs are. */
  readonly logDir: string;
  /** Where the lines about the progress go. */
  readonly progress: OutputStream;
  /** What ends the line that says that there are no logs: calicoctl has no line end there. */
  readonly noLogsEnd: string;
}

/** A command, the line printed before it is run, and the file for its output. */
interface Collected {
  readonly caption?: string;
  readonly argv: readonly string[];
  readonly file?: string;
}

const collected: readonly Collected[] = [
  { argv: ['date'], file: 'date' },
  { argv: ['hostname'], file: 'hostname' },
  { caption: 'Dumping routes (IPv4)', argv: ['ip', '-4', 'route'], file: 'ipv4_route' },
  { caption: 'Dumping routes (IPv6)', argv: ['ip', '-6', 'route'], file: 'ipv6_route' },
  { caption: 'Dumping interface info (IPv4)', argv: ['ip', '-4', 'addr'], file: 'ipv4_addr' },
  { caption: 'Dumping interface info (IPv6)', argv: ['ip', '-6', 'addr'], file: 'ipv6_addr' },
  { caption: 'Dumping nftables', argv: ['nft', '-n', '-a', 'list', 'ruleset'], file: 'nft_ruleset' },
  { caption: 'Dumping iptables (IPv4)', argv: ['iptables-save', '-c'], file: 'ipv4_tables' },
  { caption: 'Dumping iptables (IPv6)', argv: ['ip6tables-save', '-c'], file: 'ipv6_tables' },
  { caption: 'Dumping ipsets', argv: ['ipset', 'list'], file: 'ipsets' },
  {
    caption: 'Dumping ipsets (container)',
    argv: ['docker', 'run', '--rm', '--privileged', '--net=host', 'calico/node', 'ipset', 'list'],
    file: 'ipset_container',
  },
  {
    caption: 'Copying journal for calico-node.service',
    argv: ['journalctl', '-u', 'calico-node.service', '--no-pager'],
    file: 'journalctl_calico_node',
  },
  // Felix writes its counters into its log.
  { caption: 'Dumping felix stats', argv: ['pkill', '-SIGUSR1', 'felix'] },
];

/** A command that does not end does not hold up the others. */
const commandMs = 60_000;

class Collector {
  readonly #ctx: Context;
  readonly #target: SnapshotTarget;
  readonly #options: CollectionOptions;

  constructor(ctx: Context, target: SnapshotTarget, options: CollectionOptions) {
    this.#ctx = ctx;
    this.#target = target;
    this.#options = options;
  }

  say(line: string, end = '\n'): Promise<void> {
    return this.#options.progress.write(`${line}${end}`);
  }

  run(argv: readonly string[]): Promise<CommandResult> {
    return runHere(this.#ctx, argv, commandMs);
  }

  async collect({ caption, argv, file }: Collected): Promise<void> {
    if (caption !== undefined) await this.say(caption);
    const { exit, stdout, stderr } = await this.run(argv);
    if (exit !== 0) {
      await this.say(`Failed to run command: ${argv.join(' ')}`);
      await this.say(`Error: ${exit === 127 ? '' : stdout + stderr}`);
    } else if (file !== undefined) await this.write(file, stdout);
  }

  write(file: string, text: string): Promise<void> {
    return this.#target.write(`diagnostics/${file}`, text);
  }

  /** `netstat` where it is installed, else `ss`. */
  async sockets(): Promise<void> {
    const { exit, stdout } = await this.run(['netstat', '-a', '-n']);
    if (exit === 127) return this.collect({ caption: 'Dumping ss', argv: ['ss', '-a', '-n'], file: 'ss' });
    await this.say('Dumping netstat');
    return this.write('netstat', stdout);
  }

  async logs(): Promise<void> {
    const { logDir: folder, noLogsEnd } = this.#options;
    const found = await stat(folder).catch((error: unknown) => systemText(error));
    if (typeof found === 'string') return this.say(`Error copying log files: ${folder}: ${found}`);
    if (!found.isDirectory()) return this.say(`No logs found in ${folder}; skipping log copying`, noLogsEnd);
    await this.say('Copying Calico logs');
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const text = await endOfLog(path).catch(async (error: unknown) => {
        await this.say(`Error copying log files: ${path}: ${systemText(error)}`);
      });
      if (text !== undefined) await this.write(`logs${path.slice(folder.length)}`, text);
    }
  }

  async containers(): Promise<void> {
    const format = '{{.Names}}: {{.CreatedAt}}';
    const list = ['docker', 'ps', '-a', '--filter', 'name=calico', '--format', format];
    const { exit, stdout, stderr } = await this.run(list);
    if (exit !== 0)
      return this.say(`Could not run docker command: ${exit === 127 ? 'docker is not installed' : stderr}`);
    await this.say('Copying logs from Calico containers');
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.includes('k8s_POD'));
    await this.write('logs/container_creation_time', lines.map((line) => `${line}\n`).join(''));
    for (const line of lines) {
      const [name = ''] = line.split(': ');
      // A container's name holds letters, digits, _, . and - only.
      if (!/^[\w.-]+$/.test(name)) continue;
      const log = await this.run(['docker', 'logs', name]);
      await this.write(`logs/${name}.log`, log.stdout + log.stderr);
    }
  }
}

/** The end of a log is the part that matters, and a text has a limit. */
const mostOfLog = 64 * 1024 ** 2;

/** The last bytes of a log, all of them unless it is very large. Errors: UnsuitableFileError, those of the file system. */
async function endOfLog(path: string): Promise<string> {
  const file = await openRegularFile(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, mostOfLog);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}

/** `20261130_002827`, in local time as in calicoctl. */
function stamp(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${date}_${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}

/** Collects into a new file in a new temporary folder. Errors: CalictlError for a file that cannot be written; Ctrl-C. */
export async function collectDiagnostics(ctx: Context, options: CollectionOptions): Promise<Diagnostics> {
  const folder = await newScratchFolder('calico');
  const path = join(folder, `diags-${stamp(ctx.world.clock.now())}.tar.gz`);
  const target = await openTarget(path, ctx.world.self);
  const collector = new Collector(ctx, target, options);
  try {
    await collector.say('Collecting diagnostics');
    await collector.say(`Using temp dir: ${folder}`);
    for (const each of collected) await collector.collect(each);
    await collector.sockets();
    await collector.logs();
    await collector.containers();
    await target.finish();
  } catch (error) {
    await target.abandon();
    await rm(folder, { recursive: true });
    throw error;
  }
  return { path };
}

/** The last lines, with the path of the file. */
export function diagnosticsText({ path }: Diagnostics): string {
  return `\nDiags saved to ${path}\nIf required, you can upload the diagnostics bundle to a file sharing service.\n`;
}
