// A table of every pod's endpoint: when its first row is out, and that memory does not grow with the rows.
import { calicoctl, calictl, type Target } from './contenders.ts';
import { median, resultTable, rounds, type Sample } from './measure.ts';

export async function benchTable(target: Target): Promise<string> {
  const rows: Record<string, number> = {};
  const table = async (name: string, args: readonly string[]): Promise<Sample> => {
    const { ms, peakMiB = 0, firstOutputMs, lines } = await calictl(args, target, { memory: true });
    rows[name] = lines - 2;
    return { ms, peakMiB, also: { 'first row': firstOutputMs ?? Number.NaN } };
  };
  const all = 'get workloadendpoints -A';
  const one = 'get workloadendpoints -n shop';
  const samples = await rounds(
    {
      'pages of 500': () => pages(target),
      [all]: () => table(all, ['get', 'workloadendpoints', '-A']),
      [one]: () => table(one, ['get', 'workloadendpoints', '-n', 'shop']),
      ...calicoctl(['get', 'workloadendpoints', '-A'], target, { memory: true }),
    },
    target.rounds,
  );
  const peak = (name: string): number => median((samples[name] ?? []).map(({ peakMiB }) => peakMiB ?? Number.NaN));
  return [
    resultTable(`table of ${rows[all]} rows`, samples),
    `  ${rows[one]} rows ${Math.round(peak(one))} MiB, ${rows[all]} rows ${Math.round(peak(all))} MiB\n\n`,
  ].join('');
}

/** The same list in the same pages, one after the other, neither parsed nor kept. */
async function pages(target: Target): Promise<Sample> {
  const started = performance.now();
  let lastAsked = 0;
  for (let token: string | undefined = ''; token !== undefined; ) {
    lastAsked = performance.now() - started;
    const query = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    const { body } = await target.server.admin.request('GET', `/api/v1/pods?limit=500${query}`);
    token = /"continue":"([^"]+)"/.exec(body.slice(0, 2000))?.[1];
  }
  return { ms: performance.now() - started, also: { 'last page asked for': lastAsked } };
}
