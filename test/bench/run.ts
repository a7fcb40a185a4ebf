// The benchmarks of docs/performance.md: starts a real API server, loads a generated cluster, measures, prints a table.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { partPath } from '../support/program/parts.ts';
import { startApiServer } from '../support/servers/api-server.ts';
import { benchApply } from './apply.bench.ts';
import { benchAssign } from './assign.bench.ts';
import { loadCluster, type Sizes } from './big-cluster.ts';
import { benchCheck } from './check.bench.ts';
import { calictl, type Target } from './contenders.ts';
import { benchRepair } from './repair.bench.ts';
import { benchAgainst, benchGet, benchVersion } from './startup.bench.ts';
import { benchTable } from './table.bench.ts';

const usage = `npm run bench -- [BENCH…] [--pods N] [--strays N] [--rounds N] [--keep]

  BENCH       net ipam manifest nodes ssh cni version get assign stray check table apply fix; all of them when none is named
  --pods N    size of the generated cluster (200)
  --objects N objects that \`apply\` writes (1000)
  --strays N  stray handles that \`fix\` removes (1000)
  --rounds N  rounds of everything, at least 7 (7; three times as many for version and get)
  --against DIR  also measure starting the program of another built checkout
  --keep      leave the API server running, and say where its kubeconfig is

CALICOCTL=/path/to/calicoctl measures that program beside.
`;

const say = (text: string): void => void process.stdout.write(text);
const names = [
  'net',
  'ipam',
  'manifest',
  'nodes',
  'ssh',
  'cni',
  'version',
  'get',
  'assign',
  'stray',
  'check',
  'table',
  'apply',
  'fix',
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pods: { type: 'string', default: '200' },
    objects: { type: 'string', default: '1000' },
    strays: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
    against: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function benchOnServer(wanted: ReadonlySet<string>, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-bench-server-'));
  const server = await startApiServer(folder);
  try {
    const etcd = readFileSync(join(folder, 'etcd.url'), 'utf8');
    const target: Target = { server, etcd, pods: Number(values.pods), rounds };
    const started = performance.now();
    const sizes = await loadCluster(server, etcd, target.pods);
    say(`${described(sizes)}, loaded in ${Math.round((performance.now() - started) / 1000)} s\n\n`);
    if (wanted.has('get')) say(await benchGet(target, rounds * 3));
    if (wanted.has('assign')) say(await benchAssign(target));
    if (wanted.has('stray')) say(await benchCheck(target, `ipam check, ${sizes.strays} stray handles`, 3));
    if (wanted.has('check') || wanted.has('fix')) await calictl(['ipam', 'check', '--fix', '--yes'], target);
    if (wanted.has('check')) say(await benchCheck(target, 'ipam check, healthy', 0));
    if (wanted.has('get') || wanted.has('table')) say(await benchTable(target));
    if (wanted.has('apply')) say(await benchApply(target, Number(values.objects)));
    if (wanted.has('fix')) say(await benchRepair(target, Number(values.strays)));
  } finally {
    if (values.keep) say(`KUBECONFIG=${server.kubeconfig}\n`);
    else {
      server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  }
}

function described({ nodes, pods, blocks, handles, strays }: Sizes): string {
  return `${nodes} nodes, ${pods} pods, ${blocks} blocks, ${handles} handles of which ${strays} stray`;
}

async function main(): Promise<void> {
  const rounds = Number(values.rounds);
  const unknown = positionals.filter((name) => !names.includes(name));
  if (values.help || unknown.length > 0 || !(rounds >= 7)) {
    say(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const wanted = new Set(positionals.length === 0 ? names : positionals);
  say(`Node ${process.version}, load average ${loadavg()[0]?.toFixed(1)}\n\n`);
  if (wanted.has('net')) say((await import('./net.bench.ts')).benchNet());
  if (wanted.has('ipam')) say(await (await import('./ipam.bench.ts')).benchIpam());
  if (wanted.has('manifest')) say((await import('./manifest.bench.ts')).benchManifest(rounds));
  if (wanted.has('nodes')) say(await (await import('./nodes.bench.ts')).benchNodes(rounds));
  if (wanted.has('ssh')) say(await (await import('./ssh-config.bench.ts')).benchSshConfig(rounds));
  if (wanted.has('cni')) say(await (await import('./cni.bench.ts')).benchCni(process.cwd(), rounds));
  if (wanted.has('version')) say(await benchVersion(rounds * 3));
  if (values.against !== undefined) say(await benchAgainst(values.against, rounds * 3));
  if (!values.keep && !['get', 'assign', 'stray', 'check', 'table', 'apply', 'fix'].some((name) => wanted.has(name)))
    return;
  if (existsSync(partPath('etcd')) && existsSync(partPath('kube-apiserver'))) await benchOnServer(wanted, rounds);
  else say('the rest needs etcd and kube-apiserver: npm run provision\n');
  say(`load average ${loadavg()[0]?.toFixed(1)}\n`);
}

await main();
