// The CNI protocol: variables, versions, configuration, arguments and results, as recorded from Calico's plugin 3.31.4.
import { describe, expect, it } from 'vitest';
import { CniError, errorJson } from '../../../src/cni/protocol/cni-error.ts';
import { netConfOf, rawConf, versionIn } from '../../../src/cni/protocol/net-conf.ts';
import { podArgsOf } from '../../../src/cni/protocol/pod-args.ts';
import { requestOf } from '../../../src/cni/protocol/request.ts';
import { type CniResult, resultJson, resultOf } from '../../../src/cni/protocol/result.ts';
import {
  calicoVersions,
  isAtLeast,
  requireCommand,
  requireSupported,
  versionJson,
} from '../../../src/cni/protocol/versions.ts';
import { type InterfaceAddress, parseInterface } from '../../../src/net/cidr.ts';

/** The error that a call throws, as a runtime reads it. */
function failureOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    if (error instanceof CniError) return JSON.parse(errorJson(error));
    throw error;
  }
  return 'no error';
}

const env = {
  CNI_COMMAND: 'ADD',
  CNI_CONTAINERID: 'c1',
  CNI_NETNS: '/run/netns/pod1',
  CNI_IFNAME: 'eth0',
  CNI_PATH: '/opt/cni/bin:/other',
};

describe('CNI variables', () => {
  it('a complete ADD is read, with each directory of the path', () => {
    expect(requestOf(env)).toEqual({
      command: 'ADD',
      containerId: 'c1',
      netns: '/run/netns/pod1',
      ifName: 'eth0',
      args: '',
      path: ['/opt/cni/bin', '/other'],
    });
  });

  it('without a command there is no request', () => {
    expect(requestOf({})).toBeUndefined();
  });

  it('everything that is missing is named at once, in the order of the specification', () => {
    expect(failureOf(() => requestOf({ CNI_COMMAND: 'ADD' }))).toEqual({
      code: 4,
      msg: 'required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME,CNI_PATH] missing',
    });
  });

  it('DEL needs no network namespace, which may be gone', () => {
    expect(requestOf({ ...env, CNI_COMMAND: 'DEL', CNI_NETNS: '' })).toMatchObject({ command: 'DEL', netns: '' });
  });

  it('a container id may not begin with a dash', () => {
    expect(failureOf(() => requestOf({ ...env, CNI_CONTAINERID: '-bad' }))).toEqual({
      code: 4,
      msg: 'invalid characters in containerID',
      details: '-bad',
    });
  });

  it('an interface name has at most 15 bytes, no slash, colon or blank, and is not one of the dots', () => {
    const message = (name: string): unknown => failureOf(() => requestOf({ ...env, CNI_IFNAME: name }));
    expect(message('sixteen-letters-')).toEqual({
      code: 4,
      msg: 'interface name is too long',
      details: 'interface name should be less than 16 characters',
    });
    expect(['a/b', 'a:b', 'a b'].map(message)).toEqual(
      Array.from({ length: 3 }, () => ({ code: 4, msg: 'interface name contains / or : or whitespace characters' })),
    );
    expect(message('..')).toEqual({ code: 4, msg: 'interface name is . or ..' });
    expect(message('fifteen-letters')).toBe('no error');
  });
});

describe('versions', () => {
  it('are compared number by number', () => {
    expect([isAtLeast('0.10.0', '0.4.0'), isAtLeast('0.3.1', '0.4.0'), isAtLeast('1.0.0', '1.0.0')]).toEqual([
      true,
      false,
      true,
    ]);
    expect(isAtLeast('abc', '0.1.0')).toBe(false);
  });

  it('a version that is not supported is refused with the list of those that are', () => {
    expect(failureOf(() => requireSupported('1.1.0', calicoVersions))).toEqual({
      code: 1,
      msg: 'incompatible CNI versions',
      details: 'config is "1.1.0", plugin supports ["0.1.0" "0.2.0" "0.3.0" "0.3.1" "0.4.0" "1.0.0"]',
    });
  });

  it('CHECK needs a configuration of 0.4.0, STATUS and GC one of 1.1.0 and a plugin that has them', () => {
    const refused = (command: string, version: string): unknown =>
      failureOf(() => requireCommand(command, version, calicoVersions));
    expect(refused('CHECK', '0.3.1')).toEqual({ code: 1, msg: 'config version does not allow CHECK' });
    expect(refused('CHECK', '0.4.0')).toBe('no error');
    expect(refused('STATUS', '1.0.0')).toEqual({ code: 1, msg: 'config version does not allow STATUS' });
    expect(refused('GC', '1.1.0')).toEqual({ code: 1, msg: 'plugin version does not allow GC' });
  });

  it('VERSION lists those that are supported', () => {
    expect(versionJson(calicoVersions)).toBe(
      '{"cniVersion":"1.1.0","supportedVersions":["0.1.0","0.2.0","0.3.0","0.3.1","0.4.0","1.0.0"]}\n',
    );
  });
});

