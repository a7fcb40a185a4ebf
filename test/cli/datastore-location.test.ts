// Where the datastore is: flags, configuration file, environment (docs/reference/configuration.md).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeOf, settingsFromEnvironment } from '../../src/cli/datastore-location.ts';
import { ParsedInput } from '../../src/cli/input.ts';
import { testWorld } from '../support/program/world.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-settings-'));
  mkdirSync(join(folder, 'dump'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const globals = (flags: Record<string, string>) =>
  new ParsedInput([], new Map(Object.entries(flags).map(([name, value]) => [name, [value]])), new Map());
const place = (flags: Record<string, string>, env: Record<string, string> = {}, compat = false) =>
  placeOf(globals(flags), testWorld({ env, cwd: folder }), compat);
const file = (text: string): string => {
  const path = join(folder, 'calicoctl.cfg');
  writeFileSync(path, text);
  return path;
};
const config = (spec: string): string =>
  file(`apiVersion: projectcalico.org/v3\nkind: CalicoAPIConfig\nmetadata:\nspec:\n${spec}`);

describe('datastoreLocation', () => {
  it('the datastore is kubernetes when nothing is configured', async () => {
    expect(await place({})).toMatchObject({ type: 'kubernetes' });
    expect(await place({}, { DATASTORE_TYPE: '' })).toMatchObject({ type: 'kubernetes' });
  });

  it('a path from flag or environment is relative to the working directory', async () => {
    const dump = { type: 'folder', path: join(folder, 'dump') };
    expect(await place({ datastore: './dump' })).toEqual(dump);
    expect(await place({ datastore: 'dump' })).toEqual(dump);
    expect(await place({}, { DATASTORE_TYPE: './dump' })).toEqual(dump);
    expect(await place({}, { DATASTORE_TYPE: './dump' }, true)).toEqual(dump);
  });

  it('the flag --datastore wins over the environment', async () => {
    expect(await place({ datastore: './dump' }, { DATASTORE_TYPE: 'etcdv3' })).toMatchObject({ type: 'folder' });
    expect(await place({ datastore: 'kubernetes' }, { DATASTORE_TYPE: './dump' })).toMatchObject({
      type: 'kubernetes',
    });
  });

  it('etcd endpoints alone select etcd', async () => {
    expect(await place({}, { ETCD_ENDPOINTS: 'https://10.0.0.1:2379' })).toEqual({ type: 'etcdv3' });
    expect(await place({}, { ETCD_DISCOVERY_SRV: 'example.org' })).toMatchObject({ type: 'kubernetes' });
  });

  it('an unknown datastore type is refused', async () => {
    await expect(place({ datastore: 'kubernets' })).rejects.toMatchObject({ exit: 2 });
    await expect(place({}, { DATASTORE_TYPE: 'kdd' }, true)).rejects.toThrow('unknown datastore type: kdd');
  });

  it('a configuration file is read instead of the environment', async () => {
    const path = config('  datastoreType: kubernetes\n  kubeconfig: /from/file\n  k8sInsecureSkipTLSVerify: true\n');
    expect(await place({ config: path }, { K8S_API_ENDPOINT: 'https://env', KUBECONFIG: '/from/env' })).toEqual({
      type: 'kubernetes',
      connection: { datastoreType: 'kubernetes', kubeconfig: '/from/file', k8sInsecureSkipTLSVerify: true },
    });
  });

  it('--context applies to a configuration file too, unlike in calicoctl', async () => {
    const path = config('  kubeconfig: /from/file\n');
    const flags = { config: path, context: 'blue' };
    expect(await place(flags)).toMatchObject({ connection: { k8sCurrentContext: 'blue' } });
    expect(await place(flags, {}, true)).not.toMatchObject({ connection: { k8sCurrentContext: 'blue' } });
  });

  it('--kubeconfig and --context are passed on', async () => {
    expect(await place({ kubeconfig: '/flag', context: 'blue' }, { KUBECONFIG: '/env' })).toMatchObject({
      connection: { kubeconfig: '/flag', k8sCurrentContext: 'blue' },
    });
  });

  it('a missing configuration file is named, on stdout in compat mode', async () => {
    await expect(place({ config: '/nope' })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('/nope'),
    });
    await expect(place({ config: '/nope' }, {}, true)).rejects.toThrow('Error reading config file: /nope');
  });

  it.each([
    ['{', 'failed to parse config as YAML/JSON: '],
    ['apiVersion: v1\nkind: CalicoAPIConfig\n', "invalid config file: unknown APIVersion 'v1'"],
    [
      'apiVersion: projectcalico.org/v3\nkind: Other\n',
      "invalid config file: expected kind 'CalicoAPIConfig', got 'Other'",
    ],
    ['apiVersion: projectcalico.org/v3\nkind: CalicoAPIConfig\nspec:\n  kubeConfig: x\n', 'kubeConfig'],
    ['apiVersion: projectcalico.org/v3\nkind: CalicoAPIConfig\nspecs: {}\n', 'specs'],
  ])('the configuration file %j is refused', async (text, message) => {
    const path = file(text);
    await expect(place({ config: path })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining(`syntax error in ${path}: `),
    });
    await expect(place({ config: path })).rejects.toThrow(message);
  });
});

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
