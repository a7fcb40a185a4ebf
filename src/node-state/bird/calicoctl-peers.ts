// Peers as calicoctl reads them from BIRD's control socket, quirks included; calictl's own reading is in bgp/.

export interface CalicoctlPeer {
  readonly address: string;
  readonly type: string;
  readonly state: string;
  readonly since: string;
  readonly info: string;
}

const heading = 'name proto table state since info';
const types: Readonly<Record<string, string>> = {
  Global: 'global',
  Mesh: 'node-to-node mesh',
  Node: 'node specific',
};

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/**
 * The peers in the reply to `show protocols`, or calicoctl's error text for a reply that it cannot read. Disabled peers
 * and local workloads are skipped; a port stays at the end of the address.
 */
export function calicoctlPeers(lines: readonly string[], version: 4 | 6): CalicoctlPeer[] | string {
  const peers: CalicoctlPeer[] = [];
  for (const line of lines) {
    if (line.startsWith('0001')) continue;
    if (line.startsWith('0000')) break;
    if (line.startsWith('2002-')) {
      if (wordsOf(line.slice(5)).join(' ') !== heading) return 'unknown BIRD table output format';
      continue;
    }
    const row = line.startsWith('1002-') ? line.slice(5) : line.startsWith(' ') ? line.slice(1) : undefined;
    if (row === undefined) return 'unexpected output line from BIRD';
    const [name = '', proto, , state = '', since = '', ...info] = wordsOf(row);
    const [, prefix = '', rest = ''] = /^(Global|Node|Mesh)_(.+)$/.exec(name) ?? [];
    if (info.length === 0 || proto !== 'BGP' || prefix === '') continue;
    const address = rest.replaceAll('_', version === 4 ? '.' : ':');
    peers.push({ address, type: types[prefix] ?? '', state, since, info: info.join(' ') });
  }
  return peers;
}
