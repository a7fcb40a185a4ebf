// Whether a kernel has what Calico needs: its version, and the modules, loaded, built in or available.
// Rule: docs/commands/node-checksystem.md.

/** Modules, and the kernel configuration options that mean each of them, older names first. */
const moduleSettings: readonly (readonly [module: string, ...settings: string[]])[] = [
  ['ip_set', 'CONFIG_IP_SET'],
  ['ip6_tables', 'CONFIG_IP6_NF_IPTABLES'],
  ['ip_tables', 'CONFIG_IP_NF_IPTABLES'],
  ['ipt_ipvs', 'CONFIG_NETFILTER_XT_MATCH_IPVS'],
  ['vfio-pci', 'CONFIG_VFIO'],
  ['xt_bpf', 'CONFIG_BPF'],
  ['ipt_REJECT', 'CONFIG_NFT_REJECT'],
  ['ipt_rpfilter', 'CONFIG_IP_NF_MATCH_RPFILTER'],
  ['xt_rpfilter', 'CONFIG_IP_NF_MATCH_RPFILTER'],
  ['ipt_set', 'CONFIG_NET_EMATCH_IPSET'],
  ['nf_conntrack_netlink', 'CONFIG_NF_CT_NETLINK'],
  ['xt_addrtype', 'CONFIG_NETFILTER_XT_MATCH_ADDRTYPE'],
  ['xt_conntrack', 'CONFIG_NETFILTER_XT_MATCH_CONNTRACK'],
  ['xt_icmp', 'icmp'],
  ['xt_icmp6', 'icmp'],
  ['xt_mark', 'CONFIG_IP_NF_TARGET_MARK', 'CONFIG_NETFILTER_XT_MARK'],
  ['xt_multiport', 'CONFIG_IP_NF_MATCH_MULTIPORT', 'CONFIG_NETFILTER_XT_MATCH_MULTIPORT'],
  ['xt_set', 'CONFIG_NETFILTER_XT_SET'],
  ['xt_u32', 'CONFIG_NETFILTER_XT_MATCH_U32'],
];

const oldestKernel = [2, 6, 24] as const;
export const oldestKernelText = oldestKernel.join('.');

/** The files that describe a kernel; undefined where there is no such file. */
export interface KernelTexts {
  /** `6.1.0-18-amd64` */
  readonly release: string;
  /** `modules.dep` and `modules.builtin` below `/lib/modules/<release>/`. */
  readonly modulesDep: string | undefined;
  readonly modulesBuiltin: string | undefined;
  /** `/proc/modules` */
  readonly loaded: string | undefined;
  /** The configuration the kernel was built with. */
  readonly config: string | undefined;
  /** `/proc/net/ip_tables_matches`: one name per line. */
  readonly matches: string | undefined;
}

export interface SystemCheck {
  readonly kernel: { readonly release: string; readonly isNewEnough: boolean };
  readonly modules: readonly { readonly name: string; readonly isThere: boolean }[];
  /** True when everything is present; a missing module for IPv6 tables alone does not count. */
  readonly isMet: boolean;
  /** True when only the module for IPv6 tables is missing. */
  readonly isWithoutIpv6: boolean;
}

/** False for a release that does not begin with numbers. */
function isNewEnough(release: string): boolean {
  const numbers = /^(\d+)\.(\d+)(?:\.(\d+))?/
    .exec(release)
    ?.slice(1)
    .map((text) => Number(text ?? 0));
  if (numbers === undefined) return false;
  const at = oldestKernel.findIndex((part, i) => numbers[i] !== part);
  return at < 0 || (numbers[at] as number) > (oldestKernel[at] as number);
}

function isThere([module, ...settings]: (typeof moduleSettings)[number], texts: KernelTexts): boolean {
  const file = `/${module}.ko`;
  const lines = (text: string | undefined): string[] => text?.split('\n') ?? [];
  return (
    texts.modulesDep?.includes(file) === true ||
    texts.modulesBuiltin?.includes(file) === true ||
    texts.loaded?.includes(module) === true ||
    lines(texts.config).some((line) =>
      settings.some((setting) => line.length > setting.length + 1 && line.startsWith(`${setting}=`)),
    ) ||
    lines(texts.matches).some((line) => settings.includes(line))
  );
}

/** Judges a kernel by its files. */
export function checkSystem(texts: KernelTexts): SystemCheck {
  const kernel = { release: texts.release, isNewEnough: isNewEnough(texts.release) };
  const modules = moduleSettings.map((entry) => ({ name: entry[0], isThere: isThere(entry, texts) }));
  const missing = modules.filter((module) => !module.isThere).map(({ name }) => name);
  const isWithoutIpv6 = missing.length === 1 && missing[0] === 'ip6_tables';
  return { kernel, modules, isMet: kernel.isNewEnough && (missing.length === 0 || isWithoutIpv6), isWithoutIpv6 };
}
