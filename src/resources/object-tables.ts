// The tables of whole objects: metadata, which all objects have, in the order in which Kubernetes prints it, and the
// spec and status of the kind.
import { anything, type FieldTable, field, flag, integer, list, map, nullable, object, text, time } from './field.ts';
import {
  customResourceGroup,
  type Kind,
  type ObjectFields,
  perKind,
  shownFields,
  storedApiVersion,
  v3ApiVersion,
} from './kind.ts';

export const ownerFields = {
  apiVersion: field(text, 'API version of the owner.', { required: true }),
  kind: field(text, 'Kind of the owner.', { required: true }),
  name: field(text, 'Name of the owner.', { required: true }),
  uid: field(text, 'UID of the owner.', { required: true }),
  controller: field(flag, 'Whether the owner manages the object.'),
  blockOwnerDeletion: field(flag, 'Whether the owner stays until the object is gone.'),
};

export const managedFieldFields = {
  manager: field(text, 'Program that set the fields.'),
  operation: field(text, 'How the program set the fields: `Apply` or `Update`.'),
  apiVersion: field(text, 'API version in which the program set the fields.'),
  time: field(nullable(time), 'When the program last set one of the fields.'),
  fieldsType: field(text, 'Format of the list of fields.'),
  fieldsV1: field(anything, 'Fields that the program set.'),
  subresource: field(text, 'Subresource through which the fields were set.'),
};

export const metadataFields = {
  name: field(
    { ...text, check: { accepts: (name: string) => name !== '', message: 'must not be empty' } },
    'Name, unique among the objects of the kind (in the namespace, for kinds that have one).',
    { required: true },
  ),
  generateName: field(text, 'Prefix of a name that the API server generates.'),
  namespace: field(text, 'Namespace of the object.'),
  selfLink: field(text, 'URL of the object in old API servers.'),
  uid: field(text, 'Unique ID of the object, which no other object ever has.'),
  resourceVersion: field(text, 'Revision of the object: each write changes it.'),
  generation: field(
    nullable({ ...anything, go: 'int64' }),
    'Sequence number of the desired state, set by the API server.',
  ),
  creationTimestamp: field(nullable(time), 'When the object was created.'),
  deletionTimestamp: field(nullable(time), 'When deletion of the object was requested.'),
  deletionGracePeriodSeconds: field(
    nullable({ ...integer(), go: 'int64' }),
    'Seconds until the object is removed after deletion was requested.',
  ),
  labels: field(nullable(map(text)), 'Keys and values by which selectors find the object.'),
  annotations: field(nullable(map(text)), 'Keys and values that programs store with the object.'),
  ownerReferences: field(
    nullable(list(object(ownerFields, { struct: 'OwnerReference', go: 'v1.OwnerReference' }))),
    'Owners of the object: it is deleted with the last of them.',
  ),
  finalizers: field(nullable(list(text)), 'Tasks that must be done before the object is removed.'),
  managedFields: field(
    nullable(list(object(managedFieldFields, { struct: 'ManagedFieldsEntry', go: 'v1.ManagedFieldsEntry' }))),
    'Which program set which fields.',
  ),
};

function tableOf({ kind, api }: Kind, apiVersion: string, { spec, status }: ObjectFields): FieldTable {
  // A custom resource always has a spec; objects of Kubernetes may lack it.
  const required = api.group === customResourceGroup;
  return {
    apiVersion: field(text, `API group and version: \`${apiVersion}\`.`, { required: true }),
    kind: field(text, `Always \`${kind}\`.`, { required: true }),
    metadata: field(object(metadataFields), 'Name, labels and the other fields that every object has.', {
      required: true,
    }),
    ...(spec && { spec: field(object(spec), 'Desired state.', { required }) }),
    ...(status && { status: field(object(status), 'The observed state: what programs report.') }),
  };
}

/** The fields of a stored object of the kind. */
export const storedTable = perKind((kind) => tableOf(kind, storedApiVersion(kind), kind.fields));

/** The fields of an object of the kind in the form in which people see it. */
export const shownTable = perKind((kind) =>
  tableOf(kind, kind.codec === undefined ? storedApiVersion(kind) : v3ApiVersion, shownFields(kind)),
);
