// A node for CNI plugins: a network namespace with an uplink, its own /var/lib/calico and /var/run/calico, and a way to the
// API server of the test. Pods are further namespaces. The plugins themselves run as processes in it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProgramResult, printedBy, runProgram } from '../program/run-program.ts';
import { until } from '../program/until.ts';
import type { ApiServer } from '../servers/api-server.ts';

/** Directories in which the plugins look for files, and which each node has for itself. */
const places = ['/var/lib/calico', '/var/run/calico'] as const;

export interface PluginCall {
  /** Program and arguments. */
  readonly program: readonly string[];
  /** The CNI_* variables. */
  readonly env: Readonly<Record<string, string>>;
  /** What the plugin reads. */
  readonly config: string;
}

export class CniNode {
  /** The name of its namespace. */
  readonly netns: string;
  readonly #folder: string;
  readonly #relay: { readonly server: Server; readonly child: ChildProcess };
  readonly #pods = new Set<string>();

  private constructor(netns: string, folder: string, relay: { server: Server; child: ChildProcess }) {
    this.netns = netns;
    this.#folder = folder;
    this.#relay = relay;
  }

  /** Makes the node; `name` must differ from that of every other node of the test process. */
  static async make(name: string, server: Pick<ApiServer, 'url'>): Promise<CniNode> {
    const netns = `cni-${process.pid}-${name}`;
    const folder = mkdtempSync(join(tmpdir(), 'calictl-cni-'));
    for (const place of places) {
      mkdirSync(place, { recursive: true });
      mkdirSync(join(folder, place), { recursive: true });
    }
    await printedBy(['ip', 'netns', 'add', netns]);
    const uplink = [
      'link set lo up',
      'link add up0 type veth peer name up1',
      'link set up0 up',
      'link set up1 up',
      'addr add 172.20.0.10/24 dev up0',
      'addr add fd20::10/64 dev up0 nodad',
      'route add default via 172.20.0.1',
      'route add ::/0 via fd20::1',
    ];
    await printedBy(['ip', '-n', netns, '-batch', '-'], `${uplink.join('\n')}\n`);
    return new CniNode(netns, folder, await relayTo(new URL(server.url), netns, join(folder, 'api.sock')));
  }

  /** The path at which a test writes a file that the plugins find at `path`. */
  pathOf(path: string): string {
    return join(this.#folder, path);
  }

  /** Writes a file of the node, or removes it. */
  file(path: string, text: string | undefined): void {
    if (text === undefined) rmSync(this.pathOf(path), { force: true });
    else writeFileSync(this.pathOf(path), text);
  }

  read(path: string): string | undefined {
    return existsSync(this.pathOf(path)) ? readFileSync(this.pathOf(path), 'utf8') : undefined;
  }

  /** Makes a pod's namespace and returns its path. */
  async pod(name: string): Promise<string> {
    const netns = `${this.netns}-${name}`;
    await printedBy(['ip', 'netns', 'add', netns]);
    this.#pods.add(netns);
    return `/var/run/netns/${netns}`;
  }

  async removePod(path: string): Promise<void> {
    const netns = path.split('/').at(-1) ?? '';
    if (this.#pods.delete(netns)) await runProgram(['ip', 'netns', 'delete', netns]);
  }

  /** Runs a program in the node's network, with the node's files in place. */
  run(argv: readonly string[], env: Readonly<Record<string, string>> = {}, stdin = ''): Promise<ProgramResult> {
    const binds = places.map((place) => `mount --bind ${this.pathOf(place)} ${place}`).join(' && ');
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const shell = ['unshare', '--mount', 'sh', '-c', `${binds} && exec "$@"`, 'sh'];
    return runProgram(
      ['nsenter', `--net=/var/run/netns/${this.netns}`, ...shell, 'env', '-i', ...variables, ...argv],
      stdin,
    );
  }

  /** Runs a plugin as a container runtime does. */
  call({ program, env, config }: PluginCall): Promise<ProgramResult> {
    return this.run(program, env, config);
  }

  async remove(): Promise<void> {
    for (const netns of this.#pods) await runProgram(['ip', 'netns', 'delete', netns]);
    this.#relay.child.kill('SIGKILL');
    this.#relay.server.close();
    await runProgram(['ip', 'netns', 'delete', this.netns]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The API server listens at 127.0.0.1 of this machine: a process in the node's namespace passes connections on to it. */
async function relayTo(api: URL, netns: string, socket: string): Promise<{ server: Server; child: ChildProcess }> {
  const server = createServer((from) => {
    const to = connect(Number(api.port), api.hostname);
    for (const end of [from, to]) end.on('error', () => [from, to].map((each) => each.destroy()));
    from.pipe(to).pipe(from);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const script = `const net = require('node:net');
    net.createServer((from) => {
      const to = net.connect(${JSON.stringify(socket)});
      for (const end of [from, to]) end.on('error', () => { from.destroy(); to.destroy(); });
      from.pipe(to).pipe(from);
    }).listen(${api.port}, '${api.hostname}', () => console.log('listening'));`;
  const child = spawn('ip', ['netns', 'exec', netns, process.execPath, '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let listening = false;
  child.stdout.once('data', () => {
    listening = true;
  });
  await until(() => listening, 'the way to the API server is open');
  return { server, child };
}
