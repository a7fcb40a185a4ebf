// Parsed YAML to the value of a field, strictly by its table: everything that does not fit is a problem with its place,
// and the rest is decoded all the same, so that all problems of an object are found at once.
import { isAlias, isMap, isScalar, isSeq, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import type { FieldTable, FieldType } from '../../resources/field.ts';
import { type FieldPath, fieldPathText } from '../../resources/field-path.ts';
import { closest } from '../../text/closest.ts';
import { listed } from '../../text/wording.ts';
import { AliasError, AliasFollower, type Member } from './nodes.ts';
import { isNothing, scalarValue } from './scalars.ts';
import type { TextPositions } from './text-positions.ts';
import type { YamlDocument } from './yaml-documents.ts';

/** Something wrong in a document. */
export interface DecodeProblem {
  readonly path: FieldPath;
  /** Offset in the text of the file. */
  readonly offset: number;
  /** To be read after the path: `must be an integer`. */
  readonly message: string;
  readonly hint?: string;
}

/** Deeper than any object is, and far from where recursion overflows the stack. */
const deepest = 200;

const standardTags = 'tag:yaml.org,2002:';

/** Decodes the nodes of one document. */
export class Decoder {
  readonly problems: DecodeProblem[] = [];
  readonly aliases: AliasFollower;
  readonly #positions: TextPositions;
  readonly #offset: number;
  /** Nodes that may still be visited: aliases may multiply those of the text only so far. */
  #left: number;
  /** All fields of the object that is decoded, by the path of their parents: where a misplaced one may belong. */
  #places: ReadonlyMap<string, readonly string[]> = new Map();

  constructor({ document, offset }: YamlDocument, positions: TextPositions, length: number) {
    this.aliases = new AliasFollower(document);
    this.#positions = positions;
    this.#offset = offset;
    this.#left = length + 100_000;
  }

  /** The value of the node, which is that of a whole object with this table; undefined when nothing of it can be used. */
  object(node: ParsedNode, table: FieldTable): Record<string, unknown> | undefined {
    this.#places = placesOf(table);
    const value = this.#value(node, { form: 'object', fields: () => table }, []);
    return value as Record<string, unknown> | undefined;
  }

  /** Reports a problem at the node. */
  problem(node: ParsedNode, path: FieldPath, message: string, hint?: string): undefined {
    this.problems.push({
      path,
      offset: this.offsetOf(node),
      message,
      ...(hint === undefined ? {} : { hint }),
    });
    return undefined;
  }

  offsetOf(node: ParsedNode): number {
    return this.#offset + (node.range?.[0] ?? 0);
  }

  /** The node that an alias means; undefined, and a problem, when it means none. */
  target(node: ParsedNode | null, path: FieldPath): ParsedNode | null | undefined {
    try {
      return this.aliases.target(node) as ParsedNode | null;
    } catch (error) {
      return this.#aliasProblem(error, path);
    }
  }

  /** The members of a mapping, those of merged ones included; a key that is there twice is a problem. */
  members(map: YAMLMap, path: FieldPath): Member[] {
    let all: Member[];
    try {
      all = this.aliases.members(map);
    } catch (error) {
      this.#aliasProblem(error, path);
      return [];
    }
    const own = new Map<string, Member>();
    for (const member of all) {
      if (member.isMerged) continue;
      const first = own.get(member.key);
      if (first === undefined) own.set(member.key, member);
      else this.#duplicate(member, [...path, member.key], first);
    }
    const merged = all.filter(({ isMerged, key }) => isMerged && !own.has(key));
    // Of several merged mappings the first one wins.
    for (const member of merged) if (!own.has(member.key)) own.set(member.key, member);
    return [...own.values()];
  }

  /** The value of the member of exactly that name, own or merged; undefined when there is none. Reports nothing. */
  member(map: YAMLMap, name: string): ParsedNode | null | undefined {
    try {
      const named = this.aliases.members(map).filter(({ key }) => key === name);
      return (named.find(({ isMerged }) => !isMerged) ?? named[0])?.value;
    } catch (error) {
      if (error instanceof AliasError) return undefined;
      throw error;
    }
  }

  #duplicate({ key, keyNode }: Member, path: FieldPath, first: Member): void {
    const { line } = this.#positions.at(this.offsetOf(first.keyNode));
    const spelling = first.key === key ? '' : ` as ${first.key}`;
    this.problem(keyNode, path, `is given twice, first on line ${line}${spelling}`, 'remove one of them');
  }

  #aliasProblem(error: unknown, path: FieldPath): undefined {
    if (!(error instanceof AliasError)) throw error;
    return this.problem(error.node, path, error.message, 'quote a string that begins with *');
  }

  #value(node: ParsedNode | null, type: FieldType, path: FieldPath): unknown {
    this.#left--;
    if (this.#left < 0) throw new RangeError('too many nodes');
    if (path.length > deepest) throw new RangeError('too deep');
    if (node !== null && this.#hasOwnTag(node, path)) return undefined;
    const found = this.target(node, path);
    if (found === undefined || found === null) return undefined;
    if (found !== node && this.#hasOwnTag(found, path)) return undefined;
    if (isScalar(found) && isNothing(found)) return undefined;
    switch (type.form) {
      case 'scalar':
        return this.#scalar(found, type, path);
      case 'list':
        if (!isSeq(found)) return this.problem(found, path, 'must be a list');
        return (found.items as ParsedNode[]).flatMap((item, index) => {
          const value = this.#value(item, type.items, [...path, index]);
          return value === undefined ? [] : [value];
        });
      case 'map':
        if (!isMap(found)) return this.problem(found, path, 'must be a map of keys and values');
        return this.#map(found as YAMLMap, type.values, path);
      case 'object':
        if (!isMap(found)) return this.problem(found, path, 'must be an object with fields');
        return this.#fields(found as YAMLMap, type.fields(), path);
    }
  }

  /** Reports a tag (`!x`): it is nearly always a text that lacks its quotes. */
  #hasOwnTag(node: ParsedNode, path: FieldPath): boolean {
    const { tag } = node as { tag?: string };
    if (isAlias(node) || tag === undefined || tag === '!' || tag.startsWith(standardTags)) return false;
    const shown = tag.length > 60 ? `${tag.slice(0, 60)}…` : tag;
    this.problem(
      node,
      path,
      `has the YAML tag ${shown}: unquoted, text that begins with ! loses its first word`,
      'quote the value, e.g. "!has(app)"',
    );
    return true;
  }

  #scalar(node: ParsedNode, type: FieldType & { form: 'scalar' }, path: FieldPath): unknown {
    if (type.json === 'anything') return this.#plain(node, path);
    if (!isScalar(node)) {
      const message = `must be ${typeWords[type.json] ?? 'a single value'}, not ${isSeq(node) ? 'a list' : 'an object'}`;
      return this.problem(node, path, message, isTemplate(node) ? 'render the template {{ … }} first' : undefined);
    }
    const value = scalarValue(node as Scalar, type);
    return typeof value === 'object' ? this.problem(node, path, value.message, value.hint) : value;
  }

  /** A value that no table describes. */
  #plain(node: ParsedNode, path: FieldPath): unknown {
    if (isSeq(node)) return this.#value(node, { form: 'list', items: anyValue }, path);
    if (isMap(node)) return this.#map(node as YAMLMap, anyValue, path);
    const { value } = node as Scalar;
    return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  #map(map: YAMLMap, values: FieldType, path: FieldPath): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const { key, value } of this.members(map, path)) {
      const decoded = this.#value(value, values, [...path, key]);
      // Go has the empty value for a key without one.
      const kept = decoded ?? (isNull(value) && values.form === 'scalar' && values.json === 'string' ? '' : undefined);
      if (kept === undefined) continue;
      if (key === '__proto__') Object.defineProperty(made, key, { value: kept, enumerable: true });
      else made[key] = kept;
    }
    return made;
  }

  #fields(map: YAMLMap, table: FieldTable, path: FieldPath): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const names = Object.keys(table);
    const seen = new Map<string, Member>();
    for (const member of this.members(map, path)) {
      const name = Object.hasOwn(table, member.key)
        ? member.key
        : names.find((candidate) => candidate.toLowerCase() === member.key.toLowerCase());
      if (name === undefined) {
        const near = this.#unknown(member, names, path);
        if (near !== undefined) seen.set(near, member);
        continue;
      }
      const first = seen.get(name);
      if (first !== undefined && first.key.toLowerCase() === name.toLowerCase()) {
        this.#duplicate(member, [...path, name], first);
        continue;
      }
      seen.set(name, member);
      const type = (table[name] as FieldTable[string]).type;
      const value = this.#value(member.value, type, [...path, name]);
      if (value !== undefined) made[name] = value;
    }
    for (const [name, { required }] of Object.entries(table)) {
      if (required && !seen.has(name) && path.length > 0) this.problem(map as never, [...path, name], 'is missing');
    }
    return made;
  }

  /** Returns the field that was probably meant. */
  #unknown({ key, keyNode }: Member, names: readonly string[], path: FieldPath): string | undefined {
    const near = closest(key, names);
    const elsewhere = near === undefined ? this.#places.get(key.toLowerCase())?.slice(0, 3) : undefined;
    const hint =
      near !== undefined
        ? `did you mean ${near}?`
        : elsewhere !== undefined
          ? `it belongs at ${elsewhere.join(' or ')}`
          : names.length > 0
            ? `the fields here are ${listed(names, 12)}`
            : undefined;
    this.problem(keyNode, [...path, key], 'is not a field', hint);
    return near;
  }
}

const anyValue: FieldType = { form: 'scalar', json: 'anything' };

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'an integer',
  int64: 'an integer',
  number: 'a number',
  'integer-or-string': 'an integer or a string',
  'boolean-or-string': 'true, false or a string',
};

/** `{{ .Values.x }}`, of a template that nobody has filled in, is a mapping whose key is a mapping. */
function isTemplate(node: ParsedNode): boolean {
  return isMap(node) && isMap((node.items as unknown as { key: unknown }[])[0]?.key);
}

function isNull(node: ParsedNode | null): boolean {
  return node === null || (isScalar(node) && isNothing(node as Scalar));
}

/** By lower-case name, the paths at which the table has fields of that name. */
function placesOf(table: FieldTable): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  const add = (type: FieldType, path: FieldPath): void => {
    if (type.form === 'list') add(type.items, path);
    if (type.form !== 'object' || path.length > 8) return;
    for (const [name, field] of Object.entries(type.fields())) {
      const at = [...path, name];
      const known = places.get(name.toLowerCase());
      if (known === undefined) places.set(name.toLowerCase(), [fieldPathText(at)]);
      else known.push(fieldPathText(at));
      add(field.type, at);
    }
  };
  add({ form: 'object', fields: () => table }, []);
  return places;
}
