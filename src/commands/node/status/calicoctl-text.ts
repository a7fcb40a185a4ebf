// What calicoctl's `node status` prints: whether Calico runs on this machine, and the peers of its BIRDs.
import type { CalicoctlPeer } from '../../../node-state/bird/calicoctl-peers.ts';
import { grid } from '../../../output/grid.ts';

export type CalicoctlFamily =
  | { readonly version: 4 | 6; readonly state: 'not running' }
  /** What the connection to its socket said. */
  | { readonly version: 4 | 6; readonly state: 'not connected'; readonly why: string }
  | { readonly version: 4 | 6; readonly state: 'answered'; readonly peers: readonly CalicoctlPeer[] }
  /** Its reply ends the command: the error follows on stderr. */
  | { readonly version: 4 | 6; readonly state: 'not understood' };

const processOf = (version: 4 | 6): string => (version === 4 ? 'bird' : 'bird6');

function familyText(family: CalicoctlFamily): string {
  const { version } = family;
  if (family.state === 'not running')
    return `\nINFO: BIRDv${version} process: '${processOf(version)}' is not running.\n`;
  const title = `\nIPv${version} BGP status\n`;
  if (family.state === 'not connected')
    return `${title}Error querying BIRD: unable to connect to BIRDv${version} socket: ${family.why}`;
  if (family.state === 'not understood') return title;
  if (family.peers.length === 0) return `${title}No IPv${version} peers found.\n`;
  const rows = family.peers.map(({ address, type, state, since, info }) => [address, type, state, since, info]);
  return title + grid(['Peer address', 'Peer type', 'State', 'Since', 'Info'], rows);
}

/** All families; an error that ends the command leaves out what would follow. */
export function calicoctlNodeStatusText(families: readonly CalicoctlFamily[]): string {
  const running = families.some(({ state }) => state !== 'not running');
  const text = running ? families.map(familyText).join('') : '\nThe BGP backend process (BIRD) is not running.\n';
  const isInterrupted = families.some(({ state }) => state === 'not understood');
  return `Calico process is running.\n${text}${isInterrupted ? '' : '\n'}`;
}
