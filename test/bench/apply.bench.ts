// Writing many objects of all kinds from one manifest, next to calicoctl.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manifestOf, manyNamespaces, manyObjects } from '../support/clusters/many-objects.ts';
import { calicoctl, calictl, type Target } from './contenders.ts';
import { type Finished, ratio, resultTable, rounds, type Sample } from './measure.ts';

/** In turn, each on what the one before left: nothing, equal objects, all objects. */
const verbs = ['apply', 'apply again', 'delete'] as const;

export async function benchApply(target: Target, count: number): Promise<string> {
  const { admin } = target.server;
  for (const name of manyNamespaces) {
    await admin.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  // calicoctl takes objects in their order: the tier of the policies is there before, and deleting pools would be waiting.
  const objects = manyObjects(count + 3).slice(2);
  await admin.load(objects.filter(({ kind }) => kind === 'Tier'));
  const file = join(dirname(target.server.caFile), 'many.yaml');
  writeFileSync(file, manifestOf(objects.filter(({ kind }) => kind !== 'Tier')));
  const samples: Record<string, Record<string, Sample[]>> = Object.fromEntries(verbs.map((verb) => [verb, {}]));

  /** One program does all verbs; the samples of each are kept apart. */
  const all = (name: string, run: (args: readonly string[]) => Promise<Finished>) => async (): Promise<Sample> => {
    const before = performance.now();
    for (const verb of verbs) {
      const [word = ''] = verb.split(' ');
      const { ms, peakMiB = 0, cpuMs = Number.NaN } = await run([word, '-f', file]);
      const of = samples[verb] as Record<string, Sample[]>;
      of[name] = [...(of[name] ?? []), { ms, peakMiB, also: { CPU: cpuMs } }];
    }
    return { ms: performance.now() - before };
  };
  const options = { memory: true };
  const reference = calicoctl([], target)['calicoctl'];
  const whole = await rounds(
    {
      calictl: all('calictl', (args) => calictl(args, target, options)),
      'calictl as calicoctl': all('calictl as calicoctl', (args) =>
        calictl(args, target, { ...options, env: { CALICTL_COMPAT: '1' } }),
      ),
      // After the first hundred it sends five requests a second, unless CALICO_K8SCLIENTQPS says otherwise.
      ...(reference && {
        calicoctl: all('calicoctl', async (args) => {
          const [run] = Object.values(calicoctl(args, target, options));
          return (await run?.()) as Finished;
        }),
      }),
    },
    target.rounds,
  );
  // The round that warms up is not among them.
  const tables = verbs.map((verb) => {
    const of = Object.entries(samples[verb] ?? {}).map(([name, all]) => [name, all.slice(1)] as const);
    return resultTable(`${verb}: ${count} objects`, Object.fromEntries(of));
  });
  const names = Object.keys(whole);
  const last = names.at(-1) ?? '';
  return `${tables.join('\n')}\n  all together: ${last} takes ${ratio(whole, last, 'calictl').toFixed(2)} times as long as calictl\n\n`;
}
