// edit on a real API server: every kind that can be edited keeps what calictl does not show, and nothing of others is lost.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { CalicoApi } from '../../src/resources/kind.ts';
import { parseJson } from '../../src/text/json.ts';
import { type Ran, run } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const manifests = `apiVersion: projectcalico.org/v3
kind: IPPool
metadata: {name: pool-1, labels: {team: shop}}
spec: {cidr: 10.1.0.0/16}
---
apiVersion: projectcalico.org/v3
kind: GlobalNetworkPolicy
metadata: {name: allow}
spec: {selector: all(), ingress: [{action: Allow, protocol: TCP, destination: {ports: [80]}}]}
---
apiVersion: projectcalico.org/v3
kind: BGPConfiguration
metadata: {name: default}
spec: {asNumber: 64512}
`;

const root = mkdtempSync(join(tmpdir(), 'calictl-edit-server-'));
const left: string[] = [];
afterAll(() => {
  for (const path of [root, ...left]) rmSync(path, { recursive: true, force: true });
});

/** A program that changes the file in place of a person. */
function editor(script: string): string {
  const path = join(root, 'editor');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const apis: readonly CalicoApi[] = ['crd.projectcalico.org/v1', 'projectcalico.org/v3'];

for (const api of apis) {
  describeWithApiServer(
    `edit on ${api}`,
    (server: () => ApiServer) => {
      const calictl = (line: string, { stdin = '', edit = 'true' } = {}): Promise<Ran> =>
        run(line, {
          env: { KUBECONFIG: server().kubeconfig, PATH: process.env['PATH'] ?? '', EDITOR: editor(edit) },
          stdin,
        });
      beforeEach(async () => {
        await server().admin.reset();
        expect((await calictl('apply -f -', { stdin: manifests })).code).toBe(0);
      });
      const spec = async (name: string): Promise<unknown> =>
        (parseJson((await calictl(`get ${name} -o json`)).stdout) as { spec: unknown }).spec;

      it(`on ${api} what is edited is stored, and the rest of the objects stays`, async () => {
        const before = await Promise.all(
          ['ippool pool-1', 'globalnetworkpolicy allow', 'bgpconfiguration default'].map(spec),
        );
        const edit = `sed -i -e 's/vxlanMode: Never/vxlanMode: Always/' -e 's/- 80/- 81/' -e 's/asNumber: 64512/asNumber: 64513/' "$1"`;
        const { code, stdout, stderr } = await calictl(
          'edit ippool/pool-1 globalnetworkpolicy/allow bgpconfiguration/default',
          { edit },
        );
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toBe(
          'ippool/pool-1 edited\nglobalnetworkpolicy/allow edited\nbgpconfiguration/default edited\n',
        );
        const after = await Promise.all(
          ['ippool pool-1', 'globalnetworkpolicy allow', 'bgpconfiguration default'].map(spec),
        );
        const [pool, policy, bgp] = before as [object, { ingress: { destination: object }[] }, object];
        expect(after).toEqual([
          { ...pool, vxlanMode: 'Always' },
          { ...policy, ingress: [{ ...policy.ingress[0], destination: { ports: [81] } }] },
          { ...bgp, asNumber: 64513 },
        ]);
        expect(JSON.parse((await calictl('get ippool pool-1 -o json')).stdout).metadata.labels).toEqual({
          team: 'shop',
        });
      });

      it(`on ${api} a change that another client makes during the edit wins, and the text is kept`, async () => {
        const other = `apiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata: {name: pool-1}\nspec: {cidr: 10.1.0.0/16, natOutgoing: true}\n`;
        writeFileSync(join(root, 'other.yaml'), other);
        // The editor takes until the other client is done.
        const edit = `sed -i 's/vxlanMode: Never/vxlanMode: Always/' "$1"; touch ${root}/open; while [ ! -e ${root}/done ]; do sleep 0.05; done`;
        const editing = calictl('edit ippool pool-1', { edit });
        await expect.poll(() => readable(join(root, 'open')), { timeout: 20_000 }).toBe(true);
        expect((await calictl(`apply -f ${root}/other.yaml`, { edit })).stdout).toBe('ippool/pool-1 configured\n');
        writeFileSync(join(root, 'done'), '');
        const { code, stdout, stderr } = await editing;
        for (const name of ['open', 'done']) rmSync(join(root, name));
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        const file = /changes are in (\S+), which is kept\.$/m.exec(stderr)?.[1] ?? '';
        left.push(dirname(file));
        expect(readFileSync(file, 'utf8')).toContain('vxlanMode: Always');
        expect(await spec('ippool pool-1')).toMatchObject({ natOutgoing: true, vxlanMode: 'Never' });
      });

      it(`on ${api} a value that its field cannot have is not stored, and the text is kept`, async () => {
        const edit = `sed -i 's/^spec:/spec:\\n  logSeverityScreen: 5/' "$1"`;
        const { code, stderr } = await calictl('edit bgpconfiguration default', { edit });
        expect(code).toBe(2);
        const file = /changes are in (\S+), which is kept\.$/m.exec(stderr)?.[1] ?? '';
        left.push(dirname(file));
        expect(readFileSync(file, 'utf8')).toContain('logSeverityScreen: 5');
      });
    },
    api,
  );
}

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
