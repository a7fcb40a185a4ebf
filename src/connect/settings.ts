// How a datastore is reached, as configuration file or environment say it (docs/reference/configuration.md).
// Built by cli/; nothing here reads the environment.

/** Absent and empty mean the same: not set. */
export interface ConnectionSettings {
  readonly datastoreType?: string | undefined;
  readonly etcdEndpoints?: string | undefined;
  readonly etcdDiscoverySrv?: string | undefined;
  readonly etcdUsername?: string | undefined;
  readonly etcdPassword?: string | undefined;
  readonly etcdKeyFile?: string | undefined;
  readonly etcdCertFile?: string | undefined;
  readonly etcdCACertFile?: string | undefined;
  /** Inline PEM, as the next two. */
  readonly etcdKey?: string | undefined;
  readonly etcdCert?: string | undefined;
  readonly etcdCACert?: string | undefined;
  /** A path, or several joined as in PATH. */
  readonly kubeconfig?: string | undefined;
  /** A whole kubeconfig document; when it is there, no other k8s setting counts. */
  readonly kubeconfigInline?: string | undefined;
  readonly k8sAPIEndpoint?: string | undefined;
  readonly k8sKeyFile?: string | undefined;
  readonly k8sCertFile?: string | undefined;
  readonly k8sCAFile?: string | undefined;
  readonly k8sAPIToken?: string | undefined;
  readonly k8sInsecureSkipTLSVerify?: boolean | undefined;
  readonly k8sDisableNodePoll?: boolean | undefined;
  readonly usePodCIDR?: boolean | undefined;
  /** Writes a second that the caller asked for; no limit of our own when absent. */
  readonly k8sClientQPS?: number | undefined;
  readonly k8sCurrentContext?: string | undefined;
}
