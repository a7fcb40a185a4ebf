// Traffic limits of a pod, from its annotations, as a WorkloadEndpoint shows them.

const suffixes: Readonly<Record<string, readonly [numerator: bigint, denominator: bigint]>> = {
  n: [1n, 10n ** 9n],
  u: [1n, 10n ** 6n],
  m: [1n, 1000n],
  '': [1n, 1n],
  k: [1000n, 1n],
  M: [10n ** 6n, 1n],
  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],
  P: [10n ** 15n, 1n],
  E: [10n ** 18n, 1n],
  Ki: [2n ** 10n, 1n],
  Mi: [2n ** 20n, 1n],
  Gi: [2n ** 30n, 1n],
  Ti: [2n ** 40n, 1n],
  Pi: [2n ** 50n, 1n],
  Ei: [2n ** 60n, 1n],
};

/** A Kubernetes quantity rounded up to a whole number, or undefined for any other text. */
export function parseQuantity(text: string): bigint | undefined {
  const match = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, digits = '', suffix = '', exponent = '0'] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  const [times, per] = suffixes[suffix] ?? [1n, 1n];
  const power = Number(exponent);
  const numerator = BigInt(whole + fraction) * times * 10n ** BigInt(Math.max(power, 0));
  const denominator = per * 10n ** BigInt(fraction.length + Math.max(-power, 0));
  const value = (numerator + denominator - 1n) / denominator;
  return sign === '-' ? -value : value;
}

const bits: readonly [bigint, bigint] = [1000n, 10n ** 15n];
const bursts: readonly [bigint, bigint] = [1000n, (2n ** 32n - 1n) * 8n];
const peaks: readonly [bigint, bigint] = [1010n, 101n * 10n ** 13n];
const smallBursts: readonly [bigint, bigint] = [1000n, 10n ** 8n];
const packets: readonly [bigint, bigint] = [1n, 10_000n];
const connections: readonly [bigint, bigint] = [1n, 2n ** 32n - 1n];

const limits = {
  Bandwidth: bits,
  Burst: bursts,
  Peakrate: peaks,
  Minburst: smallBursts,
  PacketRate: packets,
  PacketBurst: packets,
  MaxConnections: connections,
} as const;

type Limit = keyof typeof limits;
type Annotations = Readonly<Record<string, string>> | null | undefined;

/** The value of a limit, within its bounds; 0 when it is unset or not a quantity. */
function amountOf(annotations: Annotations, direction: 'ingress' | 'egress', limit: Limit): bigint {
  const own = annotations?.[`qos.projectcalico.org/${direction}${limit}`];
  const text = own ?? (limit === 'Bandwidth' ? annotations?.[`kubernetes.io/${direction}-bandwidth`] : undefined);
  const value = text === undefined ? undefined : parseQuantity(text);
  if (value === undefined) return 0n;
  const [least, most] = limits[limit];
  if (value < least) return least;
  if (value > most) return most;
  return value;
}

const defaultBurst = 2n ** 32n;
const defaultPacketBurst = 5n;

/** The limits of one direction that are set, without those that need another one which is unset. */
function directionOf(annotations: Annotations, direction: 'ingress' | 'egress'): [string, number][] {
  const value = (limit: Limit) => amountOf(annotations, direction, limit);
  const bandwidth = value('Bandwidth');
  const peakrate = bandwidth > 0n && value('Peakrate') > bandwidth ? value('Peakrate') : 0n;
  const packetRate = value('PacketRate');
  const found: [Limit, bigint][] = [
    ['Bandwidth', bandwidth],
    ['Burst', bandwidth === 0n ? 0n : value('Burst') || defaultBurst],
    ['Peakrate', peakrate],
    ['Minburst', peakrate === 0n ? 0n : value('Minburst')],
    ['PacketRate', packetRate],
    ['PacketBurst', packetRate === 0n ? 0n : value('PacketBurst') || defaultPacketBurst],
    ['MaxConnections', value('MaxConnections')],
  ];
  return found.filter(([, amount]) => amount !== 0n).map(([limit, amount]) => [direction + limit, Number(amount)]);
}

/** True for an annotation that sets a limit, by its key. */
export function concernsQos(key: string): boolean {
  return key.startsWith('qos.projectcalico.org/') || /^kubernetes\.io\/(in|e)gress-bandwidth$/.test(key);
}

/** The limits that the annotations set, or undefined when they set none. */
export function qosControlsOf(annotations: Annotations): Record<string, unknown> | undefined {
  // Few of the thousands of pods in a list have any.
  if (!Object.keys(annotations ?? {}).some(concernsQos)) return undefined;
  const controls: Record<string, unknown> = Object.fromEntries([
    ...directionOf(annotations, 'ingress'),
    ...directionOf(annotations, 'egress'),
  ]);
  const dscp = annotations?.['qos.projectcalico.org/dscp'];
  if (dscp) controls['dscp'] = /^\d+$/.test(dscp) ? Number(dscp) : dscp;
  return Object.keys(controls).length === 0 ? undefined : controls;
}
