// The roles of docs/reference/rbac.md as the page adapts them for projectcalico.org/v3, on a real API server: enough for the
// commands that read, write and change IPAM, and needed for them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isOnCommandLine } from '../../src/resources/kind.ts';
import { kinds } from '../../src/resources/kinds.ts';
import { printJson } from '../../src/text/json.ts';
import { binding, nativeRoles, untilAllowed, words } from '../support/pages/roles.ts';
import { type Ran, run, TestClock } from '../support/program/world.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';
import { RecordingProxy } from '../support/servers/recording-proxy.ts';

describeWithApiServer(
  'rbac in projectcalico.org/v3',
  (server) => {
    const home = mkdtempSync(join(tmpdir(), 'calictl-rbac-'));
    const proxies: RecordingProxy[] = [];
    afterAll(() => {
      rmSync(home, { recursive: true });
      for (const proxy of proxies) proxy.stop();
    });

    async function as(user: string): Promise<(line: string, stdin?: string) => Promise<Ran & { refused: string[] }>> {
      const proxy = new RecordingProxy(server(), user);
      proxies.push(proxy);
      const endpoint = await proxy.start();
      return async (line, stdin = '') => {
        const from = proxy.asked.length;
        const clock = new TestClock('2026-03-05T10:00:00Z');
        const ran = await run(line, { env: { K8S_API_ENDPOINT: endpoint, HOME: home }, clock, stdin });
        return {
          ...ran,
          refused: proxy.asked
            .slice(from)
            .filter(({ status }) => status === 403)
            .map(words),
        };
      };
    }

    let admin: Awaited<ReturnType<typeof as>>;
    let nobody: Awaited<ReturnType<typeof as>>;
    beforeAll(async () => {
      await server().admin.load(nativeRoles());
      for (const role of nativeRoles()) {
        if (!/reader|editor|repairer/.test(role.metadata.name) || /node/.test(role.metadata.name)) continue;
        await server().admin.load([binding(role, 'of-roles')]);
        await untilAllowed(server(), 'of-roles', role);
      }
      await server().admin.load([{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } }]);
      admin = await as('of-roles');
      nobody = await as('nobody');
    });

    const pool = {
      apiVersion: 'projectcalico.org/v3',
      kind: 'IPPool',
      metadata: { name: 'added' },
      spec: { cidr: '10.99.0.0/16' },
    };
    const lines: readonly (readonly [line: string, stdin?: string])[] = [
      ['create -f -', printJson(pool)],
      ['ipam assign --node node-a --ipv4 --handle of-a-test --pool added'],
      ['ipam configure --strictaffinity true'],
      ...kinds
        .filter(isOnCommandLine)
        .map(({ aliases: [alias = ''], namespaced }) => [`get ${alias}${namespaced ? ' -A' : ''} -o name`] as const),
      ['ipam show --show-blocks'],
      ['ipam check'],
      ['ipam affinity list'],
      ['label ippool added rack=r7'],
      ['ipam release --handle of-a-test --yes'],
      ['delete ippool added --yes'],
    ];

    it.each(lines.map(([line, stdin = '']) => [line, stdin] as const))(
      'the roles for projectcalico.org/v3 are enough, and needed, for: %s',
      async (line, stdin) => {
        const without = await nobody(line, stdin);
        expect(without.code, line).not.toBe(0);
        const { code, stderr, refused } = await admin(line, stdin);
        expect(refused).toEqual([]);
        // What ipam check finds does not matter here.
        expect(code, stderr).toBe(line === 'ipam check' && code === 3 ? 3 : 0);
      },
    );
  },
  'projectcalico.org/v3',
);
