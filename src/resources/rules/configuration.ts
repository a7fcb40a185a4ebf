// Rules and defaults for the settings of Felix, of kube-controllers and of the cluster, and for nodes and workload
// endpoints: docs/reference/validation.md.
import { parseCidr, parseCidrOrIp } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { Rules, Write } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { goText, problem, type RuleProblem } from './rule-problem.ts';

type Members = Readonly<Record<string, unknown>>;

interface Settings extends KubeObject {
  spec: Members;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

const largestTable = 2 ** 32 - 1;
const mostTables = 0xffff;

/** What is wrong with a range of numbers of routing tables. */
function tableRangeProblems(range: Members, at: readonly (string | number)[]): RuleProblem[] {
  const min = Number(range['min'] ?? 0);
  const max = Number(range['max'] ?? 0);
  const value = `{${min} ${max}}`;
  const field = 'FelixConfiguration.Spec.RouteTableRanges';
  if (min > max) {
    return [problem(at, 'has min above max', { field, value, reason: 'min value cannot be greater than max value' })];
  }
  if (min < 1) return [problem(at, 'must begin at 1 or above', { field, value, reason: 'cannot target indices < 1' })];
  if (max > largestTable) {
    return [problem(at, `must end at ${largestTable} or below`, { field, value, reason: 'max index too high' })];
  }
  return [];
}

function felixProblems({ spec }: Settings): RuleProblem[] {
  const found: RuleProblem[] = [];
  const ranges = listOf(spec['routeTableRanges']).map(membersOf);
  const add = (field: string, message: string, goField: string, value: unknown, reason: string): void => {
    found.push(problem(['spec', field], message, { field: goField, value, reason }));
  };
  if (spec['routeTableRange'] !== undefined) {
    const { min, max } = membersOf(spec['routeTableRange']);
    const isRight = Number(min) >= 1 && Number(max) <= 250 && Number(min) <= Number(max);
    const value = `{${goText(min)} ${goText(max)}}`;
    if (!isRight) {
      const reason = 'must be a range of route table indices within 1..250';
      add('routeTableRange', 'must be a range within 1 to 250', 'RouteTableRange', value, reason);
    }
    if (spec['routeTableRanges'] !== undefined) {
      const reason = 'cannot be set when `RouteTableRanges` is also set';
      add('routeTableRange', 'cannot be set together with routeTableRanges', 'RouteTableRange', value, reason);
    }
  }
  for (const [index, range] of ranges.entries()) {
    found.push(...tableRangeProblems(range, ['spec', 'routeTableRanges', index]));
  }
  const tables = ranges.reduce((sum, { min, max }) => sum + Math.max(0, Number(max) - Number(min) + 1), 0);
  if (tables > mostTables) {
    const words = `has ${tables} tables, more than ${mostTables}`;
    add('routeTableRanges', words, 'FelixConfiguration.Spec.RouteTableRanges', '', 'targets too many tables');
  }
  const nodePorts = listOf(spec['kubeNodePortRanges']);
  if (nodePorts.length > 7) {
    const reason = 'node port ranges list is too long (max 7)';
    add('kubeNodePortRanges', 'has more than 7 ranges', 'KubeNodePortRanges', nodePorts, reason);
  }
  if (nodePorts.some((one) => !/^\d+(?::\d+)?$/.test(String(one)))) {
    const reason = 'node port ranges should not contain named ports';
    add('kubeNodePortRanges', 'must have numbers only', 'KubeNodePortRanges', nodePorts, reason);
  }
  const isBad = (one: unknown): boolean => parseCidrOrIp(String(one)) === undefined;
  if (listOf(spec['externalNodesList']).some(isBad)) {
    add(
      'externalNodesList',
      'must have CIDRs only',
      'ExternalNodesCIDRList',
      spec['externalNodesList'],
      'has invalid CIDR(s)',
    );
  }
  const { openstackRegion } = spec;
  if (typeof openstackRegion === 'string' && openstackRegion !== '') {
    if (openstackRegion.length > 46) {
      add('openstackRegion', 'has more than 46 characters', 'OpenstackRegion', openstackRegion, 'is too long');
    } else if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(openstackRegion)) {
      add('openstackRegion', 'must be a DNS label', 'OpenstackRegion', openstackRegion, 'must be a valid DNS label');
    }
  }
  for (const [field, version] of [
    ['natOutgoingAddress', 4],
    ['deviceRouteSourceAddress', 4],
    ['deviceRouteSourceAddressIPv6', 6],
  ] as const) {
    const value = spec[field];
    if (typeof value !== 'string' || value === '' || parseIp(value)?.version === version) continue;
    found.push({ path: ['spec', field], message: `must be an IPv${version} address` });
  }
  return found;
}

/** Load balancing at connect time: the new field follows the old one, which is a switch. */
function felixDefaulted(object: Settings): Settings {
  const { spec } = object;
  const old = spec['bpfConnectTimeLoadBalancingEnabled'];
  const connectTime = typeof old === 'boolean' ? (old ? 'Enabled' : 'Disabled') : undefined;
  return {
    ...object,
    spec: {
      ...spec,
      floatingIPs: spec['floatingIPs'] ?? 'Disabled',
      bpfConnectTimeLoadBalancing: connectTime ?? spec['bpfConnectTimeLoadBalancing'] ?? 'TCP',
      bpfHostNetworkedNATWithoutCTLB:
        connectTime === undefined ? (spec['bpfHostNetworkedNATWithoutCTLB'] ?? 'Enabled') : 'Disabled',
    },
  };
}

