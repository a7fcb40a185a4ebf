// The embedded store: a folder of manifests read and written in place, one atomic change at a time under a lock file.
import type { Stats } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writtenForm } from '../../manifest/forms.ts';
import { type Manifest, newManifest } from '../../manifest/manifest.ts';
import { inStoredForm } from '../../resources/convert/v3.ts';
import { type CalicoApi, type Kind, storedIn } from '../../resources/kind.ts';
import type { KubeObject, ObjectRef } from '../../resources/object.ts';
import { deepCopy } from '../../text/plain-values.ts';
import { andMore } from '../../text/wording.ts';
import { UsageError } from '../../world/errors.ts';
import {
  type CallOptions,
  type Datastore,
  DatastoreError,
  type DeletePreconditions,
  type Holdings,
  type ListOptions,
  type ListPage,
  type RepairLock,
  type WriteOptions,
} from '../datastore.ts';
import { labelSelector } from '../label-selector.ts';
import {
  alreadyExists,
  asCreated,
  asUpdated,
  checkDelete,
  compareKeys,
  notFound,
  objectKey,
  refOf,
} from '../object-rules.ts';
import { Contents, type Entry, revisionOf } from './contents.ts';
import { fileNames } from './file-name.ts';
import { readText, removeFile, replaceFile } from './folder.ts';
import { FolderLock, type FolderWorld } from './folder-lock.ts';
import { asDatastoreError, errorCode, isReadOnly } from './fs-errors.ts';
import { readSnapshotFile, type SnapshotInfo } from './snapshot-info.ts';

/** Code of the error when a folder without manifests is read. Writing into such a folder is fine. */
export const emptyFolderCode = 'DATASTORE_EMPTY';

export interface FolderOptions {
  /** The file from which the folder was unpacked to be read: then nothing can be written. */
  readonly bundle?: string | undefined;
  /** The API of Calico's objects that the user names: decides where the folder has IPAM data of both. */
  readonly calicoApi?: CalicoApi | undefined;
}

/**
 * Opens a folder as a datastore; only its snapshot information is read yet.
 * Errors: UsageError when there is no such folder, invalid for unreadable snapshot information.
 */
