// Faults made for real in a lab: each is found where it is and called what it is, and nothing else is found.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { breakLab, type FaultPlace, type LabFault, labFaults } from '../support/lab/faults.ts';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import { askNodes } from '../support/lab/node-command.ts';
import type { PlanOptions } from '../support/lab/plan.ts';
import { describeWithPrograms } from '../support/program/parts.ts';

interface Case {
  readonly fault: LabFault;
  readonly at: FaultPlace;
  readonly command: 'status' | 'routes' | 'verify';
  /** What is found, in order: by the id of the fault and where it was made, unless these say otherwise. */
  readonly found: readonly Found[];
}

/** Family and object are looked at only where they are given. */
interface Found {
  readonly id?: string;
  readonly node?: string;
  readonly peer?: string | undefined;
  readonly object?: string;
  readonly family?: 4 | 6;
  /** Part of the message. */
  readonly says?: string;
}

const b: FaultPlace = { node: 'node-b', peer: 'node-a' };
const b6: FaultPlace = { ...b, family: 6 };
const withPeer = { peer: 'node-a' };
const twice = (found: Found): readonly Found[] => [found, found];
const pod = 'kube-system/coredns-7db6d8ff4d-abcde';

const sessionCases: readonly Case[] = [
  { fault: 'birdEnded', at: b, command: 'status', found: [{ object: 'Node node-b' }] },
  { fault: 'birdEnded', at: b6, command: 'status', found: [{ object: 'Node node-b', family: 6 }] },
  {
    fault: 'otherPort',
    at: { node: 'node-a', peer: 'node-b' },
    command: 'status',
    found: [{ object: 'Node node-a', says: 'port 179 of node-a refuses' }],
  },
  { fault: 'filtered', at: b, command: 'status', found: [{ ...withPeer, says: 'gets no answer' }] },
  { fault: 'filtered', at: b6, command: 'status', found: [{ ...withPeer, says: 'gets no answer' }] },
  {
    fault: 'otherAs',
    at: b,
    command: 'status',
    found: twice({
      ...withPeer,
      object: 'Node node-b',
      says: 'expects node-a to have AS 64999, but the resources say 64512',
    }),
  },
  {
    fault: 'otherAs',
    at: b,
    command: 'routes',
    found: [
      { id: 'F44', node: 'node-a', peer: 'node-b', says: 'BGP with node-b is not established' },
      { id: 'F44', ...withPeer, says: 'BGP with node-a is not established' },
    ],
  },
  { fault: 'otherPassword', at: b, command: 'status', found: twice({ object: 'BGPConfiguration default' }) },
  { fault: 'passwordOnOneSide', at: b, command: 'status', found: twice(withPeer) },
  {
    fault: 'sameRouterId',
    at: b,
    command: 'status',
    found: twice({ node: 'node-a', peer: 'node-b', object: 'Node node-a', says: 'share router ID' }),
  },
  {
    fault: 'ownAs',
    at: { node: 'node-c', peer: 'node-a' },
    command: 'status',
    found: [...twice(withPeer), ...twice({ peer: 'node-b', object: 'BGPConfiguration default' })],
  },
  { fault: 'disabled', at: b, command: 'status', found: [{ ...withPeer, says: 'disabled in BIRD on node-b' }] },
  { fault: 'peerMissing', at: b, command: 'status', found: twice({ object: 'Node node-b', says: 'node-a' }) },
  { fault: 'nextHopUnknown', at: b, command: 'status', found: [{ says: '10.244.10.0/26' }] },
  {
    fault: 'nextHopUnknown',
    at: b,
    command: 'routes',
    // IPv6 packets take the default route, through the router, to a node that is on the link.
    found: [
      { ...withPeer, says: '10.244.10.0/26' },
      { id: 'F46', ...withPeer, says: 'fd00:244:0:a::/122' },
    ],
  },
  { fault: 'kernelRefuses', at: b, command: 'status', found: [{ says: '10.244.10.0/26' }] },
  { fault: 'kernelRefuses', at: b, command: 'routes', found: [{ id: 'F47', ...withPeer, says: '10.244.10.0/26' }] },
  { fault: 'kernelLacksRoute', at: b, command: 'routes', found: [{ ...withPeer, says: '10.244.10.0/26' }] },
  { fault: 'kernelLacksRoute', at: b6, command: 'routes', found: [{ ...withPeer, says: 'fd00:244:0:a::/122' }] },
  { fault: 'kernelLacksOwnBlock', at: b, command: 'verify', found: [{ says: '10.244.20.64/26' }] },
];

