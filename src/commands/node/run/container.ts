// The docker command that starts calico-node outside of Kubernetes. Rule: docs/commands/node-run.md.
import type { ConnectionSettings } from '../../../connect/settings.ts';

/** How calico-node reaches etcd. */
interface Etcd {
  readonly endpoints: string;
  readonly discoverySrv: string;
  readonly caCertFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly certFile: string | undefined;
}

export interface NodeContainer {
  readonly name: string;
  readonly image: string;
  readonly backend: 'bird' | 'none';
  readonly logDir: string;
  /** An address, or `autodetect`. */
  readonly ip: string | undefined;
  readonly ip6: string | undefined;
  readonly ipMethod: string;
  readonly ip6Method: string;
  readonly asNumber: number | undefined;
  readonly noDefaultPools: boolean;
  /** Started by an init system: in the foreground, and gone when it ends. */
  readonly isService: boolean;
  readonly felixConfig: string | undefined;
  readonly etcd: Etcd;
}

/** The method that is used without a flag: it needs no variable. */
const firstFound = 'first-found';

const sameInside = ['/var/run/calico', '/var/lib/calico', '/lib/modules', '/run'];

/** Files of etcd: its variable, the path on the host, the path inside. */
function etcdFiles({ caCertFile, keyFile, certFile }: Etcd): [string, string, string][] {
  const files = [
    ['ETCD_CA_CERT_FILE', caCertFile, '/etc/calico/certs/ca_cert.crt'],
    ['ETCD_KEY_FILE', keyFile, '/etc/calico/certs/key.pem'],
    ['ETCD_CERT_FILE', certFile, '/etc/calico/certs/cert.crt'],
  ] as const;
  return files.flatMap(([variable, path, inside]) => (path ? [[variable, path, inside]] : []));
}

/** The words of the command. */
export function dockerArgv(container: NodeContainer): string[] {
  const { etcd, ip, ip6, asNumber } = container;
  const files = etcdFiles(etcd);
  const variables: readonly (readonly [string, string | undefined])[] = [
    ['NODENAME', container.name],
    ['CALICO_NETWORKING_BACKEND', container.backend],
    ['CALICO_MANAGE_CNI', 'false'],
    ['NO_DEFAULT_POOLS', container.noDefaultPools ? 'true' : undefined],
    ['IP', ip],
    ['IP_AUTODETECTION_METHOD', container.ipMethod === firstFound ? undefined : container.ipMethod],
    ['IP6', ip6],
    ['IP6_AUTODETECTION_METHOD', container.ip6Method === firstFound ? undefined : container.ip6Method],
    ['AS', asNumber === undefined ? undefined : String(asNumber)],
    ['ETCD_ENDPOINTS', etcd.endpoints],
    ['ETCD_DISCOVERY_SRV', etcd.discoverySrv],
    ...files.map(([variable, , inside]) => [variable, inside] as const),
  ];
  const mounts = [
    `${container.logDir}:/var/log/calico`,
    ...sameInside.map((path) => `${path}:${path}`),
    ...(container.felixConfig ? [`${container.felixConfig}:/etc/calico/felix.cfg`] : []),
    ...files.map(([, path, inside]) => `${path}:${inside}`),
  ];
  return [
    ...['docker', 'run', '--net=host', '--privileged', '--name=calico-node'],
    ...(container.isService ? ['--rm'] : ['-d', '--restart=always']),
    ...variables.flatMap(([name, value]) => (value === undefined ? [] : ['-e', `${name}=${value}`])),
    ...mounts.flatMap((mount) => ['-v', mount]),
    container.image,
  ];
}

/** How etcd is reached; undefined when the datastore is another one. */
export function etcdOf(settings: ConnectionSettings): Etcd | undefined {
  const type = settings.datastoreType || (settings.etcdEndpoints ? 'etcdv3' : 'kubernetes');
  if (type !== 'etcdv3') return undefined;
  return {
    endpoints: settings.etcdEndpoints ?? '',
    discoverySrv: settings.etcdDiscoverySrv ?? '',
    caCertFile: settings.etcdCACertFile,
    keyFile: settings.etcdKeyFile,
    certFile: settings.etcdCertFile,
  };
}

/** The command, and whether it was started. */
export interface Started {
  readonly argv: readonly string[];
  readonly isService: boolean;
  /** False when the command was only to be printed. */
  readonly started: boolean;
}

/** The command and how to stop what it starts; nothing when it was run. */
export function startedText({ argv, isService, started }: Started): string {
  if (started) return '';
  const command = `Use the following command to start the calico/node container:\n\n${argv.join(' ')}\n\n`;
  return isService
    ? `${command}Use the following command to stop the calico/node container:\n\ndocker stop calico-node\n\n`
    : `${command}If you are running calico/node in an init system, use the --init-system flag\n` +
        'to display the appropriate start and stop commands.\n';
}
