// The network configuration that calictl cni install writes.
import { describe, expect, it } from 'vitest';
import { filledTemplate, requireUsable, usualTemplate } from '../../../src/cni/install/conflist.ts';
import { requireCredentials } from '../../../src/cni/install/credentials.ts';

const words = { kubeconfig: '/etc/cni/net.d/calico-kubeconfig', mtu: 1400, nodeName: 'node-a', logLevel: 'info' };
const all = (): boolean => true;

describe('a template of the network configuration', () => {
  it('gets the words of the templates of Calico filled in', () => {
    const template = '{"nodename": "__KUBERNETES_NODE_NAME__", "mtu": __CNI_MTU__, "log_level": "__LOG_LEVEL__"}';
    expect(JSON.parse(filledTemplate(template, words))).toEqual({ nodename: 'node-a', mtu: 1400, log_level: 'info' });
  });

  it('is refused with the word that calictl does not know', () => {
    expect(() => filledTemplate('{"x": "__ETCD_ENDPOINTS__"}', words)).toThrow(
      'the template has __ETCD_ENDPOINTS__, which calictl does not know',
    );
  });

  it('that names the node is refused without a name of the node', () => {
    expect(() => filledTemplate('"__KUBERNETES_NODE_NAME__"', { ...words, nodeName: undefined })).toThrow(
      'the template has __KUBERNETES_NODE_NAME__',
    );
  });

  it('keeps a quotation mark in a value a part of the text', () => {
    expect(JSON.parse(filledTemplate('"__KUBERNETES_NODE_NAME__"', { ...words, nodeName: 'a"b' }))).toBe('a"b');
  });

  it('is usable as it comes, with the plugins of the CNI project only if they are installed', () => {
    const types = (has: (type: string) => boolean): unknown => {
      const text = filledTemplate(usualTemplate(has), words);
      requireUsable(text, has);
      return (JSON.parse(text) as { plugins: { type: string }[] }).plugins.map(({ type }) => type);
    };
    expect(types(all)).toEqual(['calico', 'portmap', 'bandwidth']);
    expect(types((type) => type.startsWith('calico'))).toEqual(['calico']);
  });
});

describe('a network configuration is refused', () => {
  const plugin = { type: 'calico', ipam: { type: 'calico-ipam' } };
  const list = (...plugins: readonly unknown[]): string => JSON.stringify({ name: 'n', cniVersion: '0.3.1', plugins });

  it.each([
    ['that is not JSON', '{', 'unexpected end of JSON input'],
    ['without a name', '{"plugins": []}', 'missing network name'],
    ['without plugins', list(), 'it has no list of plugins'],
    ['without the plugin of Calico', list({ type: 'bridge' }), 'it has no plugin of the type calico'],
    ['with a plugin without a type', list(plugin, {}), 'a plugin in the list has no type'],
    [
      'with an MTU that is text',
      list({ ...plugin, mtu: 'x' }),
      'json: cannot unmarshal string into Go struct field NetConf.mtu of type int',
    ],
    [
      'for Windows nodes',
      list({ ...plugin, vxlan_mac_prefix: '0E-2A' }),
      'the configuration is for Windows nodes: it has vxlan_mac_prefix, which means nothing on Linux',
    ],
  ])('%s', (_name, text, why) => {
    expect(() => requireUsable(text, all)).toThrow(`the network configuration is not usable: ${why}`);
  });

  it('whose plugins or IPAM plugin are not installed', () => {
    const has = (type: string): boolean => type.startsWith('calico');
    expect(() => requireUsable(list(plugin, { type: 'portmap' }), has)).toThrow('the plugin portmap is not installed');
    expect(() => requireUsable(list({ type: 'calico', ipam: { type: 'host-local' } }), has)).toThrow(
      'the plugin host-local is not installed',
    );
  });
});

describe('credentials of the plugin', () => {
  const kubeconfig = (cluster: object): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: 'c', cluster }] });

  it('with a server and whole paths are accepted', async () => {
    const text = kubeconfig({ server: 'https://10.0.0.1', 'certificate-authority': '/etc/kubernetes/ca.crt' });
    await expect(requireCredentials(text, 'kubeconfig')).resolves.toBeUndefined();
  });

  it.each([
    ['name no server', '{}', 'kubeconfig: it is not a kubeconfig with a server'],
    [
      'name a file next to them, which is not copied',
      kubeconfig({ server: 'https://10.0.0.1', 'certificate-authority': 'ca.crt' }),
      'kubeconfig: ca.crt is relative to the file',
    ],
  ])('are refused when they %s', async (_name, text, why) => {
    await expect(requireCredentials(text, 'kubeconfig')).rejects.toThrow(why);
  });
});
