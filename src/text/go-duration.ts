// Durations as Go writes them (`15m`, `1h30m`, `1.5s`): the form of Calico's configuration and flags.

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a Go duration, or undefined for any other text. `0` needs no unit. */
export function parseGoDuration(text: string): number | undefined {
  const signed = /^([+-]?)(.*)$/s.exec(text);
  const rest = signed?.[2] ?? '';
  if (rest === '0') return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0;
  for (const part of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(part[1]) * (unitMs[part[2] ?? ''] ?? Number.NaN);
  }
  return signed?.[1] === '-' ? -total : total;
}

/** A duration for people, in its two largest units: `15m`, `2h5m`, `40s`, `3d4h`. */
export function shortDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  if (first < 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, unit]) => `${n}${unit}`)
    .join('');
}

/** A duration as Go prints it: `15m0s`, `1h0m0s`, `1.5s`, `250ms`. */
export function formatGoDuration(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const whole = Math.abs(ms);
  if (whole === 0) return '0s';
  if (whole < 1000) {
    const unit = whole >= 1 ? 'ms' : whole >= 1e-3 ? 'µs' : 'ns';
    return `${sign}${trimmed(whole / (unitMs[unit] ?? 1))}${unit}`;
  }
  const seconds = trimmed((whole % 60_000) / 1000);
  const minutes = Math.floor(whole / 60_000);
  if (minutes === 0) return `${sign}${seconds}s`;
  const hours = Math.floor(minutes / 60);
  return `${sign}${hours > 0 ? `${hours}h` : ''}${minutes % 60}m${seconds}s`;
}

/** At most nine decimals, without trailing zeros. */
function trimmed(value: number): string {
  return String(Number(value.toFixed(9)));
}

/** Go's error for a text that `time.ParseDuration` does not take; undefined for a duration. */
export function goDurationError(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const invalid = `time: invalid duration ${quoted}`;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  let total = 0;
  while (rest !== '') {
    const [number = ''] = /^\d*(?:\.\d*)?/.exec(rest) ?? [];
    if (!/\d/.test(number)) return invalid;
    rest = rest.slice(number.length);
    const [unit = ''] = /^[^.\d]*/.exec(rest) ?? [];
    if (unit === '') return `time: missing unit in duration ${quoted}`;
    const ms = unitMs[unit];
    if (ms === undefined) return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = rest.slice(unit.length);
    total += Number(number) * ms;
  }
  // 64 bits of nanoseconds.
  return total > 2 ** 63 / 1e6 ? invalid : undefined;
}

/** The duration as Go would print it; a text that is not a duration is returned unchanged. */
export function normalGoDuration(text: string): string {
  const ms = parseGoDuration(text);
  return ms === undefined ? text : formatGoDuration(ms);
}
