// The Go names of all fields, asked of calicoctl v3.31.4: a template with a name that its code does not have is an error.
import { beforeAll, describe, expect, it } from 'vitest';
import { explainKind, type FieldExplanation } from '../../src/resources/explain.ts';
import { goName } from '../../src/resources/go-names.ts';
import { isInCalicoctl, type Kind } from '../../src/resources/kind.ts';
import { kinds } from '../../src/resources/kinds.ts';
import { commonKinds, everyKind } from '../support/clusters/every-kind.ts';
import { cluster } from '../support/clusters/seeded-cluster.ts';
import { reference, runReference } from '../support/program/reference-calicoctl.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';

/** Fields that came with Calico 3.32. */
const later: Readonly<Record<string, readonly string[]>> = {
  BGPConfiguration: ['programClusterRoutes', 'RoutePriority'],
  BGPFilter: ['peerType', 'communities', 'asPathPrefix', 'priority', 'operations'],
  BGPPeer: ['keepaliveTime'],
  FelixConfiguration: [
    'spec.nodeSelector',
    'RoutePriority',
    'liveMigrationRouteConvergenceTime',
    'istioAmbientMode',
    'istioDSCPMark',
    'bpfMaglevMaxEndpointsPerService',
    'bpfMaglevMaxServices',
    'prometheusMetricsCAFile',
    'prometheusMetricsCertFile',
    'prometheusMetricsKeyFile',
    'prometheusMetricsClientAuth',
  ],
  IPPool: ['status'],
  KubeControllersConfiguration: ['policyMigration'],
  Tier: ['status'],
};

/** A template that looks at every field and prints nothing. */
function template(kind: Kind, fields: readonly FieldExplanation[]): string {
  return fields
    .filter(({ path }) => !later[kind.kind]?.some((one) => path.endsWith(one) || path === one))
    .map(({ path, type, fields: inner }) => {
      const name = `.${goName(kind, path)}`;
      if (inner.length === 0) return `{{if ${name}}}{{end}}`;
      const within = template(kind, inner);
      return type === 'object' ? `{{with ${name}}}${within}{{end}}` : `{{range ${name}}}${within}{{end}}`;
    })
    .join('');
}

describe.skipIf(reference === undefined)('next to calicoctl (skipped unless CALICOCTL names it)', () => {
  describeWithApiServer('on Kubernetes', (server) => {
    beforeAll(async () => {
      const { objects } = cluster({ seed: 8, nodes: 1, podsPerNode: 1, namespaces: ['shop'] });
      const own = new Set(commonKinds.map(({ kind }) => kind));
      await server().admin.load([...objects.filter(({ kind }) => !own.has(kind)), ...commonKinds, ...everyKind]);
    });

    it.each(kinds.filter(isInCalicoctl).map((kind) => [kind.kind, kind] as const))(
      'calicoctl has the Go names of all fields of %s',
      async (_, kind) => {
        const env = { DATASTORE_TYPE: 'kubernetes', KUBECONFIG: server().kubeconfig, HOME: '/nonexistent' };
        const wanted = explainKind(kind).fields;
        const text = `{{range .}}{{range .Items}}${template(kind, wanted)}{{end}}{{end}}`;
        const place = kind.namespaced ? ['-A'] : [];
        const { stderr } = await runReference(['get', kind.api.plural, ...place, '-o', `go-template=${text}`], env);
        expect(stderr.split('\n', 1)[0]).toBe('');
      },
    );
  });
});
