// Generated scenarios: calictl in compat mode does what calicoctl does, on a cluster of its own. Exit codes, both streams
// and all stored objects are compared; what differs on purpose is in differences.ts. CALICOCTL and CALICOCTL_332 name the
// programs. PARITY_SEED=N runs one scenario, PARITY_SEED=N-M those from one to the other; LONG=1 runs thousands of command
// lines.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CalicoApi, customResourceApi, v3ApiVersion } from '../../../src/resources/kind.ts';
import { describeWithParts } from '../../support/program/parts.ts';
import { startApiServer } from '../../support/servers/api-server.ts';
import { ScenarioCluster } from './cluster.ts';
import { builtCalictl, compare, type Difference, inProcess, processOf, type Side } from './compare.ts';
import { reasonFor } from './differences.ts';
import { scenarioOf } from './scenario.ts';
import { subjectsOf } from './subjects.ts';

const isLong = Boolean(process.env['LONG']);
/** The first and the last seed that the environment asks for. */
const chosen = process.env['PARITY_SEED']?.split('-').map(Number);

interface Suite {
  readonly name: string;
  readonly variable: string;
  readonly calicoApi: CalicoApi;
  readonly schemas: string;
  /** How many command lines are compared at least. */
  readonly cases: number;
}

const suites: readonly Suite[] = [
  {
    name: 'calicoctl 3.31.4 on crd.projectcalico.org/v1',
    variable: 'CALICOCTL',
    calicoApi: customResourceApi,
    schemas: 'crds',
    cases: isLong ? 3000 : 150,
  },
  {
    name: 'calicoctl 3.32.1 on projectcalico.org/v3',
    variable: 'CALICOCTL_332',
    calicoApi: v3ApiVersion,
    schemas: 'crds-v3',
    cases: isLong ? 500 : 50,
  },
];

/** One scenario of so many is run by the built program, when all are: then `npm run build` comes first. */
const builtEvery = isLong ? 20 : Number.POSITIVE_INFINITY;

function report({ seed, step, command, inputs, expected, actual }: Difference): string {
  const where = step === 0 ? 'after all steps' : `step ${step}: calicoctl ${command}`;
  return `PARITY_SEED=${seed}, ${where}\n${inputs}\n=== calicoctl\n${expected}\n=== calictl\n${actual}`;
}

describe.each(suites)('generated scenarios next to $name', ({ variable, calicoApi, schemas, cases }) => {
  const program = process.env[variable];
  const skipped = program === undefined ? ` (skipped: ${variable} does not name one)` : '';
  describe.skipIf(program === undefined)(`the same command lines on two clusters${skipped}`, () => {
    describeWithParts('of a real kube-apiserver', ['etcd', 'kube-apiserver'], () => {
      const folder = mkdtempSync(join(tmpdir(), 'calictl-scenarios-'));
      let clusters: readonly [ScenarioCluster, ScenarioCluster];

      beforeAll(async () => {
        const servers = [startApiServer(join(folder, 'a'), calicoApi), startApiServer(join(folder, 'b'), calicoApi)];
        const filled = servers.map(async (server) => ScenarioCluster.on(await server, calicoApi));
        clusters = (await Promise.all(filled)) as [ScenarioCluster, ScenarioCluster];
      });

      afterAll(() => {
        for (const { server } of clusters ?? []) server.stop();
        rmSync(folder, { recursive: true, force: true });
      });

      it(
        'calictl answers and stores the same',
        async () => {
          const subjects = subjectsOf(schemas);
          const theirs: Side = { cluster: clusters[0], program: processOf([program ?? '']) };
          const defects: string[] = [];
          let compared = 0;
          const [first = 1, last = first] = chosen ?? [1, Number.POSITIVE_INFINITY];
          for (let seed = first; seed <= last && (chosen !== undefined || compared < cases); seed++) {
            const ours = seed % builtEvery === 0 ? builtCalictl : inProcess;
            const scenario = scenarioOf(seed, subjects, calicoApi === customResourceApi);
            const outcome = await compare(scenario, { theirs, ours: { cluster: clusters[1], program: ours } });
            compared += outcome.cases;
            const { difference } = outcome;
            if (difference !== undefined && reasonFor(difference) === undefined) defects.push(report(difference));
          }
          expect(defects.join('\n\n')).toBe('');
        },
        isLong || chosen !== undefined ? 1_800_000 : 120_000,
      );
    });
  });
});
