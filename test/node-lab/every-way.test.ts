// One lab asked by every way to its nodes: through a real API server, by SSH, in its namespaces, and from snapshots. All
// say the same of it, well or broken; what a way cannot see is not observed.
import { rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLab, refreshLab } from '../support/lab/cluster.ts';
import { breakLab, type FaultPlace, type LabFault, labFaults } from '../support/lab/faults.ts';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import type { PlanOptions } from '../support/lab/plan.ts';
import { labSshPrograms, startLabSshd } from '../support/lab/sshd.ts';
import {
  type Answers,
  askBy,
  askNode,
  comparable,
  factsOfFiles,
  felixOf,
  nodeCommands,
  type Way,
  waysTo,
} from '../support/lab/transports.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { describeWithKubelets } from '../support/servers/kubelet.ts';

type Case = readonly [fault: LabFault, place: FaultPlace];

const long = process.env['LONG'] !== undefined;
const b: FaultPlace = { node: 'node-b', peer: 'node-a' };
const b6: FaultPlace = { ...b, family: 6 };

/** One of each sort: BIRD, its configuration, its connections, the kernel's routes, settings and tunnels. */
const someCases: readonly Case[] = [
  ['birdEnded', b],
  ['otherAs', b],
  ['otherPassword', b],
  ['filtered', b],
  ['noBlockRoute', b],
  ['noProxyArp', b],
  ['noForwardingEntry', b6],
];

const moreCases: readonly Case[] = [
  ['birdEnded', b6],
  ['otherPort', { node: 'node-a', peer: 'node-b' }],
  ['passwordOnOneSide', b],
  ['sameRouterId', b],
  ['ownAs', { node: 'node-c', peer: 'node-a' }],
  ['disabled', b],
  ['peerMissing', b],
  ['noBlackhole', b],
  ['foreignRoute', b],
  ['wrongTunnelNeighbour', b],
  ['tunnelMtu', b],
  ['noForwarding', b],
  ['noGatewayRoute', b],
  ['noHostRoute', b],
  ['staleNeighbour', b],
  ['podMtu', b],
  ['noIpForward', b],
  ['uplinkNotForwarding', b],
];

const withoutTunnel: readonly Case[] = [
  ['nextHopUnknown', b],
  ['kernelRefuses', b],
  ['kernelLacksRoute', b6],
  ['kernelLacksOwnBlock', b],
];

const r: FaultPlace = { node: 'rr-1', peer: 'node-a' };

const labs: readonly { readonly options: PlanOptions; readonly cases: readonly Case[] }[] = [
  { options: { encapsulation: 'vxlan' }, cases: long ? [...someCases, ...moreCases] : someCases },
  ...(long
    ? [
        { options: { encapsulation: 'none' }, cases: withoutTunnel } as const,
        { options: { encapsulation: 'none', reflector: true }, cases: [['birdEnded', r] as const] } as const,
      ]
    : []),
];

/** How often the nodes are queried again when their state changes between the queries. */
const attempts = 4;

interface Said {
  readonly way: Way;
  readonly answers: Answers;
}

describeWithPrograms('every transport to nodes', [...labPrograms, ...labSshPrograms], () => {
  describeWithKubelets('with kubelets', (server, kubelets) => {
    describe.each(labs)('of a lab with $options', { timeout: long ? 240_000 : 120_000 }, ({ options, cases }) => {
      let lab: Lab;
      let ways: readonly Way[];
      beforeAll(async () => {
        await server().admin.reset();
        lab = await startLab({ name: 'every way', ...options });
        await loadLab(lab, server(), kubelets());
        ways = waysTo(lab, server(), await startLabSshd(lab));
      });
      afterAll(() => lab?.stop());

      const askAll = (): Promise<Said[]> => Promise.all(ways.map(async (way) => ({ way, answers: await askBy(way) })));

      /** Queries over all transports until they agree, at most so often; returns the last results. */
      async function askUntilEqual(): Promise<readonly Said[]> {
        for (let left = attempts; ; left -= 1) {
          const said = await askAll();
          const [first, ...others] = said.map(({ answers }) => comparable(answers, lab));
          if (left === 1 || others.every((one) => isDeepStrictEqual(one, first))) return said;
        }
      }

      function expectEqual(said: readonly Said[]): void {
        const [first, ...others] = said;
        const { way: firstWay, answers } = first as Said;
        for (const other of others) {
          expect({ between: [firstWay.name, other.way.name], said: comparable(other.answers, lab) }).toEqual({
            between: [firstWay.name, other.way.name],
            said: comparable(answers, lab),
          });
        }
      }

      /** What a transport does not see is reported as not observed, and not as right. */
      function expectSeen(said: readonly Said[]): void {
        for (const { way, answers } of said) {
          const verdicts = factsOfFiles(answers).map(({ verdict }) => verdict);
          const expected = lab.plan.nodes
            .flatMap(() => ['node', 'MTU'])
            .map(() => (way.seesFiles ? 'ok' : 'not observed'));
          expect([way.name, ...verdicts]).toEqual([way.name, ...expected]);
        }
      }

      it('every transport reports the same of healthy nodes', async () => {
        const said = await askUntilEqual();
        expectEqual(said);
        expectSeen(said);
        for (const { way, answers } of said) {
          expect([way.name, ...felixOf(answers)]).toEqual([way.name, ...lab.plan.nodes.map(() => way.felix)]);
          for (const command of nodeCommands) {
            const { code, stderr, document } = answers[command];
            const { problems, unreached, items } = document;
            const errors = problems.filter(({ severity }) => severity === 'error');
            expect({ code, stderr, errors, unreached }).toEqual({ code: 0, stderr: '', errors: [], unreached: [] });
            expect(items.length).toBeGreaterThanOrEqual(lab.plan.nodes.length);
          }
        }
      });

      it.each(cases)('every transport reports the same of %s at %j', async (fault, place) => {
        const heal = await breakLab(lab, fault, place);
        try {
          await refreshLab(lab, server());
          const said = await askUntilEqual();
          expectEqual(said);
          expectSeen(said);
          const { answers } = said[0] as Said;
          const found = nodeCommands.filter((command) =>
            answers[command].document.problems.some(({ id }) => id === labFaults[fault].id),
          );
          expect(found).not.toEqual([]);
          for (const command of found) expect(answers[command].code).toBe(3);
        } finally {
          await heal();
          await refreshLab(lab, server());
        }
      });

      it('a stuck Felix is reported where its own check can be run', async () => {
        const file = kubelets().felixProblemFile('node-b');
        writeFileSync(file, 'no answer');
        try {
          for (const way of ways.filter(({ recorded }) => !recorded)) {
            const { code, document } = await askNode('status', way.flags);
            const told = way.felix === 'live';
            const felix = lab.plan.nodes.map(({ name }) => (told && name === 'node-b' ? 'not live' : way.felix));
            expect([way.name, ...document.items.map((item) => item.felix)]).toEqual([way.name, ...felix]);
            const found = document.problems.map(({ id, node }) => `${id} ${node}`);
            expect(found.includes('F110 node-b')).toBe(told);
            expect(code).toBe(told ? 3 : 0);
          }
        } finally {
          rmSync(file);
        }
      });
    });
  });
});
