// The network configuration of an installation: a template with its words filled in, and the checks before it is written.
import { isObject } from '../../text/plain-values.ts';
import { UsageError } from '../../world/errors.ts';
import { CniError } from '../protocol/cni-error.ts';
import { netConfOf, rawConf, requireLinux } from '../protocol/net-conf.ts';

/** The words of Calico's own templates that are filled in. */
export interface ConflistWords {
  readonly kubeconfig: string;
  /** 0 for the MTU in the file of calico-node. */
  readonly mtu: number;
  readonly nodeName: string | undefined;
  readonly logLevel: string;
}

/** Calico's configuration of pods; plugins of the CNI project follow if they are installed. */
export function usualTemplate(hasPlugin: (type: string) => boolean): string {
  const calico = {
    type: 'calico',
    log_level: '__LOG_LEVEL__',
    log_file_path: '/var/log/calico/cni/cni.log',
    datastore_type: 'kubernetes',
    mtu: '__CNI_MTU__',
    ipam: { type: 'calico-ipam' },
    policy: { type: 'k8s' },
    kubernetes: { kubeconfig: '__KUBECONFIG_FILEPATH__' },
  };
  const others = [
    { type: 'portmap', snat: true, capabilities: { portMappings: true } },
    { type: 'bandwidth', capabilities: { bandwidth: true } },
  ].filter(({ type }) => hasPlugin(type));
  const list = { name: 'k8s-pod-network', cniVersion: '0.3.1', plugins: [calico, ...others] };
  return `${JSON.stringify(list, undefined, 2).replace('"__CNI_MTU__"', '__CNI_MTU__')}\n`;
}

/** Fills in the words. Errors: UsageError for a word that is not known, or that nothing was given for. */
export function filledTemplate(template: string, words: ConflistWords): string {
  const values: Readonly<Record<string, string | undefined>> = {
    __KUBECONFIG_FILEPATH__: words.kubeconfig,
    __KUBERNETES_NODE_NAME__: words.nodeName,
    __CNI_MTU__: String(words.mtu),
    __LOG_LEVEL__: words.logLevel,
    __DATASTORE_TYPE__: 'kubernetes',
  };
  return template.replace(/__[A-Z][A-Z_]*__/g, (word) => {
    const value = values[word];
    if (value !== undefined) return JSON.stringify(value).slice(1, -1);
    const isNode = word === '__KUBERNETES_NODE_NAME__';
    throw new UsageError(
      `the template has ${word}, which calictl does not know`,
      isNode ? 'name the node with --node-name' : `use ${Object.keys(values).join(', ')}, or the value itself`,
      'CNI_TEMPLATE',
    );
  });
}

/**
 * Checks that a runtime would accept the configuration, and that the plugins it names are there.
 * Errors: UsageError with what is wrong.
 */
export function requireUsable(text: string, hasPlugin: (type: string) => boolean): void {
  const wrong = (why: string, hint?: string): UsageError =>
    new UsageError(`the network configuration is not usable: ${why}`, hint, 'CNI_CONFIGURATION');
  const plugins = pluginsIn(text, wrong);
  const [calico] = plugins.filter(({ type }) => type === 'calico');
  if (calico === undefined) throw wrong('it has no plugin of the type calico');
  try {
    requireLinux(netConfOf({ ...calico, name: 'any' }));
  } catch (error) {
    if (error instanceof CniError) throw wrong(error.message.replace(/^failed to load netconf: /, ''));
    throw error;
  }
  const types = plugins.flatMap(({ type, ipam }) => [type, isObject(ipam) ? ipam['type'] : undefined]);
  for (const type of types) {
    if (typeof type === 'string' && !hasPlugin(type)) {
      throw wrong(`the plugin ${type} is not installed`, 'install it into the same directory, or use another template');
    }
  }
}

function pluginsIn(text: string, wrong: (why: string) => UsageError): readonly Record<string, never>[] {
  try {
    const { plugins } = rawConf(text);
    if (!Array.isArray(plugins) || plugins.length === 0) throw wrong('it has no list of plugins');
    if (plugins.every((plugin) => isObject(plugin) && typeof plugin['type'] === 'string')) {
      return plugins as unknown as readonly Record<string, never>[];
    }
    throw wrong('a plugin in the list has no type');
  } catch (error) {
    if (!(error instanceof CniError)) throw error;
    throw wrong(error.message.replace(/^error unmarshall network config: /, ''));
  }
}
