// Connection settings by environment variables, with calicoctl's names for them.
import type { ConnectionSettings } from '../connect/settings.ts';
import { parseGoBool } from '../text/go-scalars.ts';
import { CalictlError, exitCodes } from '../world/errors.ts';
import type { World } from '../world/world.ts';

type Env = World['env'];

const textVariables = {
  datastoreType: 'DATASTORE_TYPE',
  calicoAPIGroup: 'CALICO_API_GROUP',
  etcdEndpoints: 'ETCD_ENDPOINTS',
  etcdDiscoverySrv: 'ETCD_DISCOVERY_SRV',
  etcdUsername: 'ETCD_USERNAME',
  etcdPassword: 'ETCD_PASSWORD',
  etcdKeyFile: 'ETCD_KEY_FILE',
  etcdCertFile: 'ETCD_CERT_FILE',
  etcdCACertFile: 'ETCD_CA_CERT_FILE',
  kubeconfig: 'KUBECONFIG',
  k8sAPIEndpoint: 'K8S_API_ENDPOINT',
  k8sKeyFile: 'K8S_KEY_FILE',
  k8sCertFile: 'K8S_CERT_FILE',
  k8sCAFile: 'K8S_CA_FILE',
  k8sCurrentContext: 'K8S_CURRENT_CONTEXT',
} as const;
/** Variable, and the name that calicoctl has for it in errors. */
const flagVariables = {
  k8sInsecureSkipTLSVerify: ['K8S_INSECURE_SKIP_TLS_VERIFY', 'K8sInsecureSkipTLSVerify'],
  k8sDisableNodePoll: ['K8S_DISABLE_NODE_POLL', 'K8sDisableNodePoll'],
  usePodCIDR: ['USE_POD_CIDR', 'K8sUsePodCIDR'],
} as const;

/** The value under CALICO_NAME, even an empty one, else under NAME. */
const variable = (env: Env, name: string): string | undefined => env[`CALICO_${name}`] ?? env[name];

function misassigned(name: string, field: string, value: string, type: 'bool' | 'float32'): CalictlError {
  const parser = type === 'bool' ? 'ParseBool' : 'ParseFloat';
  return new CalictlError(
    `failed to load config from env vars: envconfig.Process: assigning CALICO_${name} to ${field}: ` +
      `converting '${value}' to type ${type}. details: strconv.${parser}: parsing "${value}": invalid syntax`,
    { code: 'CONFIG_INVALID', exit: exitCodes.usage },
  );
}

/** The API group of Calico that the environment names, for datastores that have no connection settings. */
export const apiGroupVariable = (env: Env): string | undefined =>
  variable(env, textVariables.calicoAPIGroup) || undefined;

/** Connection settings by environment variables. Errors: CalictlError for a bad switch or number. */
export function settingsFromEnvironment(env: Env): ConnectionSettings {
  const texts = Object.entries(textVariables).map(([key, name]) => [key, variable(env, name) || undefined]);
  const flags = Object.entries(flagVariables).map(([key, [name, field]]) => {
    const value = variable(env, name);
    if (value === undefined) return [key, undefined];
    const on = parseGoBool(value);
    if (on === undefined) throw misassigned(name, field, value, 'bool');
    return [key, on];
  });
  const rate = variable(env, 'K8SCLIENTQPS');
  if (rate !== undefined && (rate.trim() === '' || Number.isNaN(Number(rate)))) {
    throw misassigned('K8SCLIENTQPS', 'K8sClientQPS', rate, 'float32');
  }
  return {
    ...Object.fromEntries([...texts, ...flags]),
    k8sAPIToken: variable(env, 'K8SAPITOKEN') || variable(env, 'K8S_API_TOKEN') || undefined,
    ...(rate === undefined ? {} : { k8sClientQPS: Number(rate) }),
  };
}
