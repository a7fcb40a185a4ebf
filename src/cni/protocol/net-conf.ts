// The network configuration of a plugin: the fields of Calico's, with the errors of Calico's reader for those of a wrong
// type. Unknown fields pass. Rules: docs/reference/cni.md#configuration
import { JsonSyntaxError, type JsonValue, parseJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { CniError, cniErrorCodes } from './cni-error.ts';
import { goSyntaxProblem, jsonTypeOf } from './go-json.ts';
import { defaultVersion } from './versions.ts';

type Raw = Readonly<Record<string, unknown>>;

export interface NetConf {
  readonly cniVersion: string;
  readonly name: string;
  /** 0: not set. */
  readonly mtu: number;
  readonly queues: number;
  readonly nodename: string;
  readonly hostname: string;
  readonly nodenameFile: string;
  readonly nodenameFileOptional: boolean;
  readonly datastoreType: string;
  readonly calicoApiGroup: string;
  readonly log: LogConf;
  readonly ipam: IpamConf;
  readonly ipamLockFile: string;
  readonly policyType: string;
  readonly kubeconfig: string;
  readonly k8sApiRoot: string;
  readonly allowForwarding: boolean;
  readonly includeDefaultRoutes: boolean;
  readonly ipAddrsNoIpam: boolean;
  readonly floatingIps: boolean;
  readonly policySetupTimeoutSeconds: number;
  readonly endpointStatusDir: string;
  readonly readinessGates: readonly string[];
  readonly requireMtuFile: boolean;
  readonly dataplaneType: string;
  readonly windowsSingleNetwork: boolean;
  /** As given, for the plugins that it is passed on to. */
  readonly raw: Raw;
}

export interface LogConf {
  readonly level: string;
  /** Empty: standard error only. */
  readonly path: string;
  /** In megabytes, days and files. */
  readonly maxSize: number;
  readonly maxAge: number;
  readonly maxCount: number;
}

export interface IpamConf {
  readonly type: string;
  readonly assignIpv4: boolean;
  readonly assignIpv6: boolean;
  readonly ipv4Pools: readonly string[];
  readonly ipv6Pools: readonly string[];
}

/** Fields with the types of Calico's reader, by path. */
const types: readonly (readonly [
  path: string,
  type: 'string' | 'int' | 'bool' | '[]string' | 'struct',
  name?: string,
])[] = [
  ['cniVersion', 'string'],
  ['name', 'string'],
  ['type', 'string'],
  ['ipam', 'struct', 'struct'],
  ['ipam.type', 'string'],
  ['ipam.subnet', 'string'],
  ['ipam.assign_ipv4', 'string'],
  ['ipam.assign_ipv6', 'string'],
  ['ipam.ipv4_pools', '[]string'],
  ['ipam.ipv6_pools', '[]string'],
  ['mtu', 'int'],
  ['num_queues', 'int'],
  ['hostname', 'string'],
  ['nodename', 'string'],
  ['nodename_file', 'string'],
  ['nodename_file_optional', 'bool'],
  ['ipam_lock_file', 'string'],
  ['datastore_type', 'string'],
  ['calico_api_group', 'string'],
  ['log_level', 'string'],
  ['log_file_path', 'string'],
  ['log_file_max_size', 'int'],
  ['log_file_max_age', 'int'],
  ['log_file_max_count', 'int'],
  ['policy', 'struct', 'types.Policy'],
  ['policy.type', 'string'],
  ['kubernetes', 'struct', 'types.Kubernetes'],
  ['kubernetes.kubeconfig', 'string'],
  ['kubernetes.k8s_api_root', 'string'],
  ['kubernetes.node_name', 'string'],
  ['container_settings', 'struct', 'types.ContainerSettings'],
  ['container_settings.allow_ip_forwarding', 'bool'],
  ['include_default_routes', 'bool'],
  ['feature_control', 'struct', 'types.FeatureControl'],
  ['feature_control.ip_addrs_no_ipam', 'bool'],
  ['feature_control.floating_ips', 'bool'],
  ['policy_setup_timeout_seconds', 'int'],
  ['endpoint_status_dir', 'string'],
  ['readiness_gates', '[]string'],
  ['require_mtu_file', 'bool'],
  ['windows_use_single_network', 'bool'],
  ['dataplane_options', 'struct', 'map[string]interface {}'],
];

/**
 * Reads standard input as JSON with the name of a network. Errors: CniError 6 for other text, 7 without a valid name.
 */
export function rawConf(text: string): Raw {
  const value = parsed(
    text,
    (problem) => new CniError(`error unmarshall network config: ${problem}`, cniErrorCodes.decoding),
  );
  const raw = value === null ? {} : value;
  if (!isObject(raw)) {
    const problem = `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type struct { Name string "json:\\"name\\"" }`;
    throw new CniError(`error unmarshall network config: ${problem}`, cniErrorCodes.decoding);
  }
  const { name = '' } = raw;
  if (typeof name !== 'string') {
    const problem = `json: cannot unmarshal ${jsonTypeOf(name as JsonValue)} into Go struct field .name of type string`;
    throw new CniError(`error unmarshall network config: ${problem}`, cniErrorCodes.decoding);
  }
  if (name === '') throw new CniError('missing network name', cniErrorCodes.invalidConfiguration);
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) {
    throw new CniError('invalid characters found in network name', cniErrorCodes.invalidConfiguration, name);
  }
  return raw;
}

