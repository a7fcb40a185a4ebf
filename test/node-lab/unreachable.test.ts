// Nodes that give no answer, half of one or one in another language, next to healthy nodes: each is reported as what it
// is and never as a peer that is down, the others are judged, and nothing takes longer than it may.
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadLab, nodeOptions } from '../support/lab/cluster.ts';
import { type Lab, labPrograms, startLab } from '../support/lab/lab.ts';
import { type LabSshd, labSshPrograms, startLabSshd } from '../support/lab/sshd.ts';
import {
  type Answer,
  askBy,
  askNode,
  type NodeCommand,
  nodeCommands,
  type Way,
  waysTo,
} from '../support/lab/transports.ts';
import { describeWithPrograms, programPath } from '../support/program/parts.ts';
import { describeWithKubelets } from '../support/servers/kubelet.ts';

/** Long enough for the healthy nodes, on a busy machine too. */
const timeoutMs = 10_000;
/** What a command needs in addition to waiting for the nodes. */
const besideMs = 15_000;

/** Who was not seen (`node CODE`, with the family of BIRD), what was found (`ID node`), and the exit code. */
function outcome({ code, document: { unreached, problems } }: Answer): unknown {
  return {
    code,
    unseen: unreached.map((one) => `${one.node} ${one.code}${one.ipVersion === undefined ? '' : ` ${one.ipVersion}`}`),
    found: problems.map(({ id, node }) => `${id} ${node}`),
  };
}

const notAsked = (code: string) => ({ code: 5, unseen: [`node-b ${code}`], found: [] });
const noBird = { code: 5, unseen: ['node-b NODE_PART_UNSEEN 4', 'node-b NODE_PART_UNSEEN 6'], found: [] };
const partUnseen = notAsked('NODE_PART_UNSEEN');
const well = { code: 0, unseen: [], found: [] };