describe('the network configuration', () => {
  it('of Calico is read with its defaults', () => {
    const conf = netConfOf(
      rawConf('{"name":"k8s-pod-network","ipam":{"type":"calico-ipam","assign_ipv6":"true"},"num_queues":-1}'),
    );
    expect(conf).toMatchObject({
      cniVersion: '0.2.0',
      mtu: 0,
      queues: 1,
      nodenameFile: '/var/lib/calico/nodename',
      ipam: { type: 'calico-ipam', assignIpv4: true, assignIpv6: true, ipv4Pools: [] },
      ipamLockFile: '/var/run/calico/ipam.lock',
      log: { path: '', maxSize: 100, maxAge: 30, maxCount: 10 },
    });
  });

  it('needs a name that consists of letters, digits, dots, dashes and underscores', () => {
    expect(failureOf(() => rawConf('{}'))).toEqual({ code: 7, msg: 'missing network name' });
    expect(failureOf(() => rawConf('null'))).toEqual({ code: 7, msg: 'missing network name' });
    expect(failureOf(() => rawConf('{"name":"bad name"}'))).toEqual({
      code: 7,
      msg: 'invalid characters found in network name',
      details: 'bad name',
    });
  });

  it('that is not JSON is refused with code 6 and the words of Go', () => {
    expect(failureOf(() => rawConf('{nonsense'))).toEqual({
      code: 6,
      msg: "error unmarshall network config: invalid character 'n' looking for beginning of object key string",
    });
  });

  it('with a field of a wrong type is refused with the name of the field', () => {
    const message = (field: object): unknown =>
      failureOf(() => netConfOf(rawConf(JSON.stringify({ name: 'n', ...field }))));
    const prefix = 'failed to load netconf: json: cannot unmarshal';
    expect(message({ mtu: 'x' })).toEqual({
      code: 999,
      msg: `${prefix} string into Go struct field NetConf.mtu of type int`,
    });
    expect(message({ mtu: 1.5 })).toEqual({
      code: 999,
      msg: `${prefix} number 1.5 into Go struct field NetConf.mtu of type int`,
    });
    expect(message({ policy: 'x' })).toEqual({
      code: 999,
      msg: `${prefix} string into Go struct field NetConf.policy of type types.Policy`,
    });
  });

  it('with a version that is a number is refused with code 6', () => {
    expect(failureOf(() => versionIn({ cniVersion: 1 }))).toEqual({
      code: 6,
      msg: 'decoding version from network config: json: cannot unmarshal number into Go struct field .cniVersion of type string',
    });
  });
});

describe('CNI_ARGS', () => {
  it('name the pod, and unknown ones are ignored when they may be', () => {
    expect(podArgsOf('IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-1;FOO=bar')).toEqual({
      namespace: 'shop',
      pod: 'web-1',
      infraContainerId: '',
      ip: undefined,
    });
    expect(failureOf(() => podArgsOf('FOO=bar'))).toEqual({ code: 999, msg: 'ARGS: unknown args ["FOO=bar"]' });
  });

  it('with a word that is not a pair, a wrong truth value or a wrong address are refused', () => {
    const message = (text: string): unknown => failureOf(() => podArgsOf(text));
    expect(message('K8S_POD_NAME')).toEqual({ code: 999, msg: 'ARGS: invalid pair "K8S_POD_NAME"' });
    expect(message('IgnoreUnknown=maybe')).toEqual({
      code: 999,
      msg: 'ARGS: error parsing value of pair "IgnoreUnknown=maybe": boolean unmarshal error: invalid input maybe',
    });
    expect(message('IP=x')).toEqual({
      code: 999,
      msg: 'ARGS: error parsing value of pair "IP=x": invalid IP address: x',
    });
  });
});

const result: CniResult = {
  interfaces: [
    { name: 'cali4150158b17d' },
    { name: 'eth0', mac: '2a:83:01:23:c5:65', mtu: 1450, sandbox: '/run/netns/pod4' },
  ],
  ips: ['10.244.174.135/32', 'fd00:244::8080/128'].map((text) => ({
    address: parseInterface(text) as InterfaceAddress,
    interface: 1,
  })),
};

describe('the result', () => {
  it('has no interfaces in version 0.2.0', () => {
    expect(JSON.parse(resultJson(result, '0.2.0'))).toEqual({
      cniVersion: '0.2.0',
      ip4: { ip: '10.244.174.135/32' },
      ip6: { ip: 'fd00:244::8080/128' },
      dns: {},
    });
  });

  it('has the family of each address, and no MTU, in version 0.3.1', () => {
    expect(JSON.parse(resultJson(result, '0.3.1'))).toEqual({
      cniVersion: '0.3.1',
      interfaces: [{ name: 'cali4150158b17d' }, { name: 'eth0', mac: '2a:83:01:23:c5:65', sandbox: '/run/netns/pod4' }],
      ips: [
        { version: '4', interface: 1, address: '10.244.174.135/32' },
        { version: '6', interface: 1, address: 'fd00:244::8080/128' },
      ],
      dns: {},
    });
  });

  it('has the MTU, and no family and no dns, in version 1.0.0', () => {
    expect(JSON.parse(resultJson(result, '1.0.0'))).toEqual({
      cniVersion: '1.0.0',
      interfaces: [
        { name: 'cali4150158b17d' },
        { name: 'eth0', mac: '2a:83:01:23:c5:65', mtu: 1450, sandbox: '/run/netns/pod4' },
      ],
      ips: [
        { address: '10.244.174.135/32', interface: 1 },
        { address: 'fd00:244::8080/128', interface: 1 },
      ],
    });
  });

  it('is read back from each of the forms with the same addresses', () => {
    const addresses = ['0.2.0', '0.3.1', '1.0.0'].map((version) =>
      resultOf(JSON.parse(resultJson(result, version))).ips.map(({ address }) => address),
    );
    expect(addresses).toEqual(Array.from({ length: 3 }, () => result.ips.map(({ address }) => address)));
  });
});
