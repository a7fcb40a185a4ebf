// Protocols and ports as Calico writes them.

/** Numbers of the protocols that have a name. */
export const protocolNumbers = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58, sctp: 132, udplite: 136 } as const;

const withPorts: readonly number[] = [protocolNumbers.tcp, protocolNumbers.udp, protocolNumbers.sctp];

/** The number of a protocol, by name in any case or by number; undefined for anything else. */
export function protocolNumber(protocol: unknown): number | undefined {
  const text = String(protocol).toLowerCase();
  if (Object.hasOwn(protocolNumbers, text)) return protocolNumbers[text as keyof typeof protocolNumbers];
  return /^\d{1,3}$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}

/** `TCP`; the number of a protocol that has no name. */
export function protocolName(number: number): string {
  const name = Object.entries(protocolNumbers).find(([, known]) => known === number)?.[0];
  if (name === 'icmpv6') return 'ICMPv6';
  return name?.toUpperCase() ?? `protocol ${number}`;
}

export function hasPorts(protocol: number): boolean {
  return withPorts.includes(protocol);
}

/** Ports of a rule: numbers from `first` to `last`, or a port with a name. */
export type PortMatch = { readonly first: number; readonly last: number } | { readonly name: string };

function portNumber(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined;
}

/** Reads `80`, `8000:8080` or the name of a port; undefined for any other number. */
export function parsePort(port: unknown): PortMatch | undefined {
  const text = String(port);
  const [, from = '', to = ''] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (from === '') return /^[A-Za-z0-9_.-]{1,128}$/.test(text) ? { name: text } : undefined;
  const first = portNumber(from);
  const last = to === '' ? first : portNumber(to);
  return first === undefined || last === undefined || first > last ? undefined : { first, last };
}

export function portText(port: PortMatch): string {
  if ('name' in port) return port.name;
  return port.first === port.last ? String(port.first) : `${port.first}-${port.last}`;
}
