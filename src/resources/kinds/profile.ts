// Profile: the rules that apply to an endpoint when no policy does, and labels that it inherits. In a Kubernetes datastore
// each namespace and each service account has one; only folders and etcd store profiles.
import { column, nameColumn } from '../cells.ts';
import { customResource } from '../convert/custom-resource.ts';
import { defaultProfile, profileOfNamespace, profileOfServiceAccount } from '../convert/profile.ts';
import { type Kind, type Refusal, v3ApiVersion } from '../kind.ts';
import { notSupported } from '../refusals.ts';
import { namespace } from './namespace.ts';
import { defaultProfileName, type Profile, profileSpec } from './profile-fields.ts';
import { serviceAccount } from './service-account.ts';

function nameProblem(name: string): string {
  if (name === '') return 'Profile key missing name: Profile()';
  if (/^(?:kns\.|ksa\.[^.]*\.)$/.test(name)) return 'resource name may not be empty';
  return name.startsWith('ksa.') ? `Profile ${name} is not formatted correctly` : `Invalid name ${name}`;
}

const isDefault = (name: string): boolean => name === defaultProfileName;

const hint = 'a profile follows its namespace or service account: change that with kubectl';
const ofCalico = 'Calico provides this profile';

const refusals: readonly Refusal[] = [
  {
    verbs: ['create'],
    names: (name, calicoApi) => isDefault(name) && calicoApi !== v3ApiVersion,
    when: 'asked',
    message: (_, name) => `resource already exists: ${name}`,
    hint: ofCalico,
  },
  {
    verbs: ['create'],
    names: isDefault,
    when: 'asked',
    message: (_, name) =>
      `resource already exists: ${name} with error: ${name} already exists. The profile "${name}" is default provided by Calico`,
    hint: ofCalico,
  },
  {
    verbs: ['update', 'delete'],
    names: isDefault,
    when: 'asked',
    message: (_, name, verb) =>
      `operation ${verb === 'delete' ? 'Delete' : 'Update'} is not supported on ${name}: The profile "${name}" is a ` +
      `default provided by Calico and cannot be ${verb === 'delete' ? 'deleted' : 'updated'}`,
    hint: ofCalico,
  },
  notSupported(['create', 'update'], 'sent', hint),
  notSupported(['delete'], 'asked', hint),
];

function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

export const profile: Kind<Profile> = {
  kind: 'Profile',
  about: 'Rules for endpoints that no policy applies to, and labels that endpoints inherit.',
  aliases: ['profile', 'profiles', 'pro', 'pros'],
  namespaced: false,
  api: { group: 'crd.projectcalico.org', version: 'v1', plural: 'profiles' },
  fields: { spec: profileSpec },
  codec: customResource,
  derived: {
    sources: [
      {
        from: namespace,
        derive: profileOfNamespace,
        sourceOf: ({ name }) => {
          const [, of] = /^kns\.(.+)$/.exec(name) ?? [];
          return of === undefined ? undefined : { name: of };
        },
      },
      {
        from: serviceAccount,
        derive: profileOfServiceAccount,
        sourceOf: ({ name }) => {
          const [, of, account] = /^ksa\.([^.]+)\.(.+)$/.exec(name) ?? [];
          return of === undefined || account === undefined ? undefined : { namespace: of, name: account };
        },
      },
    ],
    fixed: () => [defaultProfile()],
    malformedName: (name) => ({ text: nameProblem(name), isWhole: true }),
  },
  refusals,
  columns: {
    default: [nameColumn],
    wide: [nameColumn, column('LABELS', ({ spec }) => labelsText(spec.labelsToApply))],
  },
};
