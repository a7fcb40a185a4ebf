// One manifest file as text: the objects in it, and the text with one of them changed, taken out or put in.

import { fromV3 } from '../resources/convert/v3.ts';
import type { Kind } from '../resources/kind.ts';
import { kindOf } from '../resources/kinds.ts';
import type { KubeObject } from '../resources/object.ts';
import { normalise } from '../resources/validate.ts';
import { printJson } from '../text/json.ts';
import { deepCopy, isObject, sameValue } from '../text/plain-values.ts';
import { changedItem, changedObject, printItem, printObject } from './edit-yaml.ts';
import { jsonPlaces } from './locate-json.ts';
import { yamlPlaces } from './locate-yaml-fast.ts';
import { ManifestError, type Place, type PlaceForm, spliced } from './object-position.ts';
import { YamlPieces } from './parse-yaml.ts';

/** An object of a known kind in the form in which a Kubernetes datastore holds it. */
export interface StoredObject {
  readonly kind: Kind;
  /** Shared: to be copied before it leaves the store. */
  readonly object: KubeObject;
  readonly place: Place;
}

export class Manifest {
  readonly text: string;
  readonly objects: readonly StoredObject[];
  readonly #isJson: boolean;
  readonly #pieces: YamlPieces;
  readonly #places: readonly Place[];

  /** `previous` is an earlier text of the same file: what both say alike is not parsed again. Errors: ManifestError. */
  constructor(text: string, isJson: boolean, previous?: Manifest) {
    this.text = text;
    this.#isJson = isJson;
    this.#pieces = previous === undefined ? new YamlPieces() : previous.#pieces;
    this.#pieces.begin();
    this.#places = isJson ? jsonPlaces(text) : yamlPlaces(text, this.#pieces);
    this.objects = this.#places.flatMap((place) => storedObject(place) ?? []);
  }

  /** How many objects there are, those of unknown kinds among them. */
  get count(): number {
    return this.#places.length;
  }

  /** True when nothing but comments and marks is left. */
  get isEmpty(): boolean {
    return this.count === 0 && this.text.replace(/^\uFEFF?(---|\.\.\.)?[ \t]*(#.*)?\r?$/gm, '').trim() === '';
  }

  /**
   * The manifest with one object changed and everything else byte for byte as it was.
   * Errors: ManifestError when the text does not allow it (an anchor in the object is used elsewhere).
   */
  withChanged(stored: StoredObject, object: KubeObject): Manifest {
    const { place } = stored;
    const old = this.text.slice(place.start, place.end);
    for (const print of this.#ways(place, old, object)) {
      const text = print();
      if (text === undefined) continue;
      const changed = this.#tried(
        spliced(this.text, { start: place.start, end: place.end, text: likeOld(place.form, old, text) }),
      );
      if (changed !== undefined && this.#differsOnlyIn(changed, place, object)) return changed;
    }
    throw new ManifestError(place.line, `${stored.kind.kind} ${object.metadata.name} cannot be changed in this text`);
  }

  /** The manifest without one object. Errors: ManifestError as for withChanged. */
  without(stored: StoredObject): Manifest {
    const { place } = stored;
    const rest = this.#tried(spliced(this.text, place.removal));
    if (rest !== undefined && this.#differsOnlyIn(rest, place, undefined)) return rest;
    throw new ManifestError(
      place.line,
      `${stored.kind.kind} ${stored.object.metadata.name} cannot be taken out of this text`,
    );
  }

  /** Ways to print the object there, the one that keeps most of the old text first. */
  #ways(place: Place, old: string, object: KubeObject): (() => string | undefined)[] {
    if (place.form === 'document') return [() => changedObject(old, object), () => printObject(object)];
    if (place.form === 'item') {
      const indent = /^ */.exec(old)?.[0] ?? '';
      return [() => changedItem(old, object), () => printItem(object, indent)];
    }
    return [() => this.#flow(place, old, object)];
  }

  #flow(place: Place, old: string, object: KubeObject): string {
    if (!old.includes('\n') || !this.#isJson) return printJson(object);
    const lineStart = this.text.lastIndexOf('\n', place.start - 1) + 1;
    const indent = /^[ \t]*/.exec(this.text.slice(lineStart, place.start))?.[0] ?? '';
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

  /** Whatever the style of the text: nothing is written that does not read as it should. */
  #differsOnlyIn(changed: Manifest, place: Place, object: KubeObject | undefined): boolean {
    const at = this.#places.indexOf(place);
    const before: unknown[] = this.#places.map(({ value }) => value);
    before.splice(at, 1, ...(object === undefined ? [] : [object]));
    const after = changed.#places;
    return before.length === after.length && before.every((value, i) => sameValue(value, after[i]?.value));
  }
}

/** A new manifest file with that object in it. */
export function newManifest(object: KubeObject): Manifest {
  return new Manifest(printObject(object), false);
}

const storedObjects = new WeakMap<object, { kind: Kind; object: KubeObject } | { kind: undefined }>();

/** The object in its stored form; undefined for a kind that is not known. Errors: ManifestError. */
function storedObject(place: Place): StoredObject | undefined {
  let known = storedObjects.get(place.value);
  if (known === undefined) {
    known = converted(place);
    storedObjects.set(place.value, known);
  }
  return known.kind === undefined ? undefined : { kind: known.kind, object: known.object, place };
}

function converted({ value, line }: Place): { kind: Kind; object: KubeObject } | { kind: undefined } {
  const { apiVersion, kind: kindName, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kindName !== 'string') return { kind: undefined };
  const kind = kindOf(apiVersion, kindName);
  if (kind === undefined) return { kind: undefined };
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '') {
    throw new ManifestError(line, `${kindName} without metadata.name`);
  }
  const written = deepCopy(value) as KubeObject;
  if (kind.namespaced) written.metadata.namespace ??= 'default';
  const object = kind.v3 && apiVersion.startsWith('projectcalico.org/') ? fromV3(kind, written) : written;
  normalise(kind, object);
  return { kind, object };
}

/** With the line ends of what it replaces, and what stood at its end. */
function likeOld(form: PlaceForm, old: string, text: string): string {
  // The parser counts the line end after a block to the block.
  if (form === 'flow') return text + (/\s*$/.exec(old)?.[0] ?? '');
  const trimmed = old.endsWith('\n') ? text : text.replace(/\n$/, '');
  return old.includes('\r\n') ? trimmed.replaceAll('\n', '\r\n') : trimmed;
}
