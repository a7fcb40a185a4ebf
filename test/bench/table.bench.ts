// Whole lists of objects, compared with fetching the same pages raw: time, when the first row is out, and memory.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, join } from 'node:path';
import { custom, loadNetworkSets } from './big-cluster.ts';
import { calicoctl, calictl, type Target } from './contenders.ts';
import { median, resultTable, rounds, type Sample } from './measure.ts';

const protobufType = 'application/vnd.kubernetes.protobuf';

export async function benchTable(target: Target): Promise<string> {
  const sets = Math.max(1_000, Math.round(target.pods * 0.4));
  await loadNetworkSets(target, sets);
  return [
    await benchEndpoints(target),
    await benchList(target, 'networksets', ['get', 'networksets', '-A']),
    await benchList(target, 'networksets', ['get', 'networksets', '-A', '-o', 'yaml']),
    await benchList(target, 'networksets', ['get', 'networksets', '-A', '-o', 'json']),
  ].join('\n');
}

/** Rows of a run besides the headings and the blank line at the end. */
async function sampleOf(target: Target, args: readonly string[], seen?: (rows: number) => void): Promise<Sample> {
  const { ms, peakMiB = 0, firstOutputMs, cpuMs, lines } = await calictl(args, target, { memory: true });
  seen?.(lines - 2);
  return { ms, peakMiB, also: { 'first output': firstOutputMs ?? Number.NaN, CPU: cpuMs ?? Number.NaN } };
}

async function benchEndpoints(target: Target): Promise<string> {
  const rows: Record<string, number> = {};
  const all = 'get workloadendpoints -A';
  const one = 'get workloadendpoints -n shop';
  const table = (name: string) => (): Promise<Sample> =>
    sampleOf(target, name.split(' '), (seen) => {
      rows[name] = seen;
    });
  const samples = await rounds(
    {
      'raw pages': () => rawPages(target, '/api/v1/pods', protobufType),
      'raw pages, JSON': () => rawPages(target, '/api/v1/pods', 'application/json'),
      [all]: table(all),
      [one]: table(one),
      ...withCpu(calicoctl(all.split(' '), target, { memory: true })),
    },
    target.rounds,
  );
  const peak = (name: string): number => median((samples[name] ?? []).map(({ peakMiB }) => peakMiB ?? Number.NaN));
  return [
    resultTable(`table of ${rows[all]} rows`, samples),
    `  ${rows[one]} rows ${Math.round(peak(one))} MiB, ${rows[all]} rows ${Math.round(peak(all))} MiB\n`,
  ].join('');
}

async function benchList(target: Target, plural: string, args: readonly string[]): Promise<string> {
  const samples = await rounds(
    {
      'raw pages': () => rawPages(target, `${custom}/${plural}`, 'application/json'),
      calictl: () => sampleOf(target, args),
      ...withCpu(calicoctl(args, target, { memory: true })),
    },
    target.rounds,
  );
  return resultTable(args.join(' '), samples);
}

function withCpu(contenders: ReturnType<typeof calicoctl>): ReturnType<typeof calicoctl> {
  return Object.fromEntries(
    Object.entries(contenders).map(([name, run]) => [
      name,
      async () => {
        const finished = await run();
        const { cpuMs, firstOutputMs } = finished as Sample & { cpuMs?: number; firstOutputMs?: number };
        return { ...finished, also: { 'first output': firstOutputMs ?? Number.NaN, CPU: cpuMs ?? Number.NaN } };
      },
    ]),
  );
}

/** The list in the pages that calictl requests, one after the other on one connection, neither parsed nor kept. */
async function rawPages(target: Target, path: string, accept: string): Promise<Sample> {
  const folder = dirname(target.server.caFile);
  const file = (name: string): Buffer => readFileSync(join(folder, name));
  const credentials = { ca: file('ca.crt'), cert: file('admin.crt'), key: file('admin.key') };
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...credentials });
  const started = performance.now();
  let lastAsked = 0;
  for (let token: string | undefined = ''; token !== undefined; ) {
    lastAsked = performance.now() - started;
    const query: string = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    token = await continueTokenOf(agent, `${target.server.url}${path}?limit=500${query}`, accept);
  }
  agent.destroy();
  return { ms: performance.now() - started, also: { 'last page requested': lastAsked } };
}

/** Built-in kinds have the token before their items, custom resources after them. */
function continueTokenOf(agent: Agent, url: string, accept: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { Accept: accept } }, (answer) => {
      let first = '';
      let last: Uint8Array = Buffer.alloc(0);
      answer.on('data', (chunk: Buffer) => {
        if (first === '') first = chunk.toString('latin1', 0, 2000);
        last = chunk.length >= 2000 ? chunk.subarray(-2000) : Buffer.concat([last, chunk]).subarray(-2000);
      });
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
        const [token] =
          /eyJ2[\w=-]{20,}/.exec(first) ?? /eyJ2[\w=-]{20,}/.exec(Buffer.from(last).toString('latin1')) ?? [];
        resolve(token);
      });
    });
    sent.on('error', reject).end();
  });
}
