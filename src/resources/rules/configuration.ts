// Rules and defaults for the settings of Felix, of kube-controllers and of the cluster, and for nodes and workload
// endpoints: docs/reference/validation.md.
import { parseCidrOrIp } from '../../net/cidr.ts';
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
  const field = 'RouteTableRange';
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
    const { min = 0, max = 0 } = membersOf(spec['routeTableRange']);
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
  for (const one of listOf(spec['externalNodesList'])) {
    if (parseCidrOrIp(String(one)) !== undefined) continue;
    add('externalNodesList', 'must have CIDRs only', 'ExternalNodesCIDRList', one, 'has invalid CIDR(s)');
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
    const words = `an IPv${version} address`;
    const goField = `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`.replace('Nat', 'NAT');
    add(field, `must be ${words}`, goField, value, `is not a valid IPv${version} address`);
  }
  listOf(spec['healthTimeoutOverrides'])
    .map(membersOf)
    .forEach((override, index) => {
      const name = String(override['name'] ?? '');
      if (/^[a-zA-Z0-9_ -]+$/.test(name)) return;
      const value = `{${name} {${goText(override['timeout'] ?? '0s')}}}`;
      const details = {
        field: 'HealthTimeoutOverride.Name',
        value,
        reason: 'name should match regex ^[a-zA-Z0-9_ -]+$',
      };
      const words = "must have letters, digits, '_', spaces and '-' only";
      found.push(problem(['spec', 'healthTimeoutOverrides', index, 'name'], words, details));
    });
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
function onlyDefault(what: string) {
  return ({ object, stored }: Write): RuleProblem[] => {
    const { name } = object.metadata;
    if (stored !== undefined || name === 'default') return [];
    const reason = `Cannot create a ${what} resource with a name other than "default"`;
    return [
      { path: ['metadata', 'name'], message: 'must be default: there is one such object', calicoctl: { reason } },
    ];
  };
}

export const clusterInformationRules: Rules<never> = {
  lastProblems: onlyDefault('Cluster Information') as never,
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
  lastProblems: onlyDefault('Kube Controllers Configuration') as never,
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