function parsed(text: string, failed: (problem: string) => CniError): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof SyntaxError) throw failed(goSyntaxProblem(text));
    throw error;
  }
}

/** The version that the configuration names. Errors: CniError 6 when it is not text. */
export function versionIn(raw: Raw): string {
  const version = raw['cniVersion'] ?? '';
  if (typeof version === 'string') return version === '' ? defaultVersion : version;
  const problem = `json: cannot unmarshal ${jsonTypeOf(version as JsonValue)} into Go struct field .cniVersion of type string`;
  throw new CniError(`decoding version from network config: ${problem}`, cniErrorCodes.decoding);
}

/** Reads the fields of Calico. Errors: CniError for one of a wrong type. */
export function netConfOf(raw: Raw): NetConf {
  checkTypes(raw);
  const text = (path: string): string => (at(raw, path) as string | undefined) ?? '';
  const number = (path: string): number => Number(at(raw, path) ?? 0);
  const flag = (path: string): boolean => at(raw, path) === true;
  const texts = (path: string): readonly string[] => (at(raw, path) as readonly string[] | undefined) ?? [];
  return {
    cniVersion: versionIn(raw),
    name: text('name'),
    mtu: number('mtu'),
    queues: Math.max(1, number('num_queues')),
    nodename: text('nodename'),
    hostname: text('hostname'),
    nodenameFile: text('nodename_file') || '/var/lib/calico/nodename',
    nodenameFileOptional: flag('nodename_file_optional'),
    datastoreType: text('datastore_type'),
    calicoApiGroup: text('calico_api_group'),
    log: {
      level: text('log_level'),
      path: text('log_file_path'),
      maxSize: number('log_file_max_size') || 100,
      maxAge: number('log_file_max_age') || 30,
      maxCount: number('log_file_max_count') || 10,
    },
    ipam: {
      type: text('ipam.type'),
      assignIpv4: text('ipam.assign_ipv4') !== 'false',
      assignIpv6: text('ipam.assign_ipv6') === 'true',
      ipv4Pools: texts('ipam.ipv4_pools'),
      ipv6Pools: texts('ipam.ipv6_pools'),
    },
    ipamLockFile: text('ipam_lock_file') || '/var/run/calico/ipam.lock',
    policyType: text('policy.type'),
    kubeconfig: text('kubernetes.kubeconfig'),
    k8sApiRoot: text('kubernetes.k8s_api_root'),
    allowForwarding: flag('container_settings.allow_ip_forwarding'),
    includeDefaultRoutes: flag('include_default_routes'),
    ipAddrsNoIpam: flag('feature_control.ip_addrs_no_ipam'),
    floatingIps: flag('feature_control.floating_ips'),
    policySetupTimeoutSeconds: number('policy_setup_timeout_seconds'),
    endpointStatusDir: text('endpoint_status_dir') || '/var/run/calico/endpoint-status',
    readinessGates: texts('readiness_gates'),
    requireMtuFile: flag('require_mtu_file'),
    dataplaneType: text('dataplane_options.type'),
    windowsSingleNetwork: flag('windows_use_single_network'),
    raw,
  };
}

/** Fields that only Calico's plugin for Windows has. */
const windowsFields = ['vxlan_mac_prefix', 'vxlan_vni', 'windows_loopback_DSR'];

/** Errors: CniError for the configuration of a Windows node: what it asks for cannot be made here. */
export function requireLinux({ raw }: NetConf): void {
  const field = windowsFields.find((name) => raw[name] !== undefined);
  if (field === undefined) return;
  throw new CniError(`the configuration is for Windows nodes: it has ${field}, which means nothing on Linux`);
}

/** The value at a path; undefined for null too, which Go takes for not set. */
function at(raw: Raw, path: string): unknown {
  let value: unknown = raw;
  for (const key of path.split('.')) value = isObject(value) ? value[key] : undefined;
  return value ?? undefined;
}

function checkTypes(raw: Raw): void {
  for (const [path, type, name = type] of types) {
    const value = at(raw, path) as JsonValue | undefined;
    if (value === undefined) continue;
    const wrong = wrongPart(value, type);
    if (wrong === undefined) continue;
    const [found, wanted] = wrong;
    const problem = `json: cannot unmarshal ${found} into Go struct field NetConf.${path} of type ${wanted ?? name}`;
    throw new CniError(`failed to load netconf: ${problem}`);
  }
}

/** What was found in place of the type, and the type of an item where that is what is wrong. */
function wrongPart(value: JsonValue, type: (typeof types)[number][1]): [found: string, wanted?: string] | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? undefined : [jsonTypeOf(value)];
    case 'bool':
      return typeof value === 'boolean' ? undefined : [jsonTypeOf(value)];
    case 'int':
      if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return undefined;
      return [typeof value === 'number' ? `number ${value}` : jsonTypeOf(value)];
    case 'struct':
      return isObject(value) ? undefined : [jsonTypeOf(value)];
    case '[]string': {
      if (!Array.isArray(value)) return [jsonTypeOf(value)];
      const item = value.find((each) => typeof each !== 'string' && each !== null);
      return item === undefined ? undefined : [jsonTypeOf(item), 'string'];
    }
  }
}
