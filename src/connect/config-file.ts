// calicoctl's configuration file: how a datastore is reached (docs/reference/configuration.md).
import { parse } from 'yaml';
import { isObject } from '../text/plain-values.ts';
import { CalictlError } from '../world/errors.ts';
import { readText } from './read-text.ts';
import type { ConnectionSettings } from './settings.ts';

type Mutable = {
  -readonly [Key in keyof ConnectionSettings]: ConnectionSettings[Key];
};

const textKeys = [
  'datastoreType',
  'calicoAPIGroup',
  'etcdEndpoints',
  'etcdDiscoverySrv',
  'etcdUsername',
  'etcdPassword',
  'etcdKeyFile',
  'etcdCertFile',
  'etcdCACertFile',
  'etcdKey',
  'etcdCert',
  'etcdCACert',
  'kubeconfig',
  'kubeconfigInline',
  'k8sAPIEndpoint',
  'k8sKeyFile',
  'k8sCertFile',
  'k8sCAFile',
  'k8sAPIToken',
  'k8sCurrentContext',
] as const;
const flagKeys = ['k8sInsecureSkipTLSVerify', 'k8sDisableNodePoll', 'usePodCIDR'] as const;

function settingsOf(spec: Record<string, unknown>): ConnectionSettings {
  const settings: Mutable = {};
  for (const [key, value] of Object.entries(spec)) {
    if (value === null) continue;
    const text = textKeys.find((known) => known === key);
    const flag = flagKeys.find((known) => known === key);
    if (text !== undefined) {
      if (typeof value !== 'string') throw new Error(`spec.${key} is not a string`);
      settings[text] = value;
    } else if (flag !== undefined) {
      if (typeof value !== 'boolean') throw new Error(`spec.${key} is not true or false`);
      settings[flag] = value;
    } else if (key === 'k8sClientQPS') {
      if (typeof value !== 'number') throw new Error(`spec.${key} is not a number`);
      settings.k8sClientQPS = value;
    } else {
      throw new Error(`unknown field "${key}"`);
    }
  }
  return settings;
}

function parsed(text: string): ConnectionSettings {
  let document: unknown;
  try {
    document = parse(text);
    if (!isObject(document)) throw new Error('no object');
    const stray = Object.keys(document).find((key) => !['apiVersion', 'kind', 'metadata', 'spec'].includes(key));
    if (stray !== undefined) throw new Error(`unknown field "${stray}"`);
  } catch (error) {
    throw new Error(`failed to parse config as YAML/JSON: ${error instanceof Error ? error.message : error}`);
  }
  const { apiVersion = '', kind = '', spec } = document;
  if (apiVersion !== 'projectcalico.org/v3') throw new Error(`invalid config file: unknown APIVersion '${apiVersion}'`);
  if (kind !== 'CalicoAPIConfig')
    throw new Error(`invalid config file: expected kind 'CalicoAPIConfig', got '${kind}'`);
  try {
    return settingsOf(isObject(spec) ? spec : {});
  } catch (error) {
    throw new Error(`failed to parse config as YAML/JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Reads the file.
 * Errors: CalictlError (exit 2) when it cannot be read or is not a valid configuration.
 */
export async function readConfigFile(path: string, signal: AbortSignal): Promise<ConnectionSettings> {
  const details = { code: 'CONFIG_INVALID', exit: 2 } as const;
  let text: string;
  try {
    text = await readText(path, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new CalictlError(`cannot read ${path}: ${error instanceof Error ? error.message : error}`, details);
  }
  try {
    return parsed(text);
  } catch (error) {
    throw new CalictlError(`syntax error in ${path}: ${error instanceof Error ? error.message : error}`, details);
  }
}
