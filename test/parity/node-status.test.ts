// node status in compat mode compared with calicoctl, in a namespace with real BIRDs and with stand-ins that misbehave.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithPrograms } from '../support/program/parts.ts';
import { reference } from '../support/program/reference-calicoctl.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const calictl = here('../../bin/calictl.js');
const isHere = reference !== undefined && existsSync(reference);

const states = [
  ...['nothing', 'no-bird', 'bird-only', 'no-socket', 'both-families', 'no-peers'],
  ...['heading', 'line', 'closes', 'silent'],
] as const;

describeWithPrograms('node status as calicoctl', ['bird', 'bird6', 'birdc', 'ip', 'unshare', 'setpriv'], () => {
  describe.skipIf(!isHere)(`next to the calicoctl that CALICOCTL names${isHere ? '' : ' (it is not set)'}`, () => {
    const results = mkdtempSync(join(tmpdir(), 'calictl-parity-'));
    const read = (name: string): string => readFileSync(join(results, name), 'utf8');
    const answer = (state: string, whose: 'ref' | 'our') => ({
      code: read(`${state}.${whose}.code`),
      stdout: read(`${state}.${whose}.out`),
      stderr: read(`${state}.${whose}.err`),
    });
    afterAll(() => rmSync(results, { recursive: true, force: true }));

    beforeAll(() => {
      const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
      const script = ['bash', here('node-status.sh'), reference ?? '', process.execPath, calictl];
      const { status, stderr } = spawnSync(
        'unshare',
        [...namespaces, ...script, here('node-status-daemon.mjs'), results],
        {
          encoding: 'utf8',
        },
      );
      expect(status, stderr).toBe(0);
    }, 120_000);

    it.each(states)('node status prints the same as calicoctl: %s', (state) => {
      expect(answer(state, 'our')).toEqual(answer(state, 'ref'));
    });

    it('node status was compared in states that differ', () => {
      const texts = new Set(states.map((state) => JSON.stringify(answer(state, 'ref'))));
      expect(texts.size).toBe(states.length);
      expect(answer('both-families', 'ref').stdout).toMatch(/node-to-node mesh \| up .*Established[\s\S]*fd00:9::2/);
      expect(answer('bird-only', 'ref').stdout).toContain('10.9.9.3.port.1790');
    });

    it('node status is refused to another user in the same words as calicoctl', () => {
      const nobody = ['setpriv', '--reuid', '65534', '--clear-groups'];
      const env = { ...process.env, CALICTL_COMPAT: '1' };
      const [first, ...theirs] = [...nobody, reference ?? '', 'node', 'status'] as const;
      const ours = [...nobody.slice(1), process.execPath, calictl, 'node', 'status'];
      const answers = [theirs, ours].map((args) => spawnSync(first ?? '', args, { env, encoding: 'utf8' }));
      const [ref, our] = answers.map(({ status, stdout, stderr }) => ({ status, stdout, stderr }));
      expect(ref?.stdout).toBe('Need super user privileges: Operation not permitted\n');
      expect(our).toEqual(ref);
    });
  });
});
