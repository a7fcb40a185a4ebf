// Numbers as Go's fmt prints them, for tables that must equal calicoctl's.

/** Go's `%.5g`: five significant digits without trailing zeros, with an exponent from 1e5 up and below 1e-4. */
export function goFiveDigits(value: number): string {
  if (value === 0) return '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential(4).split('e');
  const exponent = Number(exponentText);
  const trimmed = (digits: string): string => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);
  if (exponent < -4 || exponent >= 5) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${trimmed(mantissa)}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  return trimmed(value.toFixed(Math.max(0, 4 - exponent)));
}

/** Go's `%.f`: a whole number, halves rounded to even. */
export function goWhole(value: number): string {
  const below = Math.floor(value);
  const over = value - below;
  const up = over > 0.5 || (over === 0.5 && below % 2 !== 0);
  return String(up ? below + 1 : below);
}

/**
 * Go's `%v` of a float: the fewest digits that read back as the same number; with an exponent of at least two digits from
 * 1e6 up and below 1e-4: `1e+06`.
 */
export function goFloat(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6) || !Number.isFinite(value)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}
