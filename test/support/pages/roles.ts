// The roles of docs/reference/rbac.md, and how they are given to users.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../src/resources/object.ts';
import { until } from '../program/until.ts';
import type { ApiServer } from '../servers/api-server.ts';
import type { AskedRight } from '../servers/recording-proxy.ts';

export interface Role extends KubeObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const page = readFileSync(fileURLToPath(new URL('../../../docs/reference/rbac.md', import.meta.url)), 'utf8');
/** The roles as they are on the page. */
export const roles: readonly Role[] = [...page.matchAll(/(?<=\n```yaml\n).*?(?=```\n)/gs)]
  .flatMap(([text]) => parseAllDocuments(text))
  .map((document) => document.toJS() as Role);
export const rolesNamed = (name: string): Role[] => roles.filter(({ metadata }) => metadata.name === name);

export const words = ({ group, resource, verb }: AskedRight): string =>
  `${verb} ${group === '' ? '' : `${group}/`}${resource}`;
export const rightsOf = (given: readonly Role[]): string[] =>
  given
    .flatMap(({ rules }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => words({ group, resource, verb }))),
      ),
    )
    .sort();

export const rbac = 'rbac.authorization.k8s.io';

/** Binds a role to a user: where the role is, or in this namespace only. */
export function binding(role: Role, user: string, namespace = role.metadata.namespace): KubeObject {
  const metadata = { name: `${role.metadata.name}-${user}`, ...(namespace === undefined ? {} : { namespace }) };
  return {
    apiVersion: `${rbac}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: role.kind, name: role.metadata.name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
  };
}

/** The server learns of roles and bindings a moment later. */
export async function untilAllowed(server: ApiServer, user: string, role: Role, namespace?: string): Promise<void> {
  for (const { apiGroups, resources, verbs } of role.rules) {
    const [resource, subresource] = (resources.at(-1) ?? '').split('/');
    const place = namespace ?? role.metadata.namespace;
    const resourceAttributes = {
      group: apiGroups[0],
      resource,
      verb: verbs.at(-1),
      ...(subresource === undefined ? {} : { subresource }),
      ...(place === undefined ? {} : { namespace: place }),
    };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes },
    };
    await until(
      async () => {
        const { body } = await server.admin.request(
          'POST',
          '/apis/authorization.k8s.io/v1/subjectaccessreviews',
          review,
        );
        return (JSON.parse(body) as { status: { allowed: boolean } }).status.allowed;
      },
      `${user} may ${verbs.at(-1)} ${resource}`,
    );
  }
}

/** The roles for projectcalico.org/v3, made with the command that the page gives. */
export function nativeRoles(): Role[] {
  const [, first, second] =
    /sed 's\/(\S+?)\/\[projectcalico\.org\]\/; s\/(\w+)\/ipamconfigurations\/'/.exec(page) ?? [];
  if (first === undefined || second === undefined) throw new Error('docs/reference/rbac.md has no sed command');
  return roles.map((role) => ({
    ...role,
    rules: role.rules.map((rule) => ({
      ...rule,
      apiGroups: rule.apiGroups.map((group) => (`[${group}]`.match(new RegExp(first)) ? 'projectcalico.org' : group)),
      resources: rule.resources.map((resource) => resource.replace(second, 'ipamconfigurations')),
    })),
  }));
}
