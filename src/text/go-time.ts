// Points in time as Go's time.Time.String() prints them in UTC: the form of the `timestamp` attribute of allocations.

/** `2026-03-02 09:15:00.25 +0000 UTC`, without trailing zeros of the fraction. */
export function goTimeText(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  const fraction = time.slice(8, -1).replace(/\.?0+$/, '');
  return `${day} ${time.slice(0, 8)}${fraction} +0000 UTC`;
}

const goTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,9}))? ([+-]\d\d)(\d\d)\b/;

/** Milliseconds since 1970 of a text as `time.Time.String()` writes it; undefined when it does not parse. */
export function parseGoTime(text: string): number | undefined {
  const match = goTime.exec(text);
  if (!match) return undefined;
  const fraction = (match[3] ?? '0').slice(0, 3).padEnd(3, '0');
  const ms = Date.parse(`${match[1]}T${match[2]}.${fraction}${match[4]}:${match[5]}`);
  return Number.isNaN(ms) ? undefined : ms;
}
