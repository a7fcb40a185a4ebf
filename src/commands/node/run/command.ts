// calictl node run: starts calico-node with Docker on this machine, or prints the command that would.
import { lookup } from 'node:dns/promises';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { CommandResult } from '../../../node-exec/node-exec.ts';
import { CalictlError, StdoutFailure, UsageError } from '../../../world/errors.ts';
import type { OutputStream } from '../../../world/world.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import { requireThisMachine, runHere, tellingOf } from '../local-host.ts';
import { noDeadlineMs } from '../transport-flags.ts';
import type { NodeContainer } from './container.ts';

interface Started {
  readonly argv: readonly string[];
  readonly isService: boolean;
  /** False when the command was only asked for. */
  readonly started: boolean;
}

const failed = (text: string, compat: boolean, hint?: string): CalictlError =>
  compat
    ? new CalictlError(`error executing command: ${text}`, { code: 'NODE_RUN' })
    : new UsageError(text, hint, 'NODE_RUN');

const unreadable = (text: string, compat: boolean): Error =>
  compat ? new StdoutFailure(`Error executing command: ${text}`) : new UsageError(text);

/** --ip and --ip6. Errors: what is no address, and an address of the other family. */
async function addressOf(input: Input, flag: 'ip' | 'ip6', compat: boolean): Promise<string | undefined> {
  const text = input.text(flag);
  if (text === undefined || text === '' || text === 'autodetect') return text || undefined;
  const { parseIp } = await import('../../../net/ip.ts');
  const ip = parseIp(text);
  if (ip === undefined) throw unreadable(`invalid IP address specified: ${text}`, compat);
  if (ip.version !== (flag === 'ip' ? 4 : 6)) throw failed(`--${flag} is wrong IP version`, compat);
  return text;
}

async function asNumberOf(input: Input, compat: boolean): Promise<number | undefined> {
  const text = input.text('as');
  if (text === undefined || text === '') return undefined;
  const { parseAsNumber } = await import('../../../resources/convert/node-annotations.ts');
  const number = parseAsNumber(text);
  if (number === undefined) throw unreadable(`invalid AS Number specified: ${text}`, compat);
  return number;
}

async function checkReach(target: string, version: 4 | 6, compat: boolean): Promise<void> {
  const found = await lookup(target, { all: true }).catch(() => []);
  if (found.length === 0) throw failed(`cannot resolve address specified for IP autodetection: ${target}`, compat);
  if (!found.some(({ family }) => family === version)) {
    const text = `address for IP autodetection does not resolve to an IPv${version} address: ${target}`;
    throw failed(text, compat);
  }
}

/** A way for calico-node to find the address of its node. Errors: what is none, or cannot work. */
async function methodOf(input: Input, version: 4 | 6, compat: boolean): Promise<string> {
  const method = input.text(version === 4 ? 'ip-autodetection-method' : 'ip6-autodetection-method') ?? 'first-found';
  const [, name, value = ''] = /^([^=]*)=?(.*)$/s.exec(method) ?? [];
  if (method === 'first-found') return method;
  if (name === 'can-reach') await checkReach(value, version, compat);
  else if (name === 'interface' || name === 'skip-interface') {
    for (const pattern of value.split(',')) {
      try {
        new RegExp(pattern);
      } catch {
        throw failed(`invalid interface regex specified for IP autodetection: ${pattern}`, compat);
      }
    }
  } else throw failed(`invalid IP autodetection method: ${method}`, compat);
  return method;
}

async function containerOf(ctx: Context, input: Input): Promise<NodeContainer> {
  const { compat } = ctx;
  const [ip, ip6] = [await addressOf(input, 'ip', compat), await addressOf(input, 'ip6', compat)];
  const asNumber = await asNumberOf(input, compat);
  const backend = input.text('backend') ?? 'bird';
  if (backend !== 'bird' && backend !== 'none') throw failed(`unknown backend '${backend}'`, compat, 'bird or none');
  const [ipMethod, ip6Method] = [await methodOf(input, 4, compat), await methodOf(input, 6, compat)];
  const name = input.text('name') || hostname().trim().toLowerCase();
  if (name === '') throw failed('unable to determine node name', compat, 'say it with --name');
  const settings = await ctx.settings();
  const type = settings.datastoreType || (settings.etcdEndpoints ? 'etcdv3' : 'kubernetes');
  if (type !== 'etcdv3') {
    throw failed(
      'unsupported backend specified in config',
      compat,
      'a container of its own works with etcd only: set DATASTORE_TYPE=etcdv3 and ETCD_ENDPOINTS; in Kubernetes calico-node is a DaemonSet',
    );
  }
  return {
    name,
    image: input.text('node-image') ?? 'quay.io/calico/node:latest',
    backend,
    logDir: input.text('log-dir') ?? '/var/log/calico',
    ip,
    ip6,
    ipMethod,
    ip6Method,
    asNumber,
    noDefaultPools: input.on('no-default-ippools'),
    isService: input.on('init-system'),
    felixConfig: input.text('felix-config'),
    etcd: {
      endpoints: settings.etcdEndpoints ?? '',
      discoverySrv: settings.etcdDiscoverySrv ?? '',
      caCertFile: settings.etcdCACertFile,
      keyFile: settings.etcdKeyFile,
      certFile: settings.etcdCertFile,
    },
  };
}

