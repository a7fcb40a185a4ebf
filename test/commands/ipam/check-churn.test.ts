// The check of a busy cluster: pods come and go while it reads, and it reports every damage and nothing else.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { Datastore } from '../../../src/datastore/datastore.ts';
import { openKube } from '../../../src/datastore/kube/kube-datastore.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { type Damage, type DamageName, damageOnce } from '../../support/clusters/damage.ts';
import { cluster, seeded } from '../../support/clusters/seeded-cluster.ts';
import { startChurn } from '../../support/other-clients/churn.ts';
import { run, TestClock, testWorld } from '../../support/program/world.ts';
import { describeWithApiServer } from '../../support/servers/api-server.ts';

const rounds = process.env['LONG'] ? 50 : 12;
/** Faults that need no age; what is judged by age (claims, stray handles) is young on a server that was just loaded. */
const damageNames: readonly DamageName[] = ['leak', 'leak', 'finishedPod', 'missingHandle', 'lostOrdinal'];

interface Found {
  readonly id: string;
  readonly stability: string;
  readonly severity: string;
  readonly address?: string;
  readonly handle?: string;
  readonly object: { readonly kind: string; readonly name: string };
}

/** One line per stable finding: the damage that it is about, or the finding itself. */
function linesOf(findings: readonly Found[], damages: readonly Damage[]): string[] {
  const lines = findings
    .filter(({ stability, severity }) => stability === 'stable' && severity !== 'info')
    .map(({ id, address, handle, object }) => {
      const damage = damages.find(
        ({ invariants, where }) => invariants.includes(id) && [address, handle, object.name].includes(where),
      );
      return damage === undefined ? `not damaged: ${id} ${address ?? object.name}` : lineOf(damage);
    });
  return [...new Set(lines)].sort();
}

const lineOf = ({ name, where }: Damage): string => `${name} ${where}`;

describeWithApiServer('ipam check next to a cluster at work', (server) => {
  let store: Datastore;
  beforeAll(async () => {
    const world = testWorld();
    store = await openKube(await kubeConnection({ kubeconfig: server().kubeconfig }, world), world);
  });
  afterAll(() => store.close());

  it(`ipam check reports each damage and no other in ${rounds} checks of a busy cluster, and --fix frees no address in use`, async () => {
    const { admin, kubeconfig } = server();
    const env = { KUBECONFIG: kubeconfig };
    const check = async (
      ...args: string[]
    ): Promise<{ findings: Found[]; fix?: { failed: number; items: FixItem[] } }> => {
      const clock = new TestClock(new Date());
      const { stdout, stderr } = await run(['ipam', 'check', '-o', 'json', ...args], { env, clock });
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    };
    const whole = cluster({ seed: 11, nodes: 3, podsPerNode: 8, madeAt: new Date(Date.now() - 86_400_000) });
    const random = seeded(9);
    const damages = damageNames.map((name) => damageOnce(name, whole, random) as Damage);
    await admin.load(whole.objects);
    await admin.request('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'churn' },
    });
    const churn = startChurn({
      store,
      setStatus: async (pod) => {
        const path = `/api/v1/namespaces/churn/pods/${pod.metadata.name}/status`;
        expect((await admin.request('PUT', path, pod)).status).toBe(200);
      },
      blocks: whole.objects.filter(({ kind }) => kind === 'IPAMBlock').map(blockAndNode),
      workers: 4,
      longestPauseMs: 40,
      seed: 5,
    });
    try {
      for (let round = 0; round < rounds; round += 1) {
        // Twice the longest time that an address of the churn has stayed allocated so far, and never below two seconds.
        const grace = `${Math.max(2000, churn.longestLifeMs() * 2)}ms`;
        const { findings } = await check('--grace', grace);
        expect(linesOf(findings, damages), `round ${round}, grace ${grace}`).toEqual(damages.map(lineOf).sort());
      }
      expect(churn.pods()).toBeGreaterThan(rounds);

      const journal = join(mkdtempSync(join(tmpdir(), 'calictl-churn-')), 'journal.jsonl');
      const heldBefore = new Set(churn.held);
      const { fix } = await check('--fix', '--grace', '5s', '--journal', journal);
      const released = (fix?.items ?? [])
        .filter(({ outcome, finding }) => outcome === 'applied' && finding.repair?.primitive === 'R1')
        .map(({ finding }) => finding.address);
      expect(fix?.failed).toBe(0);
      expect(released.sort()).toEqual(
        damages
          .filter(({ invariants }) => releasedFaults.includes(invariants[0] ?? ''))
          .map(({ where }) => where)
          .sort(),
      );
      for (const address of [...heldBefore, ...churn.held]) expect(released).not.toContain(address);
    } finally {
      await churn.stop();
    }
    const { findings } = await check('--grace', '0');
    expect(linesOf(findings, damages)).toEqual([]);
  }, 600_000);
});

const releasedFaults: readonly string[] = ['INV-53', 'INV-60'];

interface FixItem {
  readonly outcome: string;
  readonly finding: Found & { readonly repair?: { readonly primitive: string } };
}

function blockAndNode({ metadata, spec }: KubeObject): { name: string; node: string } {
  const { affinity } = spec as { affinity: string };
  return { name: metadata.name, node: affinity.slice('host:'.length) };
}
