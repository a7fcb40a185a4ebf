// Reads a manifest as calicoctl does, with its errors. How the native reader differs: ../input/read-manifest.ts.
import { anything, field, list, object, text } from '../../resources/field.ts';
import { isInCalicoctl, type Kind, v3ApiVersion } from '../../resources/kind.ts';
import { kindNamed } from '../../resources/kinds.ts';
import type { KubeObject } from '../../resources/object.ts';
import { metadataFields, shownTable } from '../../resources/object-tables.ts';
import { CalictlError } from '../../world/errors.ts';
import { decodeGo, GoDecodeError } from './decode.ts';
import { type GoValue, GoYamlError, goJson, goValueOf, jsonType } from './go-yaml.ts';

/** An object of a manifest. */
export interface GoManifestObject {
  readonly kind: Kind;
  /** The kind as it is written: items of a list often have none, and calicoctl then names none. */
  readonly writtenKind: string;
  /** In projectcalico.org/v3 form, as calicoctl decodes it. */
  readonly object: KubeObject;
}

/** Documents that are longer are refused. */
export const longestDocument = 10 * 1024 ** 2;

/**
 * The documents of a stream, cut at every line that begins with `---`. What follows the mark on its line is dropped.
 * calicoctl loses the document before a last mark that has text after it and no line end; it is kept here.
 */
export function documentsOf(text: string): string[] {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const [first = '', ...rest] = body.split('\n---');
  return [first, ...rest.map((piece) => (piece.includes('\n') ? piece.slice(piece.indexOf('\n') + 1) : ''))];
}

function parseError(text: string): CalictlError {
  return new CalictlError(`failed to execute command: error parsing document: ${text}`, { code: 'INVALID_MANIFEST' });
}

/** The objects of a text in its order. Errors: CalictlError in calicoctl's words. */
export function readAsCalicoctl(text: string): GoManifestObject[] {
  return documentsOf(text).flatMap((document) => {
    if (document.length > longestDocument) throw parseError('bufio.Scanner: token too long');
    try {
      return objectsIn(goValueOf(document));
    } catch (error) {
      if (error instanceof GoYamlError || error instanceof GoDecodeError) throw parseError(error.message);
      throw error;
    }
  });
}

/** Errors: GoDecodeError. */
function objectsIn(value: GoValue): GoManifestObject[] {
  if (value === null) return [];
  if (value instanceof Map) {
    const kind = value.get('kind') as GoValue | undefined;
    if (typeof kind === 'string' && kind !== '') return decoded(value);
  } else if (Array.isArray(value)) {
    return value.flatMap((item: GoValue) => {
      if (!(item instanceof Map)) {
        throw new GoDecodeError(
          `json: cannot unmarshal ${jsonType(item)} into Go value of type map[string]interface {}`,
        );
      }
      const kind = item.get('kind') as GoValue | undefined;
      if (typeof kind !== 'string' || kind === '')
        throw new GoDecodeError(`Object 'Kind' is missing in '${goJson(item)}'`);
      return decoded(item);
    });
  }
  const text = typeof value === 'string' ? value : goJson(value);
  throw new GoDecodeError(`cannot parse ${jsonType(value)} '${text}' into value of type []unstructured.Unstructured`);
}

function decoded(members: ReadonlyMap<string, GoValue>): GoManifestObject[] {
  const kindName = members.get('kind') as string;
  const apiVersion = members.get('apiVersion');
  const isList = kindName.endsWith('List');
  const kind = kindNamed(isList ? kindName.slice(0, -'List'.length) : kindName);
  if (kind === undefined || !isInCalicoctl(kind) || apiVersion !== v3ApiVersion) {
    const version = typeof apiVersion === 'string' ? apiVersion : '';
    throw new CalictlError(
      `failed to execute command: unknown resource type (${kindName}) and/or version (${version})`,
      { code: 'INVALID_MANIFEST' },
    );
  }
  const table = tableOf(kind);
  if (!isList) return [objectOf(kind, decodeGo(members, table, kind.kind))];
  const listTable = {
    apiVersion: field(text, ''),
    kind: field(text, ''),
    metadata: field(object(listMetadata, { struct: 'ListMeta' }), ''),
    items: field(list(object(table, { struct: kind.kind })), ''),
  };
  const { items = [] } = decodeGo(members, listTable, `${kind.kind}List`) as { items?: Record<string, unknown>[] };
  return items.map((item) => objectOf(kind, item));
}

/** The metadata of a list. */
export const listMetadata = {
  selfLink: metadataFields.selfLink,
  resourceVersion: metadataFields.resourceVersion,
  continue: field(text, ''),
  remainingItemCount: field(anything, ''),
};

/** The metadata of an object, under its name in Go. */
export const goMetadata = field(object(metadataFields, { struct: 'ObjectMeta', go: 'v1.ObjectMeta' }), '');

/** The fields of an object as calicoctl's types have them. */
function tableOf(kind: Kind) {
  const { spec, ...table } = shownTable(kind);
  const named = spec?.type.form === 'object' ? { ...spec, type: { ...spec.type, struct: `${kind.kind}Spec` } } : spec;
  // calicoctl 3.31 knows no status of the kinds that got one later.
  const { status, ...rest } = table;
  const known = kind.fields.omitsStatus || status === undefined ? rest : { ...rest, status };
  return { ...known, metadata: goMetadata, ...(named && { spec: named }) };
}

function objectOf(kind: Kind, value: Record<string, unknown>): GoManifestObject {
  // An object of a list has the type of the list, whatever it calls itself.
  const { apiVersion: _version, kind: writtenKind, metadata, ...rest } = value;
  const named = { name: '', ...(metadata as Partial<KubeObject['metadata']> | undefined) };
  return {
    kind,
    writtenKind: String(writtenKind ?? ''),
    object: { apiVersion: v3ApiVersion, kind: kind.kind, metadata: named, ...rest },
  };
}