/** Longest time to wait for the line that says that it started. */
const startMs = 10_000;
const startedLine = 'Calico node started successfully';

/** What the kernel needs before: modules, forwarding, room for connections. A part that fails is no reason to stop. */
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

/** Pulling the image takes as long as it takes. */
const program = (ctx: Context, argv: readonly string[]): Promise<CommandResult> => runHere(ctx, argv, noDeadlineMs);

/** Passes the log on until it says that calico-node started. Errors: it ended, or said nothing in time. */
async function followStart(ctx: Context, telling: OutputStream): Promise<void> {
  const { streamProgram } = await import('../../../node-exec/child-program.ts');
  const { signal } = ctx.world;
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), startMs);
  let log = '';
  const take = async (bytes: Uint8Array): Promise<void> => {
    const text = Buffer.from(bytes).toString();
    log += text;
    await telling.write(text);
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
    const text = 'calico/node has terminated, check logs for details';
    throw new CalictlError(ctx.compat ? `error executing command: ${text}` : text, { code: 'NODE_RUN' });
  }
}

async function start(ctx: Context, argv: readonly string[], telling: OutputStream): Promise<void> {
  const say = (line: string): Promise<void> => telling.write(`${line}\n`);
  if (!ctx.world.env['CALICO_CTL_CONTAINER']) await prepareKernel(ctx, say);
  await say('Removing old calico-node container (if running).');
  await program(ctx, ['docker', 'rm', '-f', 'calico-node']);
  await say(`Running the following command to start calico-node:\n\n${argv.join(' ')}\n`);
  await say('Image may take a short time to download if it is not available locally.');
  const { exit, stderr } = await program(ctx, argv);
  if (exit !== 0) {
    const text = `docker ended with exit code ${exit}: ${stderr.trim()}`;
    throw new CalictlError(ctx.compat ? `error executing command: ${text}` : text, { code: 'NODE_RUN' });
  }
  await say('Container started, checking progress logs.\n');
  await followStart(ctx, telling);
}

async function run(ctx: Context, input: Input): Promise<Started> {
  const isDry = input.on('dryrun');
  requireThisMachine(ctx, !isDry);
  const [container, { dockerArgv }] = [await containerOf(ctx, input), await import('./container.ts')];
  const argv = dockerArgv(container);
  if (!isDry) await start(ctx, argv, tellingOf(ctx, input));
  return { argv, isService: container.isService, started: !isDry };
}

function dryText({ argv, isService, started }: Started): string {
  if (started) return '';
  const command = `Use the following command to start the calico/node container:\n\n${argv.join(' ')}\n\n`;
  return isService
    ? `${command}Use the following command to stop the calico/node container:\n\ndocker stop calico-node\n\n`
    : `${command}If you are running calico/node in an init system, use the --init-system flag\n` +
        'to display the appropriate start and stop commands.\n';
}

const calicoctl = true;

export const nodeRun = defineCommand<Started>({
  path: ['node', 'run'],
  summary: 'Start calico-node with Docker on this machine',
  description:
    'For machines outside of Kubernetes, with etcd as datastore. Loads modules and enables forwarding, then replaces the ' +
    'container and waits until it says that it started. Needs root, but for --dryrun.',
  examples: [
    { command: 'calictl node run --dryrun', about: 'the command, without running it' },
    { command: 'calictl node run --ip autodetect --as 64513', about: 'with an AS number of its own' },
  ],
  args: [],
  flags: [
    { name: 'ip', value: 'IP', about: 'IPv4 address of the node, or autodetect', calicoctl },
    { name: 'ip6', value: 'IP6', about: 'IPv6 address of the node, or autodetect', calicoctl },
    { name: 'as', value: 'AS_NUM', about: 'AS number of the node', calicoctl },
    { name: 'name', value: 'NAME', about: 'name of the node; default: the host name', calicoctl },
    {
      name: 'ip-autodetection-method',
      value: 'IP_AUTODETECTION_METHOD',
      about: 'first-found, can-reach=HOST, interface=REGEX,… or skip-interface=REGEX,…',
      default: 'first-found',
      calicoctl,
    },
    {
      name: 'ip6-autodetection-method',
      value: 'IP6_AUTODETECTION_METHOD',
      about: 'the same for IPv6',
      default: 'first-found',
      calicoctl,
    },
    { name: 'log-dir', value: 'LOG_DIR', about: "folder of Calico's logs", default: '/var/log/calico', calicoctl },
    {
      name: 'node-image',
      value: 'DOCKER_IMAGE_NAME',
      about: 'image of calico-node',
      default: 'quay.io/calico/node:latest',
      calicoctl,
    },
    { name: 'backend', value: '(bird|none)', about: 'none: policy only, no routing', default: 'bird', calicoctl },
    { name: 'felix-config', value: 'CONFIG', about: "file with Felix's configuration", calicoctl },
    { name: 'no-default-ippools', about: 'make no pools at the first start', calicoctl },
    { name: 'dryrun', about: 'print the command only', calicoctl },
    { name: 'init-system', about: 'for an init system: in the foreground, removed when it ends', calicoctl },
    outputFlag('text', 'json'),
  ],
  calicoctl: true,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: dryText,
    json: async ({ argv, started }) =>
      (await import('../../../output/json-document.ts')).jsonDocument({ kind: 'NodeRun', argv, started }),
  },
  exit: () => 0,
});
