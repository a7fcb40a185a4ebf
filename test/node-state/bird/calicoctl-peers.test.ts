// Peers as calicoctl 3.31.4 reads them off BIRD's control socket; what it printed for these replies was looked up there.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { calicoctlPeers } from '../../../src/node-state/bird/calicoctl-peers.ts';

const greeting = '0001 BIRD 1.6.8 ready.';
const heading = '2002-name     proto    table    state  since       info';
const read = (rows: readonly string[], version: 4 | 6 = 4) => calicoctlPeers([greeting, heading, ...rows], version);

describe('calicoctlPeers', () => {
  it('calicoctl lists mesh, node and global peers, and leaves a port in the address', () => {
    const rows = [
      '1002-kernel1  Kernel   master   up     00:23:33    ',
      ' Mesh_10_9_9_2 BGP      master   start  00:23:33    Active        ',
      ' Node_10_9_9_3_port_1790 BGP      master   start  00:23:33    Passive       ',
      ' Global_10_9_9_4 BGP      master   start  2026-01-01  Active        Socket: Connection refused',
      '0000 ',
    ];
    expect(read(rows)).toEqual([
      { address: '10.9.9.2', type: 'node-to-node mesh', state: 'start', since: '00:23:33', info: 'Active' },
      { address: '10.9.9.3.port.1790', type: 'node specific', state: 'start', since: '00:23:33', info: 'Passive' },
      {
        address: '10.9.9.4',
        type: 'global',
        state: 'start',
        since: '2026-01-01',
        info: 'Active Socket: Connection refused',
      },
    ]);
    const [six] = read(['1002-Mesh_fd00__1 BGP      master   up     00:00:01    Established   ', '0000 '], 6);
    expect(six).toMatchObject({ address: 'fd00::1' });
  });

  it('calicoctl skips disabled peers, local workloads and protocols with other names', () => {
    const rows = [
      '1002-Mesh_10_9_9_2 BGP      master   down   00:23:33    ',
      ' Local_Workload_10_9_9_3 BGP      master   up     00:23:33    Established   ',
      ' fabric   BGP      master   up     00:23:33    Established   ',
    ];
    expect(read([...rows, '0000 '])).toEqual([]);
    expect(read(rows)).toEqual([]);
    expect(calicoctlPeers([greeting, '0000 '], 4)).toEqual([]);
  });

  it('calicoctlPeers reads the recorded bytes of a real daemon', () => {
    const file = new URL('../../fixtures/birdc/raw.show-protocols.v4.txt', import.meta.url);
    const peers = calicoctlPeers(readFileSync(file, 'utf8').split('\n'), 4);
    expect(typeof peers === 'string' ? peers : peers.map(({ address, info }) => `${address} ${info}`)).toEqual([
      ...[
        '10.90.0.2 Established',
        '10.90.0.77 Passive',
        '10.90.1.3 Idle BGP Error: Bad peer AS',
        '10.90.0.254 Established',
      ],
      ...['10.90.0.254.port.1790 Active Socket: Connection refused', '10.90.1.254 Connect'],
      '10.90.0.78 Active Socket: No route to host',
    ]);
  });

  it('an unknown reply gives the error text of calicoctl', () => {
    expect(calicoctlPeers([greeting, '2002-name proto table state since'], 4)).toBe('unknown BIRD table output format');
    expect(calicoctlPeers([greeting, '9001 syntax error'], 4)).toBe('unexpected output line from BIRD');
  });
});
