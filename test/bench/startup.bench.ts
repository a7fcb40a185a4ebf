// How long the program takes to start, compared with a Node process that does nothing.
import { custom } from './big-cluster.ts';
import { calicoctl, calictl, calictlOnExample, curl, nothing, type Target } from './contenders.ts';
import { difference, resultTable, rounds } from './measure.ts';

const budget = (ms: number, limit: number): string =>
  `  node -e 0 + ${ms.toFixed(1)} ms; budget + ${limit} ms: ${ms <= limit ? 'kept' : 'MISSED'}\n\n`;

export async function benchVersion(count: number): Promise<string> {
  const samples = await rounds(
    { 'node -e 0': nothing, 'version --client': () => calictl(['version', '--client']) },
    count,
  );
  return resultTable('version --client', samples) + budget(difference(samples, 'version --client', 'node -e 0'), 10);
}

export async function benchGet(target: Target, count: number): Promise<string> {
  const samples = await rounds(
    {
      'node -e 0': nothing,
      'get ippool': () => calictl(['get', 'ippool'], target),
      curl: () => curl(target, [{ path: `${custom}/ippools` }]),
      ...calicoctl(['get', 'ippool'], target),
    },
    count,
  );
  return resultTable('get ippool', samples) + budget(difference(samples, 'get ippool', 'node -e 0'), 100);
}

/** Whole commands on the example folder, of this checkout and of another built one, such as the one before a change. */
export async function benchAgainst(other: string, count: number): Promise<string> {
  const tables: string[] = [];
  for (const line of ['version --client', 'get ippool', 'ipam check']) {
    const args = line.split(' ');
    const samples = await rounds(
      { [other]: () => calictlOnExample(args, other), here: () => calictlOnExample(args) },
      count,
    );
    tables.push(resultTable(line, samples));
  }
  return tables.join('');
}