export async function openFolder(
  path: string,
  world: FolderWorld,
  options: FolderOptions = {},
): Promise<FileDatastore> {
  let stats: Stats;
  try {
    stats = await stat(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw asDatastoreError(error, `open ${path}`);
    throw new UsageError(
      `directory ${path} does not exist`,
      'Check the path, or create the directory first.',
      'FOLDER_MISSING',
    );
  }
  if (!stats.isDirectory()) {
    throw new UsageError(
      `${path} is not a directory`,
      'Give the path of the directory that holds the manifests.',
      'FOLDER_INVALID',
    );
  }
  return new FileDatastore(path, world, await readSnapshotFile(path), options);
}

export class FileDatastore implements Datastore {
  readonly type = 'folder';
  readonly description: string;
  readonly capturedAt: Date | undefined;
  readonly folder: string;
  readonly bundle: string | undefined;
  readonly #complete: ReadonlySet<string>;
  readonly #world: FolderWorld;
  readonly #contents: Contents;
  readonly #lock: FolderLock;
  /** Calls of one process run one after the other; the lock file is for other processes. */
  #queue: Promise<unknown> = Promise.resolve();
  /** How many refreshes of the whole folder were started, and the last one that succeeded. */
  #begun = 0;
  #ended = 0;

  constructor(folder: string, world: FolderWorld, info: SnapshotInfo, { bundle, calicoApi }: FolderOptions) {
    const { capturedAt, complete } = info;
    this.bundle = bundle;
    this.#complete = complete;
    this.description = bundle === undefined ? `directory ${folder}` : `snapshot ${bundle}`;
    this.capturedAt = capturedAt;
    this.folder = folder;
    this.#world = world;
    this.#contents = new Contents(folder, info.calicoApi, calicoApi);
    this.#lock = new FolderLock(folder, world);
  }

  /** That of what was read last; a folder that was not read yet has crd.projectcalico.org/v1, or that of its snapshot. */
  get calicoApi(): CalicoApi {
    return this.#contents.calicoApi;
  }

  async get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: CallOptions): Promise<T> {
    const key = objectKey(kind, ref);
    const before = this.#begun;
    return this.#inTurn('read', options, async () => {
      const known = this.#contents.find(kind, key);
      // Calls that were queued share the refresh that the first of them needed.
      const isFresh =
        known === undefined || known.copies.length > 0
          ? this.#ended > before
          : await this.#contents.isCurrent(known.path);
      if (!isFresh) await this.#look(options);
      const entry = this.#contents.find(kind, key);
      if (entry === undefined) {
        this.#refuseUnreadable();
        throw notFound(storedIn(kind, this.calicoApi), ref, this.#contents.isEmpty ? this.#emptyHint() : undefined);
      }
      return this.#handedOut<T>(entry);
    });
  }

  async *list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): AsyncGenerator<ListPage<T>> {
    const selected = labelSelector(options.labelSelector ?? '');
    yield await this.#inTurn('read', options, async () => {
      await this.#look(options);
      if (options.partial !== true) this.#refuseUnreadable();
      if (this.#contents.isEmpty) this.#refuseUnreadable();
      if (this.#contents.isEmpty && options.orEmpty !== true) {
        throw new DatastoreError('invalid', `${this.folder} holds no manifests`, {
          code: emptyFolderCode,
          hint: this.#emptyHint(),
        });
      }
      const items = [...this.#contents.all(kind)]
        .filter(([, { object }]) => options.namespace === undefined || object.metadata.namespace === options.namespace)
        .filter(([, { object }]) => selected(object.metadata.labels))
        .sort(([a], [b]) => compareKeys(a, b))
        .map(([, entry]) => this.#handedOut<T>(entry));
      return { items, resourceVersion: String(this.#contents.revision), atomic: true };
    });
  }

  async create<T extends KubeObject>(asked: Kind<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#locked(options, async () => {
      await this.#look(options, true);
      const { kind, written, ref } = this.#forStore(asked, object);
      if (this.#contents.find(asked, objectKey(kind, ref)) !== undefined) throw alreadyExists(kind, ref);
      this.#refuseUnreadable();
      const given = {
        uid: this.#world.random.uuid(),
        resourceVersion: this.#nextRevision(),
        now: this.#world.clock.now(),
      };
      const created = asCreated(written, given);
      const manifest = newManifest(this.#contents.newForm(asked, created));
      if (!options?.dryRun) await this.#write(await this.#freeName(kind, ref), manifest);
      return created;
    });
  }

  async update<T extends KubeObject>(asked: Kind<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#locked(options, async () => {
      const entry = await this.#stored(asked, object.metadata, options);
      const { kind, written } = this.#forStore(asked, object);
      const updated = asUpdated(kind, written, this.#handedOut<T>(entry), () => this.#nextRevision());
      if (updated === undefined) return this.#handedOut<T>(entry);
      const form = writtenForm(entry, updated, this.calicoApi);
      await this.#rewrite(entry, (manifest) => manifest.withChanged(entry, form), options);
      return deepCopy(updated);
    });
  }

  async delete(kind: Kind, ref: ObjectRef, preconditions: DeletePreconditions, options?: WriteOptions): Promise<void> {
    await this.#locked(options, async () => {
      const entry = await this.#stored(kind, ref, options);
      checkDelete(storedIn(kind, this.calicoApi), this.#handedOut(entry), preconditions);
      await this.#rewrite(entry, (manifest) => manifest.without(entry), options);
    });
  }

  async holdings(options?: CallOptions): Promise<Holdings> {
    return this.#inTurn('read', options, async () => {
      await this.#look(options);
      return { unreadable: this.#unreadable(), complete: this.#complete };
    });
  }

  async lockRepairs(options?: CallOptions): Promise<RepairLock> {
    this.#refuseBundle();
    return this.#lock.forRepairs(options);
  }

  async close(): Promise<void> {
    await this.#queue;
  }

  /** A kind and an object as this folder holds them, once it was read. Errors: invalid, as of refOf. */
  #forStore<T extends KubeObject>(asked: Kind<T>, object: T): { kind: Kind<T>; written: T; ref: ObjectRef } {
    const kind = storedIn(asked, this.calicoApi);
    const written = inStoredForm(asked, object, this.calicoApi);
    return { kind, written, ref: refOf(kind, written) };
  }

  #unreadable(): string[] {
    return this.#contents.unreadable.map(({ path, reason }) => `${join(this.folder, path)}: ${reason}`);
  }

  /** What is not known to be there may be in a file that cannot be read. Errors: unavailable. */
  #refuseUnreadable(): void {
    const unreadable = this.#unreadable();
    const [first] = unreadable;
    if (first === undefined) return;
    throw new DatastoreError('unavailable', `cannot read ${first}${andMore(unreadable.length - 1)}`, {
      code: 'FILE_UNREADABLE',
      hint: 'Make it readable, or move it out of the directory if it is not a manifest.',
    });
  }

  #emptyHint(): string {
    return `${this.folder} holds no .yaml, .yml or .json file: put manifests there (kubectl get -o yaml), or use another directory.`;
  }

  /** A copy with a revision. */
  #handedOut<T extends KubeObject>({ object, position, path }: Entry): T {
    const copy = deepCopy(object) as T;
    const text = () => this.#contents.manifest(path)?.text.slice(position.start, position.end) ?? '';
    copy.metadata.resourceVersion = revisionOf(object, text);
    return copy;
  }

  #nextRevision(): string {
    return String(this.#contents.revision + 1n);
  }

  /** Reads what changed. If other processes keep writing, the lock keeps them out, provided that the folder is writable. */
  async #look(options: CallOptions | undefined, isLocked = false): Promise<void> {
    const look = ++this.#begun;
    if (await this.#contents.refresh()) {
      this.#ended = look;
      return;
    }
    if (isLocked) throw this.#keepsChanging();
    let lock: { release(): Promise<void> } | undefined;
    try {
      lock = await this.#lock.hold(options);
    } catch (error) {
      if (!isReadOnly(error)) throw error;
    }
    try {
      if (!(await this.#contents.refresh())) throw this.#keepsChanging();
      this.#ended = look;
    } finally {
      await lock?.release();
    }
  }

  #keepsChanging(): DatastoreError {
    return new DatastoreError('unavailable', `the files in ${this.folder} keep changing while they are read`, {
      hint: 'Wait until the program that writes them has finished.',
    });
  }

  /** The object as its file holds it now, under the lock. Errors: not-found. */
  async #stored(kind: Kind, ref: ObjectRef, options: CallOptions | undefined): Promise<Entry> {
    const key = objectKey(kind, ref);
    const known = this.#contents.find(kind, key);
    if (known !== undefined) {
      const text = await readText(join(this.folder, known.path));
      if (text !== undefined && text === this.#contents.manifest(known.path)?.text) return known;
      this.#contents.distrust(known.path);
    }
    await this.#look(options, true);
    const entry = this.#contents.find(kind, key);
    if (entry === undefined) {
      this.#refuseUnreadable();
      throw notFound(storedIn(kind, this.calicoApi), ref);
    }
    return entry;
  }

  async #rewrite(entry: Entry, change: (manifest: Manifest) => Manifest, options?: WriteOptions): Promise<void> {
    this.#contents.refuseCopies(entry);
    const manifest = this.#contents.manifest(entry.path);
    if (manifest === undefined) throw notFound(storedIn(entry.kind, this.calicoApi), entry.object.metadata);
    try {
      const changed = change(manifest);
      if (!options?.dryRun) await this.#write(entry.path, changed);
    } catch (error) {
      throw this.#contents.error(entry.path, error);
    }
  }

  async #write(path: string, manifest: Manifest): Promise<void> {
    const absolute = join(this.folder, path);
    if (manifest.isEmpty) {
      await removeFile(absolute);
      await this.#contents.wrote(path, undefined);
    } else {
      await replaceFile(absolute, manifest.text);
      await this.#contents.wrote(path, manifest);
    }
  }

  async #freeName(kind: Kind, ref: ObjectRef): Promise<string> {
    for (const name of fileNames(kind, ref)) {
      try {
        await lstat(join(this.folder, name));
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return name;
        throw error;
      }
    }
    throw new Error('unreachable: the names do not end');
  }

  /** Errors: unsupported, for an unpacked bundle: a change would be lost. */
  #refuseBundle(): void {
    if (this.bundle === undefined) return;
    throw new DatastoreError('unsupported', `${this.bundle} cannot be written to`, {
      hint: 'Unpack it into a directory, and use the directory.',
    });
  }

  /** Under the lock of the folder, which a dry run leaves alone like everything else in it. */
  async #locked<R>(options: WriteOptions | undefined, run: () => Promise<R>): Promise<R> {
    this.#refuseBundle();
    if (options?.dryRun) return this.#inTurn('read', options, run);
    return this.#inTurn('write to', options, async () => {
      const lock = await this.#lock.hold(options);
      try {
        return await run();
      } finally {
        await lock.release();
      }
    });
  }

  async #inTurn<R>(doing: string, options: CallOptions | undefined, run: () => Promise<R>): Promise<R> {
    const turn = this.#queue.then(async () => {
      options?.signal?.throwIfAborted();
      return run();
    });
    this.#queue = turn.catch(() => undefined);
    try {
      return await turn;
    } catch (error) {
      throw asDatastoreError(error, `${doing} ${this.folder}`);
    }
  }
}
