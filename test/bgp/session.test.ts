// Names of BIRD's protocols, both ways. The names are those of recordings of real daemons.
import { describe, expect, it } from 'vitest';
import { peerOfProtocol, protocolName } from '../../src/bgp/session.ts';
import { formatIp, type IpAddress, parseIp } from '../../src/net/ip.ts';

const ip = (text: string): IpAddress => parseIp(text) as IpAddress;

const names = [
  ['Mesh_10_90_0_2', 'mesh', '10.90.0.2', undefined],
  ['Global_10_90_0_254', 'global', '10.90.0.254', undefined],
  ['Node_10_90_0_254_port_1790', 'node', '10.90.0.254', 1790],
  ['Mesh_2001_db8_90__2', 'mesh', '2001:db8:90::2', undefined],
  ['Node_fd00__1_port_179', 'node', 'fd00::1', 179],
  ['Local_Workload_10_244_10_1', 'local-workload', '10.244.10.1', undefined],
] as const;

describe('protocol names', () => {
  it.each(names)('%s is made from its peer and read back', (name, type, address, port) => {
    expect(protocolName(type, ip(address), port)).toBe(name);
    const read = peerOfProtocol(name, address.includes(':') ? 6 : 4);
    expect(read && { ...read, peer: formatIp(read.peer) }).toEqual({ type, peer: address, port });
  });

  it.each(['node_a', 'Mesh_10_90_0', 'Mesh_fd00__1', 'bgp1', 'Global_', 'mesh_10_90_0_2'])(
    '%s is not read as a protocol of Calico',
    (name) => {
      expect(peerOfProtocol(name, 4)).toBeUndefined();
    },
  );
});
