// What the tables of fields say about a kind and its fields, as data for people and programs.
import { closest } from '../text/closest.ts';
import { listed } from '../text/wording.ts';
import { UsageError } from '../world/errors.ts';
import type { DefaultValue, Field, FieldTable, FieldType, Range, ScalarForm, ScalarType } from './field.ts';
import { type Kind, storedApiVersion, v3ApiVersion } from './kind.ts';
import { shownTable } from './object-tables.ts';

export interface FieldExplanation {
  readonly name: string;
  /** From the object down: `spec.blockSize`. Entries of lists add nothing to it. */
  readonly path: string;
  /** `integer`, `list of strings`, `object`. */
  readonly type: string;
  /** What a string contains: `CIDR`, `duration`. */
  readonly format?: string;
  /** The accepted words. */
  readonly values?: readonly string[];
  readonly range?: Range;
  readonly required: boolean;
  /** What holds when the field is not given, in words. */
  readonly default?: string;
  readonly about: string;
  /** Fields of the object, or of each object in the list or map. */
  readonly fields: readonly FieldExplanation[];
}

export interface KindExplanation {
  readonly kind: string;
  readonly apiVersion: string;
  readonly about: string;
  /** Its names on the command line. */
  readonly aliases: readonly string[];
  readonly namespaced: boolean;
  /** The kinds that a Kubernetes datastore derives these objects from. */
  readonly derivedFrom?: string;
  readonly fields: readonly FieldExplanation[];
}

const typeWords: Readonly<Record<ScalarForm, readonly [one: string, several: string]>> = {
  string: ['string', 'strings'],
  boolean: ['boolean', 'booleans'],
  integer: ['integer', 'integers'],
  int64: ['64-bit integer', '64-bit integers'],
  number: ['number', 'numbers'],
  'integer-or-string': ['integer or string', 'integers or strings'],
  'boolean-or-string': ['boolean or string', 'booleans or strings'],
  anything: ['any value', 'any values'],
};

function typeText(type: FieldType, several: boolean): string {
  switch (type.form) {
    case 'scalar':
      return typeWords[type.json][several ? 1 : 0];
    case 'object':
      return several ? 'objects' : 'object';
    case 'list':
      return `${several ? 'lists' : 'list'} of ${typeText(type.items, true)}`;
    case 'map':
      return `${several ? 'maps' : 'map'} of ${typeText(type.values, true)}`;
  }
}

/** The type of the single values in a field: of a list its entries, of a map its values. */
function innermost(type: FieldType): Exclude<FieldType, { form: 'list' | 'map' }> {
  if (type.form === 'list') return innermost(type.items);
  return type.form === 'map' ? innermost(type.values) : type;
}

function defaultText(value: DefaultValue): string {
  if (value === '') return '""';
  if (typeof value !== 'object') return String(value);
  return 'about' in value ? value.about : value.join(', ');
}

/** What a scalar accepts. */
function constraints({ format, values, range }: ScalarType): Pick<FieldExplanation, 'format' | 'values' | 'range'> {
  return { ...(format && { format }), ...(values && { values }), ...(range && { range }) };
}

function explanationOf(name: string, path: string, { type, required, default: value, about }: Field): FieldExplanation {
  const inner = innermost(type);
  return {
    name,
    path,
    type: typeText(type, false),
    ...(inner.form === 'scalar' ? constraints(inner) : {}),
    required,
    ...(value === undefined ? {} : { default: defaultText(value) }),
    about,
    fields: inner.form === 'object' ? explanationsOf(inner.fields(), path) : [],
  };
}

function explanationsOf(table: FieldTable, path: string): FieldExplanation[] {
  return Object.entries(table).map(([name, one]) => explanationOf(name, path === '' ? name : `${path}.${name}`, one));
}

/** The kind and all of its fields, in the form in which people see its objects. */
export function explainKind(kind: Kind): KindExplanation {
  return {
    kind: kind.kind,
    apiVersion: kind.codec === undefined ? storedApiVersion(kind) : v3ApiVersion,
    about: kind.about,
    aliases: kind.aliases,
    namespaced: kind.namespaced,
    ...(kind.derived === undefined ? {} : { derivedFrom: listed(kind.derived.sources.map(({ from }) => from.kind)) }),
    fields: explanationsOf(shownTable(kind), ''),
  };
}

function withAllBelow(field: FieldExplanation): FieldExplanation[] {
  return [field, ...field.fields.flatMap(withAllBelow)];
}

/** The paths of the fields whose name is closest to the word. */
function similarPaths(word: string, fields: readonly FieldExplanation[]): string[] {
  const all = fields.flatMap(withAllBelow);
  const named = (name: string | undefined) => all.filter((field) => field.name === name).map(({ path }) => path);
  const inOtherCase = all.find(({ name }) => name.toLowerCase() === word.toLowerCase())?.name;
  return named(inOtherCase ?? closest(word, [...new Set(all.map(({ name }) => name))])).slice(0, 3);
}

function unknownField(kind: Kind, names: readonly string[], parent: FieldExplanation | undefined): UsageError {
  const message = `${kind.kind} has no field ${names.join('.')}`;
  if (parent?.fields.length === 0) {
    return new UsageError(message, `${parent.path} is of type ${parent.type} and has no fields`, 'UNKNOWN_FIELD');
  }
  const similar = similarPaths(names.at(-1) ?? '', explainKind(kind).fields);
  const known = (parent ?? explainKind(kind)).fields.map(({ name }) => name);
  const hint = similar.length > 0 ? `did you mean ${similar.join(' or ')}?` : `the fields are ${listed(known, 12)}`;
  return new UsageError(message, hint, 'UNKNOWN_FIELD');
}

/**
 * The field at a path like `spec.blockSize`; `[]` after the name of a list is allowed.
 * Errors: UsageError for a path that the kind does not have, with what was probably meant.
 */
export function explainField(kind: Kind, path: string): FieldExplanation {
  const [first = '', ...rest] = path.replaceAll('[]', '').split('.');
  const names = [first, ...rest];
  const within = (parent: FieldExplanation | undefined, name: string): FieldExplanation => {
    const found = (parent ?? explainKind(kind)).fields.find((candidate) => candidate.name === name);
    if (found === undefined) throw unknownField(kind, names, parent);
    return found;
  };
  return rest.reduce(within, within(undefined, first));
}
