// The contents of a folder of manifests, as of the last refresh: parsed files and an index of their objects.
// A refresh takes no lock and writes nothing; it parses only files that changed since the last one.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { storedForm } from '../../manifest/forms.ts';
import { Manifest, type ManifestObject } from '../../manifest/manifest.ts';
import { ManifestError } from '../../manifest/object-position.ts';
import { inStoredForm } from '../../resources/convert/v3.ts';
import { type CalicoApi, customResourceApi, isCalicoKind, type Kind, v3ApiVersion } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import { sameValue } from '../../text/plain-values.ts';
import { DatastoreError } from '../datastore.ts';
import { objectKey, revisionNumber } from '../object-rules.ts';
import { listManifests, readTexts, type Signature, signatureOf, type Unreadable } from './folder.ts';

/** An object and the file that holds it. */
export interface Entry extends ManifestObject {
  /** In the API of the folder. Shared: copy it before it leaves the store. */
  readonly object: KubeObject;
  /** Relative to the folder. */
  readonly path: string;
  /** Where the folder holds the same object again, equal in every field; then it can be read but not changed. */
  readonly copies: readonly Place[];
}

/** Where an object is. */
type Place = Pick<Entry, 'path' | 'position'>;

interface LoadedFile {
  readonly signature: Signature;
  readonly manifest: Manifest;
}

/** By kind and key. */
type Entries = Map<Kind, Map<string, Entry>>;

/** How often a refresh starts over when files change meanwhile. */
const ATTEMPTS = 5;

export class Contents {
  readonly #folder: string;
  #files = new Map<string, LoadedFile>();
  #entries: Entries = new Map();
  /** The highest numeric revision so far. */
  #revision = 0n;
  #unreadable: readonly Unreadable[] = [];
  /** True when an object is in several files. */
  #hasCopies = false;
  readonly #saved: CalicoApi | undefined;
  readonly #asked: CalicoApi | undefined;
  #calicoApi: CalicoApi;
  /** The API whose objects are left out, when the folder has IPAM data of both. */
  #ignored: CalicoApi | undefined;

  /**
   * `folder` as the user wrote it: paths in messages begin with it. `saved`: the API of a snapshot; `asked`: the one that
   * counts where the folder has IPAM data of both.
   */
  constructor(folder: string, saved?: CalicoApi, asked?: CalicoApi) {
    this.#folder = folder;
    this.#saved = saved;
    this.#asked = saved ?? asked;
    this.#calicoApi = saved ?? customResourceApi;
  }

  /** The API in which the folder keeps Calico's objects. */
  get calicoApi(): CalicoApi {
    return this.#calicoApi;
  }

  get revision(): bigint {
    return this.#revision;
  }

