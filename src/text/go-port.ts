// Ports of policies as Calico's Go code reads them: a number, a range `8000:8080`, or the name of a port.

/** What Calico's Go code says of a text that is not a port; undefined for one that is. */
export function goPortError(text: string): string | undefined {
  if (/^\d+$/.test(text)) return Number(text) <= 65535 ? undefined : `invalid port format (${text})`;
  const [, low, high] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (low !== undefined && high !== undefined) {
    if (Number(low) > 65535) return `invalid minimum port number in range (${text})`;
    if (Number(high) > 65535) return `invalid maximum port number in range (${text})`;
    if (Number(low) <= Number(high)) return undefined;
    return `minimum port number (${Number(low)}) is greater than maximum port number (${Number(high)}) in port range`;
  }
  return /^[a-zA-Z0-9_.-]{1,128}$/.test(text) ? undefined : `invalid name for named port (${text})`;
}
