// The MTU of a new pod: that of the configuration, else that of the file that Felix writes, else the kernel's default.
// Rules: docs/reference/pod-wiring.md#mtu.

/** Where Felix writes the MTU of new pods. */
export const mtuFile = '/var/lib/calico/mtu';

/** Returns the MTU in the text of the file, 0 meaning that it sets none; undefined when the text is not an integer. */
export function mtuOfFile(text: string): number | undefined {
  const digits = text.trim();
  return /^[+-]?\d+$/.test(digits) ? Number(digits) : undefined;
}

/** The MTU of a pod from the configuration and the file; undefined: the kernel's default. 0 means not set in both. */
export function podMtuOf(configured: number, ofFile: number | undefined): number | undefined {
  return configured !== 0 ? configured : ofFile || undefined;
}
