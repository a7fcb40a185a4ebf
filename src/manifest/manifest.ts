// One manifest file as text: the objects in it, and the text after one of them was changed, removed or added.
import type { Kind } from '../resources/kind.ts';
import { kindOf } from '../resources/kinds.ts';
import { defaultNamespace, type KubeObject } from '../resources/object.ts';
import { printJson } from '../text/json.ts';
import { deepCopy, isObject, sameValue } from '../text/plain-values.ts';
import { changedItem, changedObject, printItem, printObject } from './edit-yaml.ts';
import { locateInJson } from './locate-json.ts';
import { locateInYaml } from './locate-yaml.ts';
import { ManifestError, type ObjectPosition, type PositionForm, spliced } from './object-position.ts';
import { YamlPieces } from './parse-yaml.ts';

/** An object of a known kind, as it is written. */
export interface ManifestObject {
  readonly kind: Kind;
  /** With a namespace, if its kind has one. Shared: not to be changed. */
  readonly written: KubeObject;
  readonly position: ObjectPosition;
}

export class Manifest {
  readonly text: string;
  readonly objects: readonly ManifestObject[];
  readonly #isJson: boolean;
  readonly #pieces: YamlPieces;
  readonly #positions: readonly ObjectPosition[];

  /** `previous` is an earlier text of the same file: pieces that both have are not parsed again. Errors: ManifestError. */
  constructor(text: string, isJson: boolean, previous?: Manifest) {
    this.text = text;
    this.#isJson = isJson;
    this.#pieces = previous === undefined ? new YamlPieces() : previous.#pieces;
    this.#pieces.begin();
    this.#positions = isJson ? locateInJson(text) : locateInYaml(text, this.#pieces);
    this.objects = this.#positions.flatMap((position) => objectAt(position) ?? []);
  }

  /** Number of objects, including those of unknown kinds. */
  get count(): number {
    return this.#positions.length;
  }

  /** True when only comments and document marks are left. */
  get isEmpty(): boolean {
    return this.count === 0 && this.text.replace(/^\uFEFF?(---|\.\.\.)?[ \t]*(#.*)?\r?$/gm, '').trim() === '';
  }

  /**
   * The manifest with one object changed and everything else byte for byte as it was.
   * Errors: ManifestError when the text does not allow it (an anchor in the object is used elsewhere).
   */
  withChanged(stored: ManifestObject, object: KubeObject): Manifest {
    const { position } = stored;
    const old = this.text.slice(position.start, position.end);
    for (const print of this.#prints(position, old, object)) {
      const text = print();
      if (text === undefined) continue;
      const changed = this.#tried(
        spliced(this.text, { start: position.start, end: position.end, text: likeOld(position.form, old, text) }),
      );
      if (changed !== undefined && this.#differsOnlyIn(changed, position, object)) return changed;
    }
    throw new ManifestError(
      position.line,
      `${stored.kind.kind} ${object.metadata.name} cannot be changed in this text`,
    );
  }

  /** The manifest without one object. Errors: ManifestError as for withChanged. */
  without(stored: ManifestObject): Manifest {
    const { position } = stored;
    const rest = this.#tried(spliced(this.text, position.removal));
    if (rest !== undefined && this.#differsOnlyIn(rest, position, undefined)) return rest;
    throw new ManifestError(
      position.line,
      `${stored.kind.kind} ${stored.written.metadata.name} cannot be removed from this text`,
    );
  }

  /** How the object could be printed there; the first way keeps most of the old text. */
  #prints(position: ObjectPosition, old: string, object: KubeObject): (() => string | undefined)[] {
    if (position.form === 'document') return [() => changedObject(old, object), () => printObject(object)];
    if (position.form === 'item') {
      const indent = /^ */.exec(old)?.[0] ?? '';
      return [() => changedItem(old, object), () => printItem(object, indent)];
    }
    return [() => this.#flow(position, old, object)];
  }

  #flow(position: ObjectPosition, old: string, object: KubeObject): string {
    if (!old.includes('\n') || !this.#isJson) return printJson(object);
    const lineStart = this.text.lastIndexOf('\n', position.start - 1) + 1;
    const indent = /^[ \t]*/.exec(this.text.slice(lineStart, position.start))?.[0] ?? '';
    const inner = /\n([ \t]*)"/.exec(old)?.[1] ?? '';
    const step = inner.length > indent.length ? inner.length - indent.length : 2;
    return printJson(object, { indent: step }).replaceAll('\n', `\n${indent}`);
  }

  #tried(text: string): Manifest | undefined {
    try {
      return new Manifest(text, this.#isJson, this);
    } catch (error) {
      if (error instanceof ManifestError) return undefined;
      throw error;
    }
  }

  /** Read back before it is written: whatever the style of the text, the other objects must be what they were. */
  #differsOnlyIn(changed: Manifest, position: ObjectPosition, object: KubeObject | undefined): boolean {
    const at = this.#positions.indexOf(position);
    const before: unknown[] = this.#positions.map(({ value }) => value);
    before.splice(at, 1, ...(object === undefined ? [] : [object]));
    const after = changed.#positions;
    return before.length === after.length && before.every((value, i) => sameValue(value, after[i]?.value));
  }
}

/** A new manifest file that holds the object. */
export function newManifest(object: KubeObject): Manifest {
  return new Manifest(printObject(object), false);
}

type Known = Pick<ManifestObject, 'kind' | 'written'> | { readonly kind: undefined };
const known = new WeakMap<object, Known>();

/** The object at a position; undefined for an unknown kind. Errors: ManifestError. */
function objectAt(position: ObjectPosition): ManifestObject | undefined {
  const found = known.get(position.value) ?? objectOf(position);
  known.set(position.value, found);
  return found.kind === undefined ? undefined : { ...found, position };
}

function objectOf({ value, line }: ObjectPosition): Known {
  const { apiVersion, kind: kindName, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kindName !== 'string') return { kind: undefined };
  const kind = kindOf(apiVersion, kindName);
  if (kind === undefined) {
    refuseBrokenList(apiVersion, kindName, value['items'], line);
    return { kind: undefined };
  }
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '') {
    throw new ManifestError(line, `${kindName} without metadata.name`);
  }
  const written = deepCopy(value) as KubeObject;
  if (kind.namespaced) written.metadata.namespace ??= defaultNamespace;
  return { kind, written };
}

/** A list is read item by item. One whose items are something else would count as empty; `null` is how Go writes none. */
function refuseBrokenList(apiVersion: string, kindName: string, items: unknown, line: number): void {
  if (items === undefined || items === null || !kindName.endsWith('List')) return;
  if (kindName !== 'List' && kindOf(apiVersion, kindName.slice(0, -'List'.length)) === undefined) return;
  throw new ManifestError(line, `the items of this ${kindName} are not a list`);
}

/** The text with the line ends of what it replaces, and the same end. */
function likeOld(form: PositionForm, old: string, text: string): string {
  // For the parser the line end after a block belongs to the block.
  if (form === 'flow') return text + (/\s*$/.exec(old)?.[0] ?? '');
  const trimmed = old.endsWith('\n') ? text : text.replace(/\n$/, '');
  return old.includes('\r\n') ? trimmed.replaceAll('\n', '\r\n') : trimmed;
}
