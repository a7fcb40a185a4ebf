// KubeControllersConfiguration `default`: what calico-kube-controllers run with.
import * as z from 'zod/mini';
import { normalGoDuration } from '../../text/go-duration.ts';
import { nameColumn } from '../cells.ts';
import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { integer, objectSchema, text, textMap, texts } from '../schema.ts';

const periodOnly = z.optional(z.looseObject({ reconcilerPeriod: text }));

const template = z.looseObject({
  generateName: text,
  interfaceCIDRs: texts,
  interfacePattern: text,
  labels: textMap,
  nodeSelector: text,
});

const node = z.looseObject({
  reconcilerPeriod: text,
  syncLabels: text,
  hostEndpoint: z.optional(
    z.looseObject({ autoCreate: text, createDefaultHostEndpoint: text, templates: z.optional(z.array(template)) }),
  ),
  /** Go duration; how long an address may look leaked before it is released. */
  leakGracePeriod: text,
});

const config = z.looseObject({
  logSeverityScreen: text,
  healthChecks: text,
  etcdV3CompactionPeriod: text,
  prometheusMetricsPort: integer,
  controllers: z.optional(
    z.looseObject({
      node: z.optional(node),
      policy: periodOnly,
      workloadEndpoint: periodOnly,
      serviceAccount: periodOnly,
      namespace: periodOnly,
      /** There when Calico assigns addresses of LoadBalancer services. */
      loadBalancer: z.optional(z.looseObject({ assignIPs: text })),
    }),
  ),
  debugProfilePort: integer,
});

const status = z.looseObject({ runningConfig: z.optional(config), environmentVars: textMap });

export interface KubeControllersConfiguration extends KubeObject {
  spec: z.infer<typeof config>;
  status?: z.infer<typeof status>;
}

const durationFields: readonly string[] = ['reconcilerPeriod', 'leakGracePeriod', 'etcdV3CompactionPeriod'];

/** A copy of any part of the object with its durations as Go prints them. */
function withNormalDurations<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withNormalDurations) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, entry]: [string, unknown]) => [
    name,
    typeof entry === 'string' && durationFields.includes(name) ? normalGoDuration(entry) : withNormalDurations(entry),
  ]);
  return Object.fromEntries(entries) as T;
}

/** Field order of the configuration at the given path. */
function configOrder(path: string): Record<string, readonly string[]> {
  return {
    [path]: [
      'logSeverityScreen',
      'healthChecks',
      'etcdV3CompactionPeriod?',
      'prometheusMetricsPort?',
      'controllers*',
      'debugProfilePort?',
    ],
    [`${path}.controllers`]: ['node', 'policy', 'workloadEndpoint', 'serviceAccount', 'namespace', 'loadBalancer'],
    [`${path}.controllers.node`]: ['reconcilerPeriod?', 'syncLabels', 'hostEndpoint', 'leakGracePeriod?'],
    [`${path}.controllers.node.hostEndpoint`]: ['autoCreate', 'createDefaultHostEndpoint', 'templates'],
    [`${path}.controllers.node.hostEndpoint.templates`]: [
      'generateName',
      'interfaceCIDRs',
      'interfacePattern',
      'labels',
      'nodeSelector',
    ],
    [`${path}.controllers.policy`]: ['reconcilerPeriod?'],
    [`${path}.controllers.workloadEndpoint`]: ['reconcilerPeriod?'],
    [`${path}.controllers.serviceAccount`]: ['reconcilerPeriod?'],
    [`${path}.controllers.namespace`]: ['reconcilerPeriod?'],
    [`${path}.controllers.loadBalancer`]: ['assignIPs'],
  };
}

export const kubeControllersConfiguration: Kind<KubeControllersConfiguration> = {
  kind: 'KubeControllersConfiguration',
  aliases: [
    'kubecontrollersconfiguration',
    'kubecontrollersconfigurations',
    'kubecontrollersconfig',
    'kubecontrollersconfigs',
  ],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'kubecontrollersconfigurations' },
  v3: true,
  onCommandLine: true,
  schema: objectSchema({ spec: config, status: z.optional(status) }),
  int64: [],
  withDefaults: ({ spec, status, ...rest }) => ({
    ...rest,
    spec: withNormalDurations(spec),
    ...(status === undefined ? {} : { status: withNormalDurations(status) }),
  }),
  columns: { default: [nameColumn], wide: [nameColumn] },
  fieldOrder: {
    ...configOrder('spec'),
    status: ['runningConfig*', 'environmentVars'],
    ...configOrder('status.runningConfig'),
  },
};
