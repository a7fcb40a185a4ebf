// Where the datastore is: flags, configuration file, environment (docs/reference/configuration.md).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateAsCalicoctl } from '../../src/cli/calicoctl/datastore-location.ts';
import { locateDatastore } from '../../src/cli/datastore-location.ts';
import { defaultConfigPath } from '../../src/cli/global-flags.ts';
import { testWorld } from '../support/program/world.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-settings-'));
  mkdirSync(join(folder, 'dump'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Flags = Partial<Record<'datastore' | 'config' | 'context' | 'kubeconfig', string>>;
type Env = Record<string, string>;

const locate = ({ datastore, config = defaultConfigPath, context, kubeconfig }: Flags, env: Env = {}) =>
  locateDatastore(
    {
      datastore,
      config,
      context,
      kubeconfig,
      noColor: false,
      debug: false,
      bundleLimit: undefined,
      requestTimeout: 0,
      allowVersionMismatch: false,
    },
    testWorld({ env, cwd: folder }),
  );
const locateCalicoctl = ({ config, context, kubeconfig }: Flags, env: Env = {}) =>
  locateAsCalicoctl({ config, context, kubeconfig }, testWorld({ env, cwd: folder }));
const file = (text: string): string => {
  const path = join(folder, 'calicoctl.cfg');
  writeFileSync(path, text);
  return path;
};
const config = (spec: string): string =>
  file(`apiVersion: projectcalico.org/v3\nkind: CalicoAPIConfig\nmetadata:\nspec:\n${spec}`);

describe('datastoreLocation', () => {
  it('the datastore is kubernetes when nothing is configured', async () => {
    expect(await locate({})).toMatchObject({ type: 'kubernetes' });
    expect(await locate({}, { DATASTORE_TYPE: '' })).toMatchObject({ type: 'kubernetes' });
  });

  it('a path from flag or environment is relative to the working directory', async () => {
    const dump = { type: 'folder', path: join(folder, 'dump') };
    expect(await locate({ datastore: './dump' })).toEqual(dump);
    expect(await locate({ datastore: 'dump' })).toEqual(dump);
    expect(await locate({}, { DATASTORE_TYPE: './dump' })).toEqual(dump);
    expect(await locateCalicoctl({}, { DATASTORE_TYPE: './dump' })).toEqual(dump);
  });

  it('the flag --datastore wins over the environment', async () => {
    expect(await locate({ datastore: './dump' }, { DATASTORE_TYPE: 'etcdv3' })).toMatchObject({ type: 'folder' });
    expect(await locate({ datastore: 'kubernetes' }, { DATASTORE_TYPE: './dump' })).toMatchObject({
      type: 'kubernetes',
    });
  });

  it('etcd endpoints alone select etcd', async () => {
    expect(await locate({}, { ETCD_ENDPOINTS: 'https://10.0.0.1:2379' })).toEqual({ type: 'etcdv3' });
    expect(await locate({}, { ETCD_DISCOVERY_SRV: 'example.org' })).toMatchObject({ type: 'kubernetes' });
  });

  it('an unknown datastore type is refused', async () => {
    await expect(locate({ datastore: 'kubernets' })).rejects.toMatchObject({ exit: 2 });
    await expect(locateCalicoctl({}, { DATASTORE_TYPE: 'kdd' })).rejects.toThrow('unknown datastore type: kdd');
  });

  it('a configuration file is read instead of the environment', async () => {
    const path = config('  datastoreType: kubernetes\n  kubeconfig: /from/file\n  k8sInsecureSkipTLSVerify: true\n');
    expect(await locate({ config: path }, { K8S_API_ENDPOINT: 'https://env', KUBECONFIG: '/from/env' })).toEqual({
      type: 'kubernetes',
      isNamed: true,
      connection: {
        datastoreType: 'kubernetes',
        kubeconfig: '/from/file',
        k8sInsecureSkipTLSVerify: true,
        requestTimeoutMs: 0,
      },
    });
  });

  it('--context applies to a configuration file too, unlike in calicoctl', async () => {
    const path = config('  kubeconfig: /from/file\n');
    const flags = { config: path, context: 'blue' };
    expect(await locate(flags)).toMatchObject({ connection: { k8sCurrentContext: 'blue' } });
    expect(await locateCalicoctl(flags)).not.toMatchObject({ connection: { k8sCurrentContext: 'blue' } });
  });

  it('--kubeconfig and --context are passed on', async () => {
    expect(await locate({ kubeconfig: '/flag', context: 'blue' }, { KUBECONFIG: '/env' })).toMatchObject({
      connection: { kubeconfig: '/flag', k8sCurrentContext: 'blue' },
    });
  });

  it('a missing configuration file is named, on stdout in compat mode', async () => {
    await expect(locate({ config: '/nope' })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('/nope'),
    });
    await expect(locateCalicoctl({ config: '/nope' })).rejects.toThrow('Error reading config file: /nope');
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
    await expect(locate({ config: path })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining(`syntax error in ${path}: `),
    });
    await expect(locate({ config: path })).rejects.toThrow(message);
  });
});
