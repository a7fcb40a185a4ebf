// Reads what `convert` takes as calicoctl does: objects of Calico 2 and NetworkPolicies of Kubernetes, with its errors.
import { type Calico2Kind, calico2ApiVersion, calico2Kind, calico2Problems } from '../../resources/calico2/convert.ts';
import type { Calico2Object } from '../../resources/calico2/values.ts';
import { type FieldTable, field, list, object, text } from '../../resources/field.ts';
import { storedApiVersion } from '../../resources/kind.ts';
import { kubernetesNetworkPolicy } from '../../resources/kinds/kubernetes-network-policy.ts';
import type { KubeObject } from '../../resources/object.ts';
import { calicoctlError } from '../../resources/rules/rule-problem.ts';
import { CalictlError } from '../../world/errors.ts';
import { decodeGo, GoDecodeError } from './decode.ts';
import { type GoValue, GoYamlError, goJson, goValueOf, jsonType } from './go-yaml.ts';
import { documentsOf, goMetadata, listMetadata, longestDocument } from './read-manifest.ts';

/** Something to convert. */
export type Convertible =
  | { readonly form: 'calico2'; readonly kind: Calico2Kind; readonly object: Calico2Object }
  | { readonly form: 'kubernetes'; readonly object: KubeObject };

function failure(reason: string): CalictlError {
  return new CalictlError(`failed to create resources from file: ${reason}`, { code: 'INVALID_MANIFEST' });
}

/** The objects of a text in its order. Errors: CalictlError in calicoctl's words. */
export function readConvertible(text: string): Convertible[] {
  if (text === '') return [];
  const documents = documentsOf(text).filter((document) => document.trim() !== '');
  return (documents.length === 0 ? [text] : documents).flatMap((document) => {
    if (document.length > longestDocument) throw failure('error parsing document: bufio.Scanner: token too long');
    try {
      return convertiblesIn(goValueOf(document));
    } catch (error) {
      if (!(error instanceof GoYamlError || error instanceof GoDecodeError)) throw error;
      throw failure(`error parsing document: ${error.message}`);
    }
  });
}

type Members = ReadonlyMap<string, GoValue>;

function convertiblesIn(value: GoValue): Convertible[] {
  if (value === null) return convertible(new Map());
  if (value instanceof Map) {
    const kind = (value as Members).get('kind') ?? '';
    if (typeof kind === 'string') return convertible(value);
  } else if (Array.isArray(value)) {
    return value.flatMap((item: GoValue) => {
      if (item instanceof Map) return convertible(item);
      throw mismatch(item, 'unversioned.TypeMetadata');
    });
  }
  throw mismatch(value, '[]unversioned.TypeMetadata');
}

function mismatch(value: GoValue, type: string): GoDecodeError {
  const given = typeof value === 'string' ? value : goJson(value);
  return new GoDecodeError(`cannot parse ${jsonType(value)} '${given}' into value of type ${type}`);
}

/** A field of the envelope, where a number counts as a text. */
function word(members: Members, name: string): string {
  const value = members.get(name) ?? '';
  return typeof value === 'object' && 'text' in value ? value.text : String(value);
}

const envelope: FieldTable = { apiVersion: field(text, ''), kind: field(text, '') };
const kubernetesTable = (): FieldTable => ({
  ...envelope,
  metadata: goMetadata,
  spec: field(
    object(kubernetesNetworkPolicy.fields.spec ?? {}, { struct: 'NetworkPolicySpec', go: 'v1.NetworkPolicySpec' }),
    '',
  ),
});

function convertible(members: Members): Convertible[] {
  const kindName = word(members, 'kind');
  const apiVersion = word(members, 'apiVersion');
  const kind = calico2Kind(apiVersion, kindName);
  if (kind !== undefined) return [calico2(kind, members)];
  if (apiVersion === storedApiVersion(kubernetesNetworkPolicy) && kindName === kubernetesNetworkPolicy.kind) {
    return [kubernetes(decodeGo(members, kubernetesTable(), 'NetworkPolicy'))];
  }
  if (apiVersion === calico2ApiVersion && kindName === 'List') {
    const items = field(list(object(kubernetesTable(), { struct: 'NetworkPolicy', go: 'v1.NetworkPolicy' })), '');
    const table = { ...envelope, metadata: field(object(listMetadata, { struct: 'ListMeta' }), ''), items };
    const decoded = decodeGo(members, table, 'NetworkPolicyList') as { items?: Record<string, unknown>[] };
    return (decoded.items ?? []).map(kubernetes);
  }
  throw failure(`unknown resource type (${kindName}) and/or version (${apiVersion})`);
}

function kubernetes(decoded: Record<string, unknown>): Convertible {
  const { kind = '' } = decoded;
  if (kind !== kubernetesNetworkPolicy.kind) {
    const reason = `conversion for the resource type '${String(kind)}' is not supported`;
    throw new CalictlError(`failed to convert resource: ${reason}`, { code: 'UNCONVERTIBLE' });
  }
  const metadata = { name: '', ...(decoded['metadata'] as Partial<KubeObject['metadata']> | undefined) };
  return { form: 'kubernetes', object: { ...decoded, metadata } as unknown as KubeObject };
}

function calico2(kind: Calico2Kind, members: Members): Convertible {
  const { goKind, fields } = kind;
  const part = (name: string, table: FieldTable) => {
    const struct = `${goKind}${name}`;
    return field(object(table, { struct, go: `v1.${struct}` }), '');
  };
  const table = { ...envelope, metadata: part('Metadata', fields.metadata), spec: part('Spec', fields.spec) };
  const { metadata = {}, spec = {} } = decodeGo(members, table, goKind) as Partial<Calico2Object>;
  const read = { metadata, spec: withProtocols(spec) };
  const wrong = calico2Error(kind, read);
  if (wrong !== undefined) throw failure(wrong);
  return { form: 'calico2', kind, object: read };
}

/** Ports without a protocol have the number 0 for one. */
function withProtocols(spec: Calico2Object['spec']): Calico2Object['spec'] {
  const { ports } = spec;
  return Array.isArray(ports) ? { ...spec, ports: ports.map((port) => ({ protocol: 0, ...port })) } : spec;
}

/** The named checks of a value have no reason in these messages. */
function calico2Error(kind: Calico2Kind, object: Calico2Object): string | undefined {
  const problems = calico2Problems(kind, object).map(({ calicoctl, ...one }) => {
    if (calicoctl === undefined) return one;
    const isNamed = calicoctl.reason.startsWith('Reason: failed to validate Field');
    return { ...one, calicoctl: isNamed ? { ...calicoctl, reason: '' } : calicoctl };
  });
  return calicoctlError(problems);
}
