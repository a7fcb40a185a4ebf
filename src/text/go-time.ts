// Points in time as Go's time.Time.String() prints them in UTC: the form of the `timestamp` attribute of allocations.

/** `2026-03-02 09:15:00.25 +0000 UTC`, without trailing zeros of the fraction. */
export function goTimeText(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  const fraction = time.slice(8, -1).replace(/\.?0+$/, '');
  return `${day} ${time.slice(0, 8)}${fraction} +0000 UTC`;
}
