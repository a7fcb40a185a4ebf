// CALICO_API_GROUP and calicoAPIGroup: what they accept, in calictl and as calicoctl.
import { describe, expect, it } from 'vitest';
import { calicoApiSetting } from '../../src/cli/calico-api-setting.ts';
import { settingsFromEnvironment } from '../../src/cli/settings-from-environment.ts';
import { run } from '../support/program/world.ts';

describe('CALICO_API_GROUP', () => {
  it.each([
    ['projectcalico.org/v3', 'projectcalico.org/v3'],
    ['ProjectCalico.org/V3', 'projectcalico.org/v3'],
    ['crd.projectcalico.org/v1', 'crd.projectcalico.org/v1'],
    ['', undefined],
    [undefined, undefined],
  ])('%j selects %s', (text, api) => {
    expect(calicoApiSetting(text)).toBe(api);
    expect(calicoApiSetting(text, true)).toBe(api);
  });

  it.each(['v3', 'foo', 'projectcalico.org', 'projectcalico.org/v3 '])(
    '%j is wrong usage, and v1 for calicoctl',
    (text) => {
      expect(() => calicoApiSetting(text)).toThrow(expect.objectContaining({ exit: 2 }));
      expect(calicoApiSetting(text, true)).toBe('crd.projectcalico.org/v1');
    },
  );

  it('the name with the prefix CALICO_ takes precedence', () => {
    const env = { CALICO_API_GROUP: 'a', CALICO_CALICO_API_GROUP: 'b' };
    expect(settingsFromEnvironment(env).calicoAPIGroup).toBe('b');
    expect(settingsFromEnvironment({ CALICO_API_GROUP: 'a' }).calicoAPIGroup).toBe('a');
  });

  it('a command with an unknown group exits with 2 and names the choices', async () => {
    const env = { CALICO_API_GROUP: 'v3', K8S_API_ENDPOINT: 'https://127.0.0.1:1' };
    const { code, stderr } = await run('get ippools', { env });
    expect(code).toBe(2);
    expect(stderr).toContain('invalid CALICO_API_GROUP (calicoAPIGroup): v3');
    expect(stderr).toContain('projectcalico.org/v3 or crd.projectcalico.org/v1');
  });
});
