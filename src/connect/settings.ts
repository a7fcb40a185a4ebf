// How a datastore is reached, from the configuration file or the environment (docs/reference/configuration.md).
// Built by cli/: nothing here reads the environment.

/** Absent and empty both mean: not set. */
export interface ConnectionSettings {
  readonly datastoreType?: string | undefined;
  /** `projectcalico.org/v3` or `crd.projectcalico.org/v1`: where a Kubernetes datastore keeps Calico's objects. */
  readonly calicoAPIGroup?: string | undefined;
  readonly etcdEndpoints?: string | undefined;
  readonly etcdDiscoverySrv?: string | undefined;
  readonly etcdUsername?: string | undefined;
  readonly etcdPassword?: string | undefined;
  readonly etcdKeyFile?: string | undefined;
  readonly etcdCertFile?: string | undefined;
  readonly etcdCACertFile?: string | undefined;
  /** Inline PEM, like the next two. */
  readonly etcdKey?: string | undefined;
  readonly etcdCert?: string | undefined;
  readonly etcdCACert?: string | undefined;
  /** A path, or several joined as in PATH. */
  readonly kubeconfig?: string | undefined;
  /** A whole kubeconfig document; if set, all other k8s settings are ignored. */
  readonly kubeconfigInline?: string | undefined;
  readonly k8sAPIEndpoint?: string | undefined;
  readonly k8sKeyFile?: string | undefined;
  readonly k8sCertFile?: string | undefined;
  readonly k8sCAFile?: string | undefined;
  readonly k8sAPIToken?: string | undefined;
  readonly k8sInsecureSkipTLSVerify?: boolean | undefined;
  readonly k8sDisableNodePoll?: boolean | undefined;
  readonly usePodCIDR?: boolean | undefined;
  /** Limit of writes per second; none by default. */
  readonly k8sClientQPS?: number | undefined;
  readonly k8sCurrentContext?: string | undefined;
  /** The longest time of one request to the API server; none by default. */
  readonly requestTimeoutMs?: number | undefined;
}
