// Points in time as Go's time.Time.String() writes them in UTC: the form of the `timestamp` attribute of allocations.

/** `2026-03-02 09:15:00.25 +0000 UTC`; zeros at the end of the fraction are cut, and a fraction of nothing but zeros. */
export function goTimeText(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  const fraction = time.slice(8, -1).replace(/\.?0+$/, '');
  return `${day} ${time.slice(0, 8)}${fraction} +0000 UTC`;
}
