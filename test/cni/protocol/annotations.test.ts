// Annotations that change how a pod is connected, with the errors recorded from Calico's plugin 3.31.4.
import { describe, expect, it } from 'vitest';
import {
  checkFloatingIps,
  checkSourcePrefixes,
  fixedAddresses,
  requestedIpam,
  requestedMac,
} from '../../../src/cni/protocol/annotations.ts';
import { routesOf, usesPodCidr, withPodCidrs } from '../../../src/cni/protocol/host-local.ts';
import { netConfOf } from '../../../src/cni/protocol/net-conf.ts';
import { formatCidr } from '../../../src/net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../../../src/net/ip.ts';

const conf = { type: 'calico-ipam', assignIpv4: true, assignIpv6: false, ipv4Pools: ['of-conf'], ipv6Pools: [] };
const of = (annotations: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`cni.projectcalico.org/${name}`, value]));

describe('pools and families', () => {
  it('come from the pod, then from its namespace, then from the configuration', () => {
    const pod = of({ ipv4pools: '["of-pod"]' });
    const namespace = of({ ipv4pools: '["of-namespace"]' });
    expect(requestedIpam(conf, pod, namespace).ipv4Pools).toEqual(['of-pod']);
    expect(requestedIpam(conf, {}, namespace).ipv4Pools).toEqual(['of-namespace']);
    expect(requestedIpam(conf, {}, {}).ipv4Pools).toEqual(['of-conf']);
  });

  it('families of an annotation replace those of the configuration', () => {
    expect(requestedIpam(conf, of({ ipFamilies: '["IPv6"]' }), {})).toMatchObject({
      assignIpv4: false,
      assignIpv6: true,
    });
  });

  it('text that is not a list of them is an error', () => {
    expect(() => requestedIpam(conf, of({ ipv4pools: 'second' }), {})).toThrow(
      "invalid character 's' looking for beginning of value",
    );
    expect(() => requestedIpam(conf, of({ ipv4pools: '[1]' }), {})).toThrow(
      'json: cannot unmarshal number into Go value of type string',
    );
    expect(() => requestedIpam(conf, of({ ipFamilies: '["IPv5"]' }), {})).toThrow('error parsing ipFamilies: ["IPv5"]');
  });
});

describe('fixed addresses', () => {
  it('keep their order, at most one of each family', () => {
    expect(fixedAddresses('["fd00:244::5","10.244.0.9"]', 'ipAddrs').map(formatIp)).toEqual([
      'fd00:244::5',
      '10.244.0.9',
    ]);
    expect(() => fixedAddresses('["10.0.0.1","10.0.0.2"]', 'ipAddrs')).toThrow(
      'cannot have more than one IPv4 address for "cni.projectcalico.org/ipAddrs" annotation',
    );
  });

  it('an empty list, other text and an invalid address are errors', () => {
    expect(() => fixedAddresses('[]', 'ipAddrsNoIpam')).toThrow(
      'annotation "cni.projectcalico.org/ipAddrsNoIpam" specified but empty',
    );
    expect(() => fixedAddresses('["10.244.0"]', 'ipAddrs')).toThrow('invalid IP format: 10.244.0');
    expect(() => fixedAddresses('10.244.0.1', 'ipAddrs')).toThrow(
      'failed to parse IPs 10.244.0.1 for annotation "cni.projectcalico.org/ipAddrs": ' +
        "failed to parse '10.244.0.1' as JSON: invalid character '.' after top-level value",
    );
  });
});

describe('MAC addresses', () => {
  it('are read in the three spellings of Go, and written in one', () => {
    expect(['02:AA:00:00:00:01', '02-aa-00-00-00-01', '02aa.0000.0001'].map(requestedMac)).toEqual(
      Array.from({ length: 3 }, () => '02:aa:00:00:00:01'),
    );
    expect(requestedMac('')).toBeUndefined();
  });

  it('anything else is an error that names the annotation', () => {
    expect(() => requestedMac('zz')).toThrow(
      'failed to parse MAC address zz provided via cni.projectcalico.org/hwAddr: address zz: invalid MAC address',
    );
  });
});

describe('floating addresses and source prefixes', () => {
  it('a floating address needs an address of the pod in its family', () => {
    const addresses = [parseIp('10.0.0.1') as IpAddress];
    expect(() => checkFloatingIps('["1.2.3.4"]', addresses)).not.toThrow();
    expect(() => checkFloatingIps('["fd99::1"]', addresses)).toThrow('the pod has no IPv6 address');
    expect(() => checkFloatingIps('["1.2.3"]', addresses)).toThrow('invalid IP format: 1.2.3');
  });

  it('a source prefix is a CIDR', () => {
    expect(() => checkSourcePrefixes('["1.2.3.0/24"]')).not.toThrow();
    expect(() => checkSourcePrefixes('["1.2.3.4"]')).toThrow(
      "failed to parse '1.2.3.4' as a CIDR: invalid CIDR address: 1.2.3.4",
    );
  });
});

describe('host-local IPAM', () => {
  const raw = {
    ipam: {
      type: 'host-local',
      ranges: [[{ subnet: 'usePodCidr' }], [{ subnet: 'usePodCidrIPv6' }], [{ subnet: '10.1.0.0/24' }]],
      routes: [{ dst: '10.0.0.0/8' }, { gw: '10.0.0.1' }],
    },
  };

  it('the words for the ranges of the node are replaced, other ranges stay', () => {
    expect(usesPodCidr(raw)).toBe(true);
    expect(withPodCidrs(raw, { 4: '10.9.0.0/24', 6: 'fd09::/64' })['ipam']).toMatchObject({
      ranges: [[{ subnet: '10.9.0.0/24' }], [{ subnet: 'fd09::/64' }], [{ subnet: '10.1.0.0/24' }]],
    });
  });

  it('a node without a range of the family is an error', () => {
    expect(() => withPodCidrs(raw, { 4: '10.9.0.0/24' })).toThrow('the node has no IPv6 pod CIDR for usePodCidr');
  });

  const routes = (changes: object): string[] =>
    routesOf(netConfOf({ cniVersion: '1.0.0', name: 'net', ...raw, ...changes })).map(formatCidr);

  it('routes are read by their destinations, one without is ignored, and they replace the default routes', () => {
    expect(routes({})).toEqual(['10.0.0.0/8']);
    expect(routes({ include_default_routes: true })).toEqual(['0.0.0.0/0', '::/0', '10.0.0.0/8']);
    expect(routes({ ipam: { type: 'host-local' } })).toEqual(['0.0.0.0/0', '::/0']);
  });

  it('routes of another type of IPAM are not those of the pod', () => {
    expect(routes({ ipam: { ...raw.ipam, type: 'calico-ipam' } })).toEqual(['0.0.0.0/0', '::/0']);
  });
});
