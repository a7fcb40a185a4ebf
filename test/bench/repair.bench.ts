// `ipam check --fix` of stray handles compared with the bare writes: a PUT and a DELETE for each, 32 in flight.
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KubeObject } from '../../src/resources/object.ts';
import { custom, listCustom, loadStrays, untilServed } from './big-cluster.ts';
import { calictl, type Target } from './contenders.ts';
import { resultTable, rounds, type Sample } from './measure.ts';

const path = `${custom}/ipamhandles`;
const inFlight = 32;

/** Each round needs strays of its own; they are made between the measurements. */
export async function benchRepair(target: Target, strays: number): Promise<string> {
  const healthy = await listCustom(target.server, 'ipamhandles');
  const ours = new Set(healthy.map(({ metadata }) => metadata.name));
  let made = 0;
  const fresh = async (): Promise<readonly KubeObject[]> => {
    await loadStrays(target.etcd, `repair ${process.pid} ${made++}`, strays);
    await untilServed(target.server, path, healthy.length + strays);
    return (await listCustom(target.server, 'ipamhandles')).filter(({ metadata }) => !ours.has(metadata.name));
  };
  const samples = await rounds(
    {
      'PUT + DELETE': async () => bareWrites(target, await fresh()),
      'ipam check --fix': async () => {
        await fresh();
        return repaired(target, strays);
      },
    },
    target.rounds,
  );
  return `${resultTable(`${strays} stray handles`, samples)}\n`;
}

async function bareWrites(target: Target, handles: readonly KubeObject[]): Promise<Sample> {
  const { admin } = target.server;
  const left = [...handles];
  const started = performance.now();
  const worker = async (): Promise<void> => {
    for (let handle = left.pop(); handle !== undefined; handle = left.pop()) {
      const marked = { ...handle, spec: { ...(handle['spec'] as object), deleted: true } };
      const put = await admin.request('PUT', `${path}/${handle.metadata.name}`, marked);
      const { uid, resourceVersion } = (JSON.parse(put.body) as KubeObject).metadata;
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } };
      const gone = await admin.request('DELETE', `${path}/${handle.metadata.name}`, body);
      if (gone.status !== 200) throw new Error(`DELETE: ${gone.status} ${gone.body}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { ms: performance.now() - started };
}

/** The writes alone, from the first to the last line of the journal, and the whole run with its three checks. */
async function repaired(target: Target, strays: number): Promise<Sample> {
  const journal = join(dirname(target.server.caFile), 'journal.jsonl');
  rmSync(journal, { force: true });
  const { ms, peakMiB } = await calictl(
    ['ipam', 'check', '--fix', '--yes', '--journal', journal, '-o', 'json'],
    target,
    {
      memory: true,
    },
  );
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  if (lines.length !== strays * 4) throw new Error(`${lines.length} lines of journal for ${strays} handles`);
  const at = (line: string | undefined): number => Date.parse((JSON.parse(line ?? '{}') as { time: string }).time);
  return { ms: at(lines.at(-1)) - at(lines[0]), ...(peakMiB === undefined ? {} : { peakMiB }), also: { whole: ms } };
}
