// The files that Calico's renderer made of sixty sets of objects, and those that calictl makes of them.
import { describe, expect, it } from 'vitest';
import { birdFileNames } from '../../src/bird-config/bird-files.ts';
import { complaintsOfBird } from '../support/bird/bird-parser.ts';
import { readRecordings } from '../support/bird/recordings.ts';
import { renderedSet, statements } from '../support/bird/render-set.ts';
import { describeWithPrograms } from '../support/program/parts.ts';

const recordings = readRecordings();

it('there are sixty recordings, and they have every statement that depends on objects', () => {
  expect(recordings).toHaveLength(60);
  const all = recordings.flatMap(({ files }) => Object.values(files)).join('');
  const forms = [
    ...['protocol bgp Mesh_10_', 'protocol bgp Mesh_fd00_', 'protocol bgp Global_', 'protocol bgp Node_', '_port_1790'],
    ...[
      'passive on;',
      'graceful restart time 0;',
      'graceful restart time 120;',
      'rr client;',
      'rr cluster id 244.0.0.1;',
    ],
    ...[
      'password "mesh secret";',
      'next hop self;',
      'next hop keep;',
      'allow local as 3;',
      'ttl security on;',
      'local as 65010;',
    ],
    ...['listen bgp address', 'listen bgp port 500;', 'debug all;', '-"docker*"', 'bgp_community.add((65000, 1));'],
    ...['bgp_large_community.add((64512, 1, 2));', 'krt_tunnel = "tunl0";', 'bgp_next_hop ~', '/32 via 10.90.0.25'],
    ...[
      "'bgp_longer-",
      'RTS_BGP',
      '(ifname ~ "*.calico")',
      '{8,28}',
      'route 10.96.0.0/12 blackhole;',
      'route 10.112.1.7/32',
    ],
  ];
  expect(forms.filter((form) => !all.includes(form))).toEqual([]);
});

describe.each(recordings.map((recording, at) => [at + 1, recording] as const))('recording %i', (_at, recording) => {
  it('bird render writes the files that Calico wrote', () => {
    const { files } = renderedSet(recording);
    for (const file of birdFileNames) {
      expect(statements(files[file]), file).toEqual(recording.files[file].trim().split('\n'));
    }
  });
});

describeWithPrograms('with BIRD', ['bird', 'bird6'], () => {
  it.each(recordings.map((recording, at) => [at + 1, recording] as const))(
    'BIRD refuses what bird render writes for recording %i exactly when calictl says so',
    (_at, recording) => {
      const { files, remarks } = renderedSet(recording);
      const refused = remarks.filter((one) => one.refused).map(({ message }) => message);
      const complaints = complaintsOfBird(files);
      expect(complaints.length > 0, JSON.stringify({ complaints, refused })).toBe(refused.length > 0);
    },
  );
});
