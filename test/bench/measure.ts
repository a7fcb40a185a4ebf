// Running programs and measuring them: wall time, peak memory, first output; rounds in which contenders take turns.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One run of one contender. */
export interface Sample {
  readonly ms: number;
  /** Peak resident memory of the program in MiB, where it was measured. */
  readonly peakMiB?: number;
  /** Anything else that is worth a column, by its name. */
  readonly also?: Readonly<Record<string, number>>;
}

export interface Finished extends Sample {
  readonly code: number | null;
  readonly firstOutputMs: number | undefined;
  /** CPU time of the program in milliseconds, where GNU time is there to measure it. */
  readonly cpuMs: number | undefined;
  readonly lines: number;
  /** The beginning of what it printed, both streams: for messages about a run that went wrong. */
  readonly head: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Measures peak memory and CPU time; costs about a millisecond. */
  readonly memory?: boolean;
  /** Exit codes that do not count as a failure. */
  readonly codes?: readonly number[];
}

const gnuTime = '/usr/bin/time';
const scratch = mkdtempSync(join(tmpdir(), 'calictl-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** Runs a program to its end. Throws when it fails: nothing that did not work is measured. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { memory = false, codes = [0] } = options;
  const exact = memory && existsSync(gnuTime);
  const peakFile = join(scratch, 'peak');
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...options.env };
  const started = performance.now();
  const child = exact
    ? spawn(gnuTime, ['-q', '-f', '%M %U %S', '-o', peakFile, program, ...args], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    : spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const polled = memory && !exact ? pollPeak(child.pid as number) : undefined;
  let firstOutputMs: number | undefined;
  let lines = 0;
  let head = '';
  child.stdout.on('data', (chunk: Buffer) => {
    firstOutputMs ??= performance.now() - started;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    if (head.length < 2000) head += chunk.toString('utf8', 0, 2000);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (head.length < 2000) head += chunk.toString('utf8', 0, 2000);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const ms = performance.now() - started;
      const [exactPeak, ...cpu] = exact ? readFileSync(peakFile, 'utf8').trim().split(' ').map(Number) : [];
      const peak = exactPeak ?? polled?.();
      const cpuMs = exact ? cpu.reduce((sum, seconds) => sum + seconds * 1000, 0) : undefined;
      if (!codes.includes(code ?? -1)) {
        reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${head}`));
        return;
      }
      resolve({ ms, code, firstOutputMs, cpuMs, lines, head, ...(peak === undefined ? {} : { peakMiB: peak / 1024 }) });
    });
  });
}

/** Without GNU time: VmHWM only grows, so the last reading misses what was added in the last few milliseconds only. */
function pollPeak(pid: number): () => number | undefined {
  let peak: number | undefined;
  const look = (): void => {
    try {
      const found = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
      if (found !== null) peak = Number(found[1]);
    } catch {
      // It has ended, or this is not Linux.
    }
  };
  const timer = setInterval(look, 5);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

export type Contenders = Readonly<Record<string, () => Promise<Sample>>>;
export type Samples = Readonly<Record<string, readonly Sample[]>>;

/** All contenders once a round, each time beginning with another. A round before the first warms up and is dropped. */
export async function rounds(contenders: Contenders, count: number): Promise<Samples> {
  const names = Object.keys(contenders);
  const samples: Record<string, Sample[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= count; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as string;
      const sample = await (contenders[name] as () => Promise<Sample>)();
      if (round > 0) samples[name]?.push(sample);
    }
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Median over the rounds of the time of `name` divided by the time of `base` in the same round. */
export function ratio(samples: Samples, name: string, base: string): number {
  return median((samples[name] ?? []).map(({ ms }, round) => ms / (samples[base]?.[round]?.ms ?? Number.NaN)));
}

/** Median over the rounds of the difference in milliseconds. */
export function difference(samples: Samples, name: string, base: string): number {
  return median((samples[name] ?? []).map(({ ms }, round) => ms - (samples[base]?.[round]?.ms ?? Number.NaN)));
}

const shown = (ms: number): string => (ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`);

/** One line per contender: median, spread, ratio to the first, memory and the rest. */
export function resultTable(title: string, samples: Samples): string {
  const [base = ''] = Object.keys(samples);
  const rows = Object.entries(samples).map(([name, of]) => {
    const times = of.map(({ ms }) => ms);
    const peaks = of.map(({ peakMiB }) => peakMiB).filter((peak) => peak !== undefined);
    const also = Object.keys(of[0]?.also ?? {}).map(
      (key) => `${key} ${shown(median(of.map((sample) => sample.also?.[key] ?? Number.NaN)))}`,
    );
    return [
      name,
      shown(median(times)),
      `${shown(Math.min(...times))} to ${shown(Math.max(...times))}`,
      name === base ? '' : `x ${ratio(samples, name, base).toFixed(2)}`,
      peaks.length === 0 ? '' : `${Math.round(median(peaks))} MiB`,
      also.join(', '),
    ];
  });
  const headings = ['', 'median', 'spread', `to ${base}`, 'peak', ''];
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  return [`${title} (median of ${samples[base]?.length ?? 0} rounds)`, ...lines, ''].join('\n');
}
