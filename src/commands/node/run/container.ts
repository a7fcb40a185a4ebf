// The docker command that starts calico-node outside of Kubernetes. Rule: docs/commands/node-run.md.

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
  readonly etcd: {
    readonly endpoints: string;
    readonly discoverySrv: string;
    readonly caCertFile: string | undefined;
    readonly keyFile: string | undefined;
    readonly certFile: string | undefined;
  };
}

/** The method that is used when none is said: it needs no variable. */
export const firstFound = 'first-found';

const sameInside = ['/var/run/calico', '/var/lib/calico', '/lib/modules', '/run'];

/** Files of etcd: its variable, the path on the host, the path inside. */
function etcdFiles({ caCertFile, keyFile, certFile }: NodeContainer['etcd']): [string, string, string][] {
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
