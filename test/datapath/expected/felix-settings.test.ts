// The settings of Felix: defaults, the node's own configuration over the common one, names of protocols.
import { expect, it } from 'vitest';
import { felixSettings, protocolName } from '../../../src/datapath/expected/felix-settings.ts';
import { felixConfiguration } from '../../support/recorded/network.ts';

it("without a configuration Calico's defaults apply", () => {
  expect(felixSettings([])('node-a')).toMatchObject({
    interfacePrefixes: ['cali'],
    vxlanPort: 4789,
    vxlanVni: 4096,
    wireguardRulePriority: 99,
    routeProtocol: undefined,
    ipipOwner: 'either',
    plainOwner: 'bird',
    workloadRoutes: false,
    bpf: false,
    nftablesMode: undefined,
  });
});

it("a node's own configuration overrides the default one field by field", () => {
  const of = felixSettings([
    felixConfiguration({ vxlanVNI: 5000, vxlanPort: 8472, interfacePrefix: 'cali, tap' }),
    felixConfiguration({ vxlanVNI: 6000 }, 'node.node-b'),
    felixConfiguration({ vxlanVNI: 7000 }, 'other'),
  ]);
  expect(of('node-a')).toMatchObject({ vxlanVni: 5000, vxlanPort: 8472, interfacePrefixes: ['cali', 'tap'] });
  expect(of('node-b')).toMatchObject({ vxlanVni: 6000, vxlanPort: 8472, interfacePrefixes: ['cali', 'tap'] });
});

it.each([
  [undefined, 'either', 'bird'],
  ['Disabled', 'bird', 'bird'],
  ['Enabled', 'either', 'either'],
  ['EnabledIPIPOnly', 'felix', 'bird'],
  ['EnabledNoEncapOnly', 'bird', 'felix'],
])('programClusterRoutes %s decides who programs routes', (programClusterRoutes, ipipOwner, plainOwner) => {
  const spec = programClusterRoutes === undefined ? {} : { programClusterRoutes };
  expect(felixSettings([felixConfiguration(spec)])('n')).toMatchObject({ ipipOwner, plainOwner });
});

it('an MTU of 0 means unset, and route protocol 3 the usual ones', () => {
  const settings = felixSettings([felixConfiguration({ ipipMTU: 0, vxlanMTU: 1400, deviceRouteProtocol: 3 })])('n');
  expect(settings).toMatchObject({ ipipMtu: undefined, vxlanMtu: 1400, routeProtocol: undefined });
});

it.each([
  ['12', 'bird'],
  ['3', 'boot'],
  ['80', '80'],
  ['static', 'static'],
])('route protocol %s is named %s', (number, name) => {
  expect(protocolName(number)).toBe(name);
});