export const felixConfigurationRules: Rules<never> = {
  problems: felixProblems as (object: never) => RuleProblem[],
  defaulted: felixDefaulted as unknown as (object: never) => never,
};

/** There is one object of the kind, `default`. */
function onlyDefault(what: string, field: string) {
  return ({ object, stored }: Write): RuleProblem[] => {
    const { name } = object.metadata;
    if (stored !== undefined || name === 'default') return [];
    const reason = `Cannot create a ${what} resource with a name other than "default"`;
    return [problem(['metadata', 'name'], 'must be default: there is one such object', { field, value: name, reason })];
  };
}

export const clusterInformationRules: Rules<never> = {
  writeProblems: onlyDefault('Cluster Information', 'Metadata.Name') as never,
};

/** What kube-controllers would assume itself is written down. */
function controllersDefaulted(object: Settings): Settings {
  const { spec } = object;
  const controllers = membersOf(spec['controllers']);
  const node = controllers['node'];
  const loadBalancer = controllers['loadBalancer'];
  return {
    ...object,
    spec: {
      ...spec,
      prometheusMetricsPort: spec['prometheusMetricsPort'] ?? 9094,
      controllers: {
        ...controllers,
        ...(node === undefined
          ? {}
          : { node: { ...membersOf(node), leakGracePeriod: membersOf(node)['leakGracePeriod'] ?? '15m0s' } }),
        ...(loadBalancer === undefined
          ? {}
          : {
              loadBalancer: {
                ...membersOf(loadBalancer),
                assignIPs: membersOf(loadBalancer)['assignIPs'] || 'AllServices',
              },
            }),
      },
    },
  };
}

/** The templates of host endpoints, which only a write checks in calicoctl. */
function templateProblems({ spec }: Settings): RuleProblem[] {
  const hostEndpoint = membersOf(membersOf(membersOf(spec['controllers'])['node'])['hostEndpoint']);
  const seen = new Set<unknown>();
  return listOf(hostEndpoint['templates']).flatMap((one, index) => {
    const template = membersOf(one);
    const at = ['spec', 'controllers', 'node', 'hostEndpoint', 'templates', index];
    const name = String(template['generateName'] ?? '');
    const found: RuleProblem[] = [];
    const say = (field: string, message: string): void => {
      found.push({ path: [...at, field], message });
    };
    if (name === '') say('generateName', 'is missing');
    else if (name.length > 253) say('generateName', 'has more than 253 characters');
    else if (seen.has(name)) say('generateName', 'is the name of another template too');
    seen.add(name);
    if (listOf(template['interfaceCIDRs']).length === 0 && !template['interfacePattern']) {
      say('interfaceCIDRs', 'is missing, and interfacePattern too');
    }
    return found;
  });
}

export const kubeControllersConfigurationRules: Rules<never> = {
  problems: templateProblems as (object: never) => RuleProblem[],
  defaulted: controllersDefaulted as unknown as (object: never) => never,
  writeProblems: onlyDefault('Kube Controllers Configuration', 'Metadata.Name') as never,
};

export const nodeRules: Rules<never> = {
  problems: ({ spec }: Settings) => {
    const { bgp } = spec;
    if (bgp === undefined || bgp === null) return [];
    if (Object.values(membersOf(bgp)).some((value) => value !== undefined && value !== '')) return [];
    const details = { field: 'BGP', value: '&{<nil>    }', reason: 'Spec.BGP should not be empty' };
    return [problem(['spec', 'bgp'], 'is empty: leave it out, or set an address', details)];
  },
};

export const workloadEndpointRules: Rules<never> = {
  problems: ({ spec }: Settings) => {
    const found: RuleProblem[] = [];
    const networks = listOf(spec['ipNetworks']).map(String);
    networks.forEach((network, index) => {
      const cidr = parseCidrOrIp(network);
      if (cidr === undefined || cidr.prefix === (cidr.version === 4 ? 32 : 128)) return;
      const details = {
        field: 'WorkloadEndpointSpec.IPNetworks',
        value: networks,
        reason: 'IP network contains multiple addresses',
      };
      found.push(problem(['spec', 'ipNetworks', index], 'must be one address: /32 or /128', details));
    });
    listOf(spec['ipNATs']).forEach((one, index) => {
      const { internalIP = '', externalIP = '' } = membersOf(one);
      const [internal, external] = [parseIp(String(internalIP)), parseIp(String(externalIP))];
      const at = ['spec', 'ipNATs', index];
      if (internal === undefined || external === undefined) return;
      if (internal.version !== external.version) {
        found.push({ path: [...at, 'externalIP'], message: 'must be of the same family as internalIP' });
      }
      const isOwn = networks.some((network) => {
        const own = parseCidr(network)?.base ?? parseIp(network);
        return own?.version === internal.version && own.value === internal.value;
      });
      if (!isOwn) found.push({ path: [...at, 'internalIP'], message: 'must be one of ipNetworks' });
    });
    for (const [field, version] of [
      ['ipv4Gateway', 4],
      ['ipv6Gateway', 6],
    ] as const) {
      const value = spec[field];
      if (typeof value !== 'string' || value === '' || parseIp(value)?.version === version) continue;
      found.push({ path: ['spec', field], message: `must be an IPv${version} address` });
    }
    return found;
  },
};