const kernelCases: readonly Case[] = [
  { fault: 'noBlockRoute', at: b, command: 'routes', found: [{ ...withPeer, says: '10.244.10.0/26' }] },
  { fault: 'noBlockRoute', at: b6, command: 'verify', found: [{ ...withPeer, says: 'fd00:244:0:a::/122' }] },
  { fault: 'noBlackhole', at: b, command: 'routes', found: [{ says: '10.244.20.64/26' }] },
  { fault: 'noBlackhole', at: b6, command: 'verify', found: [{ says: 'fd00:244:0:b::/122' }] },
  { fault: 'foreignRoute', at: b, command: 'routes', found: [{ ...withPeer, says: 'protocol static' }] },
  { fault: 'noForwardingEntry', at: b, command: 'verify', found: [{ ...withPeer, says: 'vxlan.calico' }] },
  { fault: 'noForwardingEntry', at: b6, command: 'verify', found: [{ ...withPeer, says: 'vxlan-v6.calico' }] },
  { fault: 'wrongTunnelNeighbour', at: b, command: 'verify', found: [{ ...withPeer, says: 'vxlan.calico' }] },
  { fault: 'tunnelMtu', at: b, command: 'verify', found: [{ says: 'MTU is 1400, expected 1450' }] },
  { fault: 'noProxyArp', at: b, command: 'verify', found: [{ says: pod }] },
  { fault: 'noForwarding', at: b, command: 'verify', found: [{ says: pod }] },
  { fault: 'noGatewayRoute', at: b, command: 'verify', found: [{ says: '169.254.1.1' }] },
  { fault: 'noHostRoute', at: b, command: 'verify', found: [{ says: pod }] },
  { fault: 'noHostRoute', at: b6, command: 'routes', found: [{ says: pod }] },
  { fault: 'staleNeighbour', at: b, command: 'verify', found: [{ says: '02:00:00:00:00:99' }] },
  { fault: 'podMtu', at: b, command: 'verify', found: [{ says: 'MTU is 1480, expected 1430' }] },
  { fault: 'noIpForward', at: b, command: 'verify', found: [{ says: 'ip_forward is 0' }] },
  { fault: 'uplinkNotForwarding', at: b, command: 'verify', found: [{ says: 'eth0' }] },
];

const r: FaultPlace = { node: 'rr-1', peer: 'node-a' };
/** There is only one reflector, which is reported in any case. */
const lonely: Found = { id: 'F91', node: 'node-a' };

const reflectorCases: readonly Case[] = [
  { fault: 'birdEnded', at: r, command: 'status', found: [{ object: 'Node rr-1' }, lonely] },
  { fault: 'peerMissing', at: r, command: 'status', found: [...twice({ says: 'node-a' }), lonely] },
  {
    fault: 'otherAs',
    at: { node: 'node-a', peer: 'rr-1' },
    command: 'status',
    found: [...twice({ peer: 'rr-1', object: 'Node node-a' }), lonely],
  },
];

const labs: readonly { readonly options: PlanOptions; readonly cases: readonly Case[] }[] = [
  { options: { encapsulation: 'none' }, cases: sessionCases },
  { options: { encapsulation: 'vxlan' }, cases: kernelCases },
  { options: { encapsulation: 'none', reflector: true }, cases: reflectorCases },
];

describeWithPrograms('faults in a lab', labPrograms, () => {
  describe.each(labs)('of $options', ({ options, cases }) => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await startLab({ name: 'faults', ...options });
    });
    afterAll(() => lab?.stop());

    it.each(cases)('$fault at $at.node is found by node $command', async ({ fault, at, command, found }) => {
      const heal = await breakLab(lab, fault, at);
      try {
        const { code, problems } = await askNodes(lab, command);
        const expected = found.map((one) => ({
          id: labFaults[fault].id,
          node: at.node,
          peer: undefined,
          ...one,
          family: one.family ?? 'any',
          object: one.object ?? 'any',
          says: one.says === undefined ? expect.anything() : expect.stringContaining(one.says),
        }));
        const seen = problems.map(({ id, node, peer, ipVersion, object, message }, index) => ({
          id,
          node,
          peer,
          says: message,
          family: found[index]?.family === undefined ? 'any' : ipVersion,
          object: found[index]?.object === undefined ? 'any' : `${object?.kind} ${object?.name}`,
        }));
        expect(seen).toEqual(expected);
        expect(code).toBe(3);
      } finally {
        await heal();
      }
    });

    it('the lab is healthy again when every fault is undone', async () => {
      const answers = [await askNodes(lab, 'status'), await askNodes(lab, 'routes'), await askNodes(lab, 'verify')];
      expect(answers.map(({ code }) => code)).toEqual([0, 0, 0]);
    });
  });
});
