// `ipam check` compared with fetching the same lists with curl in the fastest way, and with calicoctl's check.
import { custom } from './big-cluster.ts';
import { type CurlPath, calicoctl, calictl, curl, type Target } from './contenders.ts';
import { median, ratio, resultTable, rounds, type Samples } from './measure.ts';

const crd = (plural: string): CurlPath => ({ path: `${custom}/${plural}?resourceVersion=0` });
const core = (plural: string): CurlPath => ({ path: `/api/v1/${plural}?resourceVersion=0`, protobuf: true });

/** What the check has to read: from the watch cache, protobuf where there is one, all at once. */
const lists: readonly CurlPath[] = [
  core('pods'),
  crd('ipamhandles'),
  crd('ipamblocks'),
  crd('blockaffinities'),
  core('nodes'),
  core('services'),
  ...['ippools', 'ipreservations', 'ipamconfigs', 'clusterinformations', 'kubecontrollersconfigurations'].map(crd),
];

/** `exit` is what the check must answer: 0 for a healthy cluster, 3 for one with stray handles. */
export async function benchCheck(target: Target, title: string, exit: 0 | 3): Promise<string> {
  const samples = await rounds(
    {
      curl: () => curl(target, lists),
      'ipam check': () => calictl(['ipam', 'check', '-o', 'json'], target, { memory: true, codes: [exit] }),
      ...calicoctl(['ipam', 'check'], target, { memory: true }),
    },
    target.rounds,
  );
  return resultTable(title, samples) + (exit === 0 ? verdict(samples) : '\n');
}

function verdict(samples: Samples): string {
  const times = ratio(samples, 'ipam check', 'curl');
  const peak = median((samples['ipam check'] ?? []).map(({ peakMiB }) => peakMiB ?? Number.NaN));
  const kept = (held: boolean): string => (held ? 'kept' : 'MISSED');
  return [
    `  ${times.toFixed(2)} times curl; budget 1.3 times: ${kept(times <= 1.3)}`,
    `  peak ${Math.round(peak)} MiB; budget 300 MB: ${kept(peak * 1.048576 <= 300)}`,
    '',
    '',
  ].join('\n');
}
