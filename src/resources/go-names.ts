// The names that fields have in Calico's Go code, by which templates of `get` name them: `.Spec.IPIPMode`.
import type { Kind } from './kind.ts';

/** Words with which the name of a field may begin that Go does not write with one capital letter only. */
const firstWords: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'API',
    'AS',
    'AWS',
    'BGP',
    'BIRD',
    'BPF',
    'CIDR',
    'DSCP',
    'HTTP',
    'ICMP',
    'IP',
    'IPIP',
    'IPv4',
    'IPv6',
    'MAC',
    'MTU',
    'NAT',
    'QoS',
    'TCP',
    'TTL',
    'UDP',
    'UID',
    'VXLAN',
    'XDP',
  ].map((word) => [word.toLowerCase(), word]),
);

/** What has fields of which some have odd names. */
export type GoNamed = Pick<Kind, 'goNames'>;

/**
 * The name that the field at a path like `spec.ipipMode` has in Calico's Go code: `IPIPMode`. The rule is that of most
 * fields: the first word is capitalised. What is different in a kind is in its `goNames`.
 */
export function goName(kind: GoNamed, path: string): string {
  const special = kind.goNames?.[path];
  if (special !== undefined) return special;
  if (path === 'metadata') return 'ObjectMeta';
  const name = path.slice(path.lastIndexOf('.') + 1);
  const [first = ''] = /^[a-z0-9]*/.exec(name) ?? [];
  const word = firstWords[first] ?? first.slice(0, 1).toUpperCase() + first.slice(1);
  return word + name.slice(first.length);
}