describeWithPrograms('unreachable nodes', [...labPrograms, ...labSshPrograms], () => {
  describeWithKubelets('with kubelets', (server, kubelets) => {
    let lab: Lab;
    let sshd: LabSshd;
    let ways: ReadonlyMap<string, Way>;
    beforeAll(async () => {
      lab = await startLab({ name: 'no answer', encapsulation: 'none' });
      await loadLab(lab, server(), kubelets());
      sshd = await startLabSshd(lab);
      ways = new Map(waysTo(lab, server(), sshd).map((way) => [way.name, way]));
    });
    afterAll(() => lab?.stop());

    const flagsOf = (way: string): readonly string[] => [
      ...(ways.get(way)?.flags ?? []),
      ...['--timeout', `${timeoutMs}ms`],
    ];
    const throughServer = "the API server's exec";

    /** Runs all commands at the same time. The healthy nodes must be judged completely whatever is wrong with node-b. */
    async function askAll(way: string): Promise<Readonly<Record<NodeCommand, Answer>>> {
      const began = performance.now();
      const answers = await Promise.all(
        nodeCommands.map(async (command) => [command, await askNode(command, flagsOf(way))] as const),
      );
      expect(performance.now() - began).toBeLessThan(timeoutMs + besideMs);
      for (const [command, { stderr, document }] of answers) {
        expect(stderr).toBe('');
        expectOthersWell(command, document);
      }
      return Object.fromEntries(answers) as Record<NodeCommand, Answer>;
    }

    const outcomes = async (way: string): Promise<Record<string, unknown>> =>
      Object.fromEntries(Object.entries(await askAll(way)).map(([command, answer]) => [command, outcome(answer)]));

    function expectOthersWell(command: NodeCommand, { items }: Answer['document']): void {
      for (const name of ['node-a', 'node-c']) {
        const own = items.filter(({ node }) => node === name);
        if (command === 'bgp') {
          expect(own.map(({ state }) => state)).toEqual(['Established', 'Established', 'Established', 'Established']);
        } else if (command === 'status') {
          const peers = own.flatMap((item) => item.peers ?? []).map(({ node, state }) => `${node} ${state}`);
          const others = lab.plan.nodes.filter((node) => node.name !== name).map((node) => `${node.name} Established`);
          expect(peers.sort()).toEqual([...others, ...others].sort());
        } else {
          const verdicts = own.flatMap(({ facts, routes }) => (facts ?? routes ?? []).map(({ verdict }) => verdict));
          expect([name, new Set(verdicts)]).toEqual([name, new Set(['ok'])]);
        }
      }
    }

    /** Has commands on node-b run in another way while something is done. */
    async function withNodeB(change: { image?: string; prefix?: readonly string[] }, work: () => Promise<void>) {
      const usual = nodeOptions(lab).filter(({ name }) => name === 'node-b');
      kubelets().runAs(usual.map((options) => ({ ...options, ...change })));
      try {
        await work();
      } finally {
        kubelets().runAs(usual);
      }
    }

    /** A copy of the image with other programs, or without them. */
    function imageWith(name: string, scripts: Readonly<Record<string, string | undefined>>): string {
      const folder = join(lab.folder, `image-${name}`);
      cpSync(kubelets().imageFolder, folder, { recursive: true, verbatimSymlinks: true });
      for (const [program, script] of Object.entries(scripts)) {
        rmSync(join(folder, program));
        if (script !== undefined) writeFileSync(join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      }
      return folder;
    }

    /** A program's answer up to so many bytes, and not to the end of a line: the shell takes that away. */
    const half = (program: string, bytes: number): string =>
      `printf %s "$(${programPath(program)} "$@" | ${programPath('head')} -c ${bytes})"`;

    it('a kubelet that hangs ends at the deadline, and a snapshot records that', async () => {
      await withNodeB({ prefix: ['sh', '-c', 'exec sleep 3600', 'hanging'] }, async () => {
        const [all, alone, recorded] = await Promise.all([
          outcomes(throughServer),
          askNode('status', flagsOf(throughServer), 'node-b'),
          askBy({ flags: flagsOf(throughServer), recorded: true }),
        ]);
        const timedOut = notAsked('NODE_TIMEOUT');
        expect(all).toEqual({ status: timedOut, bgp: timedOut, routes: timedOut, verify: timedOut });
        for (const command of nodeCommands) {
          expect(outcome(recorded[command])).toEqual(timedOut);
          expectOthersWell(command, recorded[command].document);
        }
        expect(outcome(alone)).toEqual({ ...timedOut, code: 1 });
      });
    });

    it('a BIRD that hangs ends at the deadline, and the rest of the node is read', async () => {
      const pid = readFileSync(join(lab.folder, 'node-b', 'run', 'bird.pid'), 'utf8').trim();
      await lab.exec('node-b', ['kill', '-STOP', pid]);
      try {
        const [byExec, bySsh] = await Promise.all([outcomes(throughServer), outcomes('SSH')]);
        // What comes after it is not seen: BIRD for IPv6 too. Routes and facts do not depend on BIRD.
        expect(byExec).toEqual({ status: noBird, bgp: noBird, routes: well, verify: well });
        expect(bySsh).toEqual(byExec);
      } finally {
        await lab.exec('node-b', ['kill', '-CONT', pid]);
      }
    });

    it('a missing birdcl is not reported as a missing BIRD', async () => {
      await withNodeB({ image: imageWith('without-birdcl', { birdcl: undefined }) }, async () => {
        const answers = await askAll(throughServer);
        expect(outcome(answers.status)).toEqual(noBird);
        expect(outcome(answers.bgp)).toEqual(noBird);
        expect(answers.status.document.unreached[0]?.message).toContain('birdcl: not found');
      });
    });

    it('nothing is reported about a Felix that cannot be asked', async () => {
      const away = Object.fromEntries(
        ['calico-node', 'sv', 'ps']
          .filter((name) => existsSync(join(kubelets().imageFolder, name)))
          .map((name) => [name, undefined]),
      );
      await withNodeB({ image: imageWith('without-felix', away) }, async () => {
        const { status } = await askAll(throughServer);
        expect(outcome(status)).toEqual(well);
        expect(status.document.items.map(({ felix }) => felix)).toEqual(['live', undefined, 'live']);
      });
    });

    it('a BIRD without its socket is reported', async () => {
      const path = join(lab.folder, 'node-b', 'run', 'bird.ctl');
      renameSync(path, `${path}.away`);
      try {
        const answers = await askAll(throughServer);
        const found = { code: 3, unseen: [], found: ['F60 node-b'] };
        expect([outcome(answers.status), outcome(answers.bgp)]).toEqual([found, found]);
        expect(answers.status.document.problems[0]?.message).toBe(
          'the control socket of BIRD on node-b does not answer, although it has sessions with node-a, node-c',
        );
        expect([outcome(answers.routes), outcome(answers.verify)]).toEqual([well, well]);
      } finally {
        renameSync(`${path}.away`, path);
      }
    });

    it('output in another language is not parsed', async () => {
      const german = 'echo "BIRD 1.6.8 bereit."; echo "Name Protokoll Tabelle Zustand seit Angaben"';
      const image = imageWith('german', { birdcl: german, ip: 'echo "1: lo: <SCHLEIFE,HOCH> gr 65536"' });
      await withNodeB({ image }, async () => {
        const answers = await askAll(throughServer);
        const { status, bgp, routes, verify } = answers;
        expect([status, bgp, routes, verify].map(outcome)).toEqual([noBird, noBird, partUnseen, partUnseen]);
        expect(status.document.unreached[0]?.message).toContain('not understood');
        expectNothingWrong(answers);
      });
    });

    // In the first line, in a row of the table, in the words below it.
    it.each([10, 200, 700])('the first %i bytes of an answer are not parsed as the answer', async (bytes) => {
      const scripts = { birdcl: half('birdc', bytes), ip: half('ip', bytes) };
      await withNodeB({ image: imageWith(`half-${bytes}`, scripts) }, async () => {
        const answers = await askAll(throughServer);
        expect([answers.status, answers.bgp].map(outcome)).toEqual([noBird, noBird]);
        expect([answers.routes.code, answers.verify.code]).toEqual([5, 5]);
        expectNothingWrong(answers);
      });
    });

    function expectNothingWrong({ routes, verify }: Readonly<Record<NodeCommand, Answer>>): void {
      for (const { document } of [routes, verify]) {
        const verdicts = document.items.flatMap((item) => (item.facts ?? item.routes ?? []).map((one) => one.verdict));
        expect([...new Set(verdicts)].sort()).toEqual(['not observed', 'ok']);
      }
    }

    // The last one: nobody starts the server again.
    it.each(['SSH', "the system's ssh"])('a node without sshd is not reached by %s', async (way) => {
      await sshd.stop('node-b');
      const unreachable = notAsked('NODE_UNREACHABLE');
      expect(await outcomes(way)).toEqual({
        status: unreachable,
        bgp: unreachable,
        routes: unreachable,
        verify: unreachable,
      });
    });
  });
});
