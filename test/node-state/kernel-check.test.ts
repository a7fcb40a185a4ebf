// What shows that a kernel has what Calico needs.
import { describe, expect, it } from 'vitest';
import { checkSystem, type KernelTexts } from '../../src/node-state/kernel-check.ts';

const nothing: KernelTexts = {
  release: '6.1.0-18-amd64',
  modulesDep: undefined,
  modulesBuiltin: undefined,
  loaded: undefined,
  config: undefined,
  matches: undefined,
};
const allSettings = [
  'CONFIG_IP_SET',
  'CONFIG_IP6_NF_IPTABLES',
  'CONFIG_IP_NF_IPTABLES',
  'CONFIG_NETFILTER_XT_MATCH_IPVS',
  'CONFIG_VFIO',
  'CONFIG_BPF',
  'CONFIG_NFT_REJECT',
  'CONFIG_IP_NF_MATCH_RPFILTER',
  'CONFIG_NET_EMATCH_IPSET',
  'CONFIG_NF_CT_NETLINK',
  'CONFIG_NETFILTER_XT_MATCH_ADDRTYPE',
  'CONFIG_NETFILTER_XT_MATCH_CONNTRACK',
  'CONFIG_IP_NF_TARGET_MARK',
  'CONFIG_IP_NF_MATCH_MULTIPORT',
  'CONFIG_NETFILTER_XT_SET',
  'CONFIG_NETFILTER_XT_MATCH_U32',
];
const config = allSettings.map((name, i) => `${name}=${i % 2 === 0 ? 'y' : 'm'}\n`).join('');
const matches = 'icmp\nudp\n';
const there = (texts: Partial<KernelTexts>): string[] =>
  checkSystem({ ...nothing, ...texts })
    .modules.filter(({ isThere }) => isThere)
    .map(({ name }) => name);

describe('modules', () => {
  it('all modules are found in a full configuration with the matches of the packet filter', () => {
    expect(checkSystem({ ...nothing, config, matches })).toMatchObject({ isMet: true, isWithoutIpv6: false });
    expect(there({ config, matches })).toHaveLength(19);
  });

  it.each<[string, Partial<KernelTexts>, string[]]>([
    ['a file that can be loaded', { modulesDep: 'kernel/net/netfilter/xt_set.ko: kernel/x.ko\n' }, ['xt_set']],
    ['one that is built in', { modulesBuiltin: 'kernel/net/ipv4/ip_tables.ko\n' }, ['ip_tables']],
    ['one that is loaded', { loaded: 'xt_u32 16384 1 - Live 0x0\n' }, ['xt_u32']],
    ['a setting as a module', { config: 'CONFIG_VFIO=m\n' }, ['vfio-pci']],
    ['the newer name of a setting', { config: 'CONFIG_NETFILTER_XT_MATCH_MULTIPORT=y\n' }, ['xt_multiport']],
    ['a match of the packet filter', { matches }, ['xt_icmp', 'xt_icmp6']],
    ['a setting without a value', { config: 'CONFIG_VFIO=\n' }, []],
    ['a setting that is off', { config: '# CONFIG_VFIO is not set\n' }, []],
    ['a longer name', { config: 'CONFIG_VFIO_PCI=y\n', modulesDep: 'kernel/my-xt_set.ko\n', matches: 'icmp6\n' }, []],
    ['nothing at all', {}, []],
  ])('a kernel module counts as present: %s', (_, texts, expected) => {
    expect(there(texts)).toEqual(expected);
  });

  it('only the module for IPv6 tables may be missing', () => {
    const without = config.replace('CONFIG_IP6_NF_IPTABLES=m\n', '');
    expect(checkSystem({ ...nothing, config: without, matches })).toMatchObject({ isMet: true, isWithoutIpv6: true });
    const more = without.replace('CONFIG_IP_SET=y\n', '');
    expect(checkSystem({ ...nothing, config: more, matches })).toMatchObject({ isMet: false, isWithoutIpv6: false });
  });
});

describe('the version', () => {
  it.each([
    ['2.6.24', true],
    ['2.6.23', false],
    ['2.6', false],
    ['2.5.99', false],
    ['3.0', true],
    ['6.1.0-18-amd64', true],
    ['10.0.0', true],
    ['2.6.32-754.el6.x86_64', true],
    ['unknown', false],
    ['', false],
  ])('kernel release %s is judged by its version', (release, isNewEnough) => {
    expect(checkSystem({ ...nothing, release, config, matches }).kernel).toEqual({ release, isNewEnough });
  });
});
