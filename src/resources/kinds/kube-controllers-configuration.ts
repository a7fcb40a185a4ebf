// KubeControllersConfiguration `default`: the settings of calico-kube-controllers.

import { nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import {
  choice,
  cidr,
  duration,
  field,
  fields,
  integer,
  list,
  map,
  object,
  port,
  regex,
  selector,
  text,
  type Values,
} from '../field.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { kubeControllersConfigurationRules } from '../rules/configuration.ts';
import { logLevels } from '../rules/tags.ts';

const onOff = choice('oneof', 'Enabled', 'Disabled');

const reconcilerPeriod = field(
  duration,
  'How often the controller compares everything, in addition to reacting to changes.',
  {
    omit: 'unset',
    default: '5m0s',
  },
);

const periodOnly = object({ reconcilerPeriod });

const template = fields(() => ({
  generateName: field(text, 'Prefix of the names of the host endpoints.'),
  interfaceCIDRs: field(list(cidr), 'Ranges of the addresses that a host endpoint expects.'),
  interfacePattern: field(regex, 'Names of the interfaces that get a host endpoint.'),
  labels: field(map(text), 'Labels of the host endpoints.'),
  nodeSelector: field(selector, 'Nodes that get such host endpoints.'),
}));

const hostEndpoint = fields(() => ({
  autoCreate: field(onOff, 'Whether every node gets a host endpoint.', { default: 'Disabled' }),
  createDefaultHostEndpoint: field(
    choice('createDefaultHostEndpoint', 'Enabled', 'Disabled'),
    'Whether autoCreate creates a host endpoint for all interfaces of each node.',
    {
      default: 'Enabled',
    },
  ),
  templates: field(
    list(object(template, { struct: 'Template' })),
    'Further host endpoints that are created for nodes.',
  ),
}));

const node = fields(() => ({
  reconcilerPeriod,
  syncLabels: field(onOff, 'Whether labels of Kubernetes nodes are copied to Calico nodes; etcd only.', {
    default: 'Enabled',
  }),
  hostEndpoint: field(
    object(hostEndpoint, { struct: 'AutoHostEndpointConfig' }),
    'Which host endpoints are created for nodes.',
  ),
  leakGracePeriod: field(duration, 'How long an address must look leaked before it is released; 0 for no release.', {
    omit: 'unset',
    default: '15m0s',
  }),
}));

const controllers = fields(() => ({
  node: field(
    object(node, { struct: 'NodeControllerConfig' }),
    'Cleans up after nodes that were deleted, and releases leaked addresses.',
  ),
  policy: field(periodOnly, 'Copies Kubernetes network policies; etcd only.'),
  workloadEndpoint: field(periodOnly, 'Keeps the labels of workload endpoints up to date; etcd only.'),
  serviceAccount: field(periodOnly, 'Creates a profile for each service account; etcd only.'),
  namespace: field(periodOnly, 'Creates a profile for each namespace; etcd only.'),
  loadBalancer: field(
    object({
      assignIPs: field(choice('assignIPs', 'AllServices', 'RequestedServicesOnly'), 'Which services get addresses.', {
        default: 'AllServices',
      }),
    }),
    'Assigns addresses to services of type LoadBalancer.',
  ),
  policyMigration: field(
    object({ enabled: field(onOff, 'Whether this controller runs.', { default: 'Enabled' }) }),
    'Renames stored policies of older versions as Calico names them from 3.32 on.',
    { since: '3.32' },
  ),
}));

const config = fields(() => ({
  logSeverityScreen: field(choice('logLevel', ...logLevels), 'Lowest severity that is logged.', {
    default: 'Info',
  }),
  healthChecks: field(onOff, 'Whether the controllers report whether they are healthy.', { default: 'Enabled' }),
  etcdV3CompactionPeriod: field(duration, 'How often etcd is compacted; 0 for never.', {
    omit: 'unset',
    default: '10m0s',
  }),
  prometheusMetricsPort: field(integer({ min: 0, max: 65535 }), 'Port at which metrics are served; 0 for none.', {
    omit: 'unset',
    default: 9094,
  }),
  controllers: field(
    object(controllers, { struct: 'ControllersConfig' }),
    'Controllers that run, each with its settings.',
    { omit: 'never' },
  ),
  debugProfilePort: field(port, 'Port at which memory and CPU profiles are served; none are served when unset.', {
    omit: 'unset',
  }),
}));

const status = fields(() => ({
  runningConfig: field(object(config), 'Settings in effect: those of the object and of the environment.', {
    omit: 'never',
    omitFrom: '3.32',
  }),
  environmentVars: field(map(text), 'Environment variables that override settings.'),
}));

export interface KubeControllersConfiguration extends KubeObject {
  spec: Values<typeof config>;
  status?: Values<typeof status>;
}

export const kubeControllersConfiguration: Kind<KubeControllersConfiguration> = {
  kind: 'KubeControllersConfiguration',
  about: 'Settings of calico-kube-controllers; one object, `default`.',
  aliases: [
    'kubecontrollersconfiguration',
    'kubecontrollersconfigurations',
    'kubecontrollersconfig',
    'kubecontrollersconfigs',
  ],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'kubecontrollersconfigurations' },
  fields: { spec: config, status },
  rules: kubeControllersConfigurationRules,
  codec: customResource,
  columns: { default: [nameColumn], wide: [nameColumn] },
};