  /** True when there is no object of any kind, known or unknown. */
  get isEmpty(): boolean {
    for (const { manifest } of this.#files.values()) if (manifest.count > 0) return false;
    return true;
  }

  /** Files and folders whose objects are not known. */
  get unreadable(): readonly Unreadable[] {
    return this.#unreadable;
  }

  find(kind: Kind, key: string): Entry | undefined {
    return this.#entries.get(kind)?.get(key);
  }

  all(kind: Kind): ReadonlyMap<string, Entry> {
    return this.#entries.get(kind) ?? new Map<string, Entry>();
  }

  manifest(path: string): Manifest | undefined {
    return this.#files.get(path)?.manifest;
  }

  /**
   * Brings everything up to date, as of one point in time. Returns false, with nothing changed, when files kept changing.
   * Errors: invalid for a manifest that cannot be read, and for an object that is stored twice.
   */
  async refresh(): Promise<boolean> {
    let listing = await listManifests(this.#folder);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const listed = listing.manifests;
      const changed = [...listed].filter(([path, signature]) => this.#files.get(path)?.signature !== signature);
      if (changed.length === 0 && listed.size === this.#files.size) {
        this.#unreadable = listing.unreadable;
        return true;
      }
      const read = await readTexts(
        this.#folder,
        changed.map(([path]) => path),
      );
      // Files with the same signature before and after the reading did not change in between.
      const after = await listManifests(this.#folder);
      if (sameFiles(listed, after.manifests)) {
        this.#take(listed, read.texts);
        this.#unreadable = [...after.unreadable, ...read.unreadable];
        return true;
      }
      listing = after;
    }
    return false;
  }

  /**
   * A new object in the API of the first of Calico's objects in the folder that people write: among exports of calicoctl it
   * is one of them. IPAM data stays in the API of the folder, which it decides.
   */
  newForm(kind: Kind, object: KubeObject): KubeObject {
    if (!isCalicoKind(kind) || kind.native?.isProof === true || this.#calicoApi === v3ApiVersion) return object;
    for (const { manifest } of this.#files.values()) {
      const first = manifest.objects.find((one) => isCalicoKind(one.kind) && one.kind.native?.isProof !== true);
      if (first === undefined) continue;
      return first.written.apiVersion === v3ApiVersion ? inStoredForm(kind, object, v3ApiVersion) : object;
    }
    return object;
  }

  /** True when the file is unchanged since the last refresh. */
  async isCurrent(path: string): Promise<boolean> {
    const signature = this.#files.get(path)?.signature;
    return signature !== undefined && signature === (await signatureOf(join(this.#folder, path)));
  }

  /** Makes the next refresh read the file again, even if the file system reports no change. */
  distrust(path: string): void {
    const known = this.#files.get(path);
    if (known !== undefined) this.#files.set(path, { ...known, signature: '' });
  }

  /** Takes over what this process wrote; undefined for a file that it removed. The cost is that of the one file. */
  async wrote(path: string, manifest: Manifest | undefined): Promise<void> {
    const signature = manifest === undefined ? undefined : await signatureOf(join(this.#folder, path));
    if (this.#hasCopies) {
      const files = new Map(this.#files);
      if (manifest === undefined || signature === undefined) files.delete(path);
      else files.set(path, { signature, manifest });
      this.#index(files);
      return;
    }
    for (const { kind, written } of this.#files.get(path)?.manifest.objects ?? []) {
      this.#entries.get(kind)?.delete(objectKey(kind, written.metadata));
    }
    if (manifest === undefined || signature === undefined) {
      this.#files.delete(path);
      return;
    }
    this.#files.set(path, { signature, manifest });
    this.#enter(this.#entries, path, manifest);
  }

  #take(listed: ReadonlyMap<string, Signature>, texts: ReadonlyMap<string, string>): void {
    const files = new Map<string, LoadedFile>();
    for (const [path, signature] of listed) {
      const text = texts.get(path);
      const known = this.#files.get(path);
      if (text !== undefined) files.set(path, { signature, manifest: this.#parsed(path, text, known?.manifest) });
      else if (known !== undefined) files.set(path, known);
    }
    this.#index(files);
  }

  #parsed(path: string, text: string, previous: Manifest | undefined): Manifest {
    if (previous?.text === text) return previous;
    try {
      return new Manifest(text, /\.json$/i.test(path), previous);
    } catch (error) {
      throw this.error(path, error);
    }
  }

  #index(files: Map<string, LoadedFile>): void {
    const entries: Entries = new Map();
    this.#hasCopies = false;
    const found = this.#apiOf(files);
    this.#calicoApi = found.calicoApi;
    this.#ignored = found.ignored;
    for (const [path, { manifest }] of files) this.#enter(entries, path, manifest);
    this.#files = files;
    this.#entries = entries;
  }

  /**
   * The API of which the folder has IPAM data, that of its snapshot if it has none, crd.projectcalico.org/v1 otherwise.
   * Errors: invalid, when it has data of both and the user names none.
   */
  #apiOf(files: ReadonlyMap<string, LoadedFile>): { calicoApi: CalicoApi; ignored: CalicoApi | undefined } {
    const proofs = new Map<string, string>();
    for (const [path, { manifest }] of files) {
      for (const { kind, written, position } of manifest.objects) {
        const isProof = kind.native?.isProof === true && !proofs.has(written.apiVersion);
        if (isProof) proofs.set(written.apiVersion, this.#placeText({ path, position }));
      }
    }
    const [crd, native] = [proofs.get(customResourceApi), proofs.get(v3ApiVersion)];
    if (crd === undefined || native === undefined) {
      const found = native !== undefined ? v3ApiVersion : crd !== undefined ? customResourceApi : this.#saved;
      return { calicoApi: found ?? customResourceApi, ignored: undefined };
    }
    if (this.#asked !== undefined) {
      const ignored = this.#asked === v3ApiVersion ? customResourceApi : v3ApiVersion;
      return { calicoApi: this.#asked, ignored };
    }
    throw new DatastoreError(
      'invalid',
      `${this.#folder} has IPAM data in ${customResourceApi} (${crd}) and in ${v3ApiVersion} (${native})`,
      {
        code: 'CALICO_API_UNCLEAR',
        hint: 'Set CALICO_API_GROUP to the API that Calico used in the cluster, or remove the files of the other one.',
      },
    );
  }

  /** Adds the objects of a file. A revision that was used once is not used again, even when its object is gone. */
  #enter(entries: Entries, path: string, { objects }: Manifest): void {
    for (const found of objects) {
      const { kind, written } = found;
      if (isCalicoKind(kind) && written.apiVersion === this.#ignored) continue;
      const object = storedForm(found, this.#calicoApi);
      const key = objectKey(kind, object.metadata);
      const ofKind = entries.get(kind) ?? new Map<string, Entry>();
      entries.set(kind, ofKind);
      const other = ofKind.get(key);
      const entry = { ...found, object, path, copies: [] };
      ofKind.set(key, other === undefined ? entry : this.#merged(other, entry));
      const number = revisionNumber(object.metadata.resourceVersion);
      if (number !== undefined && number > this.#revision) this.#revision = number;
    }
  }

  /**
   * An object that the folder holds again. A Velero backup holds each object once for each preferred version of its kind, and
   * the copy that Calico's API server makes of a custom resource has other metadata. Errors: invalid, when they differ.
   */
  #merged(first: Entry, second: Entry): Entry {
    const isView = isCalicoKind(first.kind) && first.written.apiVersion !== second.written.apiVersion;
    const isCopy = isView ? sameValue(first.object.spec, second.object.spec) : sameValue(first.object, second.object);
    if (!isCopy) throw this.#twice(first, second);
    this.#hasCopies = true;
    const [kept, other] = isView && second.written.apiVersion === this.#calicoApi ? [second, first] : [first, second];
    return { ...kept, copies: [...first.copies, { path: other.path, position: other.position }] };
  }

  /** Errors: unsupported for an object that is in several files: a change of one would leave two that differ. */
  refuseCopies({ kind, object, copies, ...place }: Entry): void {
    if (copies.length === 0) return;
    throw new DatastoreError(
      'unsupported',
      `${kind.kind} ${objectKey(kind, object.metadata)} is in several files and cannot be changed: in ` +
        [place, ...copies].map((one) => this.#placeText(one)).join(' and in '),
      { hint: 'Remove all but one of them, or work on a copy of the directory that has each object once.' },
    );
  }

  #placeText({ path, position }: Place): string {
    return `${join(this.#folder, path)}:${position.line}`;
  }

  #twice(first: Entry, second: Entry): DatastoreError {
    const { kind, object } = second;
    const [a, b] = [first, second].map((place) => this.#placeText(place));
    return new DatastoreError(
      'invalid',
      `${kind.kind} ${objectKey(kind, object.metadata)} is stored twice: in ${a} and, with other contents, in ${b}`,
      { hint: 'Remove one of them: a datastore holds each object once.' },
    );
  }

  /** Adds file and line to an error of a manifest; returns any other error unchanged. */
  error(path: string, error: unknown): unknown {
    if (!(error instanceof ManifestError)) return error;
    return new DatastoreError('invalid', `${join(this.#folder, path)}:${error.line}: ${error.message}`, {
      cause: error,
      hint:
        error.hint ??
        'Correct the file. If it is not a manifest, move it out of the directory or give it a hidden name.',
    });
  }
}

function sameFiles(a: ReadonlyMap<string, Signature>, b: ReadonlyMap<string, Signature>): boolean {
  return a.size === b.size && [...a].every(([path, signature]) => b.get(path) === signature);
}

/** The object's revision. One that was written without a revision gets one that changes with its text: reading never writes. */
export function revisionOf(object: KubeObject, text: () => string): string {
  const { resourceVersion } = object.metadata;
  if (typeof resourceVersion === 'string' && resourceVersion !== '') return resourceVersion;
  const hash = createHash('sha256').update(text()).digest();
  return String(hash.readUIntBE(0, 6));
}
