// Reads a manifest as calicoctl does, with its errors. How the native reader differs: ../input/read-manifest.ts.
import { anything, field, list, object, text } from '../../resources/field.ts';
import { isInCalicoctl, type Kind, v3ApiVersion } from '../../resources/kind.ts';
import { kindNamed } from '../../resources/kinds.ts';
import type { KubeObject } from '../../resources/object.ts';
import { metadataFields, shownTable } from '../../resources/object-tables.ts';
import { CalictlError } from '../../world/errors.ts';
import { type CalicoctlRelease, type DecodeOptions, decodeAll, GoDecodeError, type GoStruct } from './decode.ts';
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

function failure(text: string): CalictlError {
  return new CalictlError(text, { code: 'INVALID_MANIFEST' });
}

/** What each release says before the reason. */
const prefixes = {
  '3.31': { syntax: 'error parsing document: ', decoding: 'error parsing document: ' },
  '3.32': {
    syntax: 'error converting YAML to JSON: ',
    decoding: 'error unmarshaling JSON: while decoding JSON: ',
  },
} as const;

/** The objects of a text in its order. Errors: CalictlError in the words of that release of calicoctl. */
export function readAsCalicoctl(text: string, release: CalicoctlRelease): GoManifestObject[] {
  const { syntax, decoding } = prefixes[release];
  return documentsOf(text).flatMap((document, at, all) => {
    // What follows the last mark is nothing; 3.32 refuses any other document without an object.
    if (document === '' && at === all.length - 1) return [];
    if (document.length > longestDocument) {
      throw failure('failed to execute command: error parsing document: bufio.Scanner: token too long');
    }
    try {
      return objectsIn(goValueOf(document, { uniqueKeys: release === '3.32' }), release);
    } catch (error) {
      if (error instanceof GoYamlError) throw failure(`failed to execute command: ${syntax}${error.message}`);
      if (!(error instanceof GoDecodeError)) throw error;
      throw failure(error.isWhole ? error.message : `failed to execute command: ${decoding}${error.message}`);
    }
  });
}

/** Errors: GoDecodeError. */
function objectsIn(value: GoValue, release: CalicoctlRelease): GoManifestObject[] {
  if (value === null) return release === '3.31' ? [] : decoded([new Map()], { release, coerces: true });
  if (value instanceof Map) {
    const kind = value.get('kind') as GoValue | undefined;
    if (typeof kind === 'string' && kind !== '') return decoded([value], { release, coerces: true });
  } else if (Array.isArray(value)) {
    const items = value.map((item: GoValue): Members => {
      if (item !== null && !(item instanceof Map)) {
        const type = jsonType(item);
        throw new GoDecodeError(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
      }
      const kind = item?.get('kind');
      if (item !== null && typeof kind === 'string' && kind !== '') return item;
      throw new GoDecodeError(`Object 'Kind' is missing in '${goJson(item)}'`);
    });
    return decoded(items, { release, coerces: false });
  }
  if (release === '3.32') {
    throw new GoDecodeError(
      `json: cannot unmarshal ${jsonType(value)} into Go value of type []unstructured.Unstructured`,
    );
  }
  const text = typeof value === 'string' ? value : goJson(value);
  throw new GoDecodeError(`cannot parse ${jsonType(value)} '${text}' into value of type []unstructured.Unstructured`);
}

type Members = ReadonlyMap<string, GoValue>;

interface KindOrList {
  readonly kind: Kind;
  readonly isList: boolean;
}

/** The kind that an object, or a list of such objects, says it is. Errors: CalictlError for one that calicoctl does not have. */
function kindOf(members: Members): KindOrList {
  const kindName = String(members.get('kind') ?? '');
  const apiVersion = members.get('apiVersion');
  const isList = kindName.endsWith('List');
  const kind = kindNamed(isList ? kindName.slice(0, -'List'.length) : kindName);
  if (kind !== undefined && isInCalicoctl(kind) && apiVersion === v3ApiVersion) return { kind, isList };
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  throw failure(`failed to execute command: unknown resource type (${kindName}) and/or version (${version})`);
}

/** All kinds must be known before anything is decoded. */
function decoded(all: readonly Members[], options: DecodeOptions): GoManifestObject[] {
  const kinds = all.map(kindOf);
  const structs = all.map((members, at) => structOf(members, kinds[at] as KindOrList, options.release));
  return decodeAll(structs, options).flatMap((value, at) => {
    const { kind, isList } = kinds[at] as KindOrList;
    if (!isList) return [objectOf(kind, value)];
    const { items = [] } = value as { items?: Record<string, unknown>[] };
    return items.map((item) => objectOf(kind, item));
  });
}

function structOf(members: Members, { kind, isList }: KindOrList, release: CalicoctlRelease): GoStruct {
  const table = tableOf(kind, release);
  if (!isList) return { members, table, struct: kind.kind };
  const listTable = {
    apiVersion: field(text, ''),
    kind: field(text, ''),
    metadata: field(object(listMetadata, { struct: 'ListMeta' }), ''),
    items: field(list(object(table, { struct: kind.kind })), ''),
  };
  return { members, table: listTable, struct: `${kind.kind}List` };
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
function tableOf(kind: Kind, release: CalicoctlRelease) {
  const { spec, ...table } = shownTable(kind);
  const named = spec?.type.form === 'object' ? { ...spec, type: { ...spec.type, struct: `${kind.kind}Spec` } } : spec;
  // calicoctl 3.31 knows no status of the kinds that got one later.
  const { status, ...rest } = table;
  const isKnown = status !== undefined && (release === '3.32' || !kind.fields.omitsStatus);
  const known = isKnown ? { ...rest, status } : rest;
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
