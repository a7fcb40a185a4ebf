// Connection settings by environment variables, under calicoctl's names.
import { describe, expect, it } from 'vitest';
import { settingsFromEnvironment } from '../../src/cli/settings-from-environment.ts';

describe('settingsFromEnvironment', () => {
  it('a variable with the prefix CALICO_ wins, even when it is empty', () => {
    expect(settingsFromEnvironment({ KUBECONFIG: '/a', CALICO_KUBECONFIG: '/b' })).toMatchObject({ kubeconfig: '/b' });
    expect(settingsFromEnvironment({ KUBECONFIG: '/a', CALICO_KUBECONFIG: '' }).kubeconfig).toBeUndefined();
  });

  it.each([['1'], ['t'], ['T'], ['TRUE'], ['true'], ['True']])(
    'a switch in the environment reads %s as true',
    (value) => {
      expect(settingsFromEnvironment({ USE_POD_CIDR: value })).toMatchObject({ usePodCIDR: true });
    },
  );

  it.each([['maybe'], [''], ['yes']])('a switch in the environment refuses %j', (value) => {
    expect(() => settingsFromEnvironment({ K8S_INSECURE_SKIP_TLS_VERIFY: value })).toThrow(
      /^failed to load config from env vars: envconfig\.Process: assigning /,
    );
  });

  it('the token is read from CALICO_K8SAPITOKEN', () => {
    expect(settingsFromEnvironment({ CALICO_K8SAPITOKEN: 'abc' })).toMatchObject({ k8sAPIToken: 'abc' });
  });
});
