// What a command gets to work with: the datastore opened on first use, notes, progress, questions.
import type { Context } from '../commands/command.ts';
import type { TransportInput } from '../commands/transport-flags.ts';
import { ConnectionError } from '../connect/connection-error.ts';
import type { KubeConnection } from '../connect/kube-connection.ts';
import type { ConnectionSettings } from '../connect/settings.ts';
import type { Datastore } from '../datastore/datastore.ts';
import type { KubeOptions } from '../datastore/kube/kube-datastore.ts';
import type { NodeExec } from '../node-exec/node-exec.ts';
import { CalictlError, UsageError } from '../world/errors.ts';
import type { Progress } from '../world/progress.ts';
import type { World } from '../world/world.ts';
import { buildInfo } from './build-info.ts';
import { calicoApiSetting } from './calico-api-setting.ts';
import type { DatastoreLocation, OpenableLocation } from './datastore-location.ts';
import type { ShownPaths } from './guarded-output.ts';
import { openNodeExec } from './open-node-exec.ts';
import { safe } from './print-error.ts';
import { ProgressLine } from './progress.ts';
import { versionWarning } from './version-warning.ts';

const waysToStart = [
  'no datastore is configured: use one of these',
  '  calictl --datastore DIR get nodes        a directory of manifests, such as `kubectl get -o yaml` writes',
  '  calictl --kubeconfig FILE get nodes      a cluster; also KUBECONFIG or ~/.kube/config, and --context NAME',
  '  calictl --config FILE get nodes          a configuration file of calicoctl; also DATASTORE_TYPE and related variables',
].join('\n');

/** The loader looked everywhere and there was nothing: not a wrong setting, none at all. */
function findsNothing(error: unknown): boolean {
  return error instanceof ConnectionError && error.storeText.includes('no configuration has been provided');
}

async function open(
  place: OpenableLocation,
  world: World,
  options: KubeOptions,
  connect: (settings: ConnectionSettings) => Promise<KubeConnection>,
): Promise<Datastore> {
  switch (place.type) {
    case 'folder': {
      const { openFolder } = await import('../datastore/file/file-datastore.ts');
      const { clock, random, self } = world;
      return openFolder(
        place.path,
        { clock, random, self },
        {
          bundle: place.bundle,
          calicoApi: calicoApiSetting(place.apiGroup, options.asCalicoctl),
        },
      );
    }
    case 'kubernetes': {
      const opening = import('../datastore/kube/kube-datastore.ts');
      try {
        const [connection, { openKube }] = await Promise.all([connect(place.connection), opening]);
        const calicoApi = calicoApiSetting(place.connection.calicoAPIGroup, options.asCalicoctl);
        return await openKube(connection, world, { ...options, calicoApi });
      } catch (error) {
        if (!place.isNamed && !place.connection.kubeconfig && findsNothing(error)) {
          throw new UsageError(waysToStart, undefined, 'NO_DATASTORE');
        }
        throw error;
      }
    }
    case 'etcdv3':
      throw new CalictlError('this version of calictl does not support the etcd datastore', {
        code: 'DATASTORE_UNSUPPORTED',
        hint: 'use a Kubernetes datastore, or a directory of manifests with --datastore DIR',
      });
  }
}

/** What differs between calictl and calicoctl. */
export interface ContextOptions {
  /** Where the datastore is. Errors: those of flags, configuration file and environment. */
  locate(): Promise<DatastoreLocation>;
  settings(): Promise<ConnectionSettings>;
  /** Notes, progress and ways to start, which calicoctl does not have. */
  readonly forPeople: boolean;
  /** A cluster of an unknown release gets a line on stderr. */
  readonly warns: boolean;
  /** What is shown in place of temporary folders. */
  readonly paths?: ShownPaths;
}

export class CommandContext implements Context {
  readonly world: World;
  readonly version = buildInfo;
  readonly #options: ContextOptions;
  readonly #progress: ProgressLine;
  #store: Promise<Datastore> | undefined;
  #warning: Promise<void> | undefined;
  #nodeExec: Promise<NodeExec> | undefined;
  #connection: Promise<KubeConnection> | undefined;
  #location: Promise<OpenableLocation> | undefined;
  #unpacked: { remove(): Promise<void> } | undefined;

  constructor(world: World, options: ContextOptions) {
    this.world = world;
    this.#options = options;
    this.#progress = new ProgressLine(world.io.stderr, world.clock);
  }

  datastore(): Promise<Datastore> {
    this.#store ??= this.#open();
    return this.#store;
  }

  /** Where the data is; a bundle is unpacked once. */
  async #locate(): Promise<OpenableLocation> {
    const location = await this.#options.locate();
    if (location.type !== 'bundle') return location;
    const { unpackBundle } = await import('../snapshot/bundle.ts');
    const unpacked = await unpackBundle(location.path, this.world.self, {
      limit: location.limit,
      signal: this.world.signal,
    });
    this.#unpacked = unpacked;
    this.#options.paths?.add(unpacked.folder, location.path);
    return { type: 'folder', path: unpacked.folder, bundle: location.path, apiGroup: location.apiGroup };
  }

  #found(): Promise<OpenableLocation> {
    this.#location ??= this.#locate();
    return this.#location;
  }

  async #open(): Promise<Datastore> {
    const { forPeople, warns } = this.#options;
    const options: KubeOptions = forPeople
      ? { waiting: this.#waiting, note: (line) => this.note(line) }
      : { asCalicoctl: true };
    const store = await open(await this.#found(), this.world, options, this.#connect);
    if (warns && store.type === 'kubernetes') this.#warning = this.#warn(store);
    return store;
  }

  /** One for the datastore and for the transport to the nodes: credential plugins are asked once. */
  readonly #connect = (settings: ConnectionSettings): Promise<KubeConnection> => {
    this.#connection ??= import('../connect/kube-config.ts').then((module) =>
      module.kubeConnection(settings, this.world),
    );
    return this.#connection;
  };

  readonly #waiting = (what: string | undefined): void => this.#progress.wait(what);

  settings(): Promise<ConnectionSettings> {
    return this.#options.settings();
  }

  nodeExec(input: TransportInput): Promise<NodeExec> {
    const waiting = this.#options.forPeople ? this.#waiting : undefined;
    this.#nodeExec ??= this.#found().then((location) =>
      openNodeExec(input, location, this.world, this.#connect, waiting),
    );
    return this.#nodeExec;
  }

  /** Runs while the command runs: it costs no time of its own. */
  async #warn(store: Datastore): Promise<void> {
    const warning = await versionWarning(store, this.world.signal);
    if (warning !== undefined) await this.note(warning);
  }

  async note(line: string): Promise<void> {
    if (!this.#options.forPeople) return;
    this.#progress.pause();
    await this.world.io.stderr.write(`${safe(line)}\n`);
  }

  readonly progress: Progress = (text, steps) => {
    if (this.#options.forPeople) this.#progress.show(text, steps);
  };

  async confirm(question: string): Promise<boolean> {
    this.#progress.pause();
    await this.world.io.stderr.write(`${safe(question)} [y/N] `);
    const answer = await this.world.io.stdin.readLine();
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  }

  /** A malformed object that an unforeseen error comes from, when the datastore holds one; else the error itself. */
  async explained(error: unknown): Promise<unknown> {
    const store = await this.#store?.catch(() => undefined);
    if (store === undefined || error instanceof CalictlError || this.world.signal.aborted) return error;
    const { findMalformed } = await import('../datastore/malformed.ts');
    const found = await findMalformed(store, error, { signal: this.world.signal }).catch(() => undefined);
    return found ?? error;
  }

  /** Before the answer is printed. */
  quiet(): void {
    this.#progress.stop();
  }

  /** When all is printed: waits for the warning, closes what was opened. */
  async close(): Promise<void> {
    this.#progress.stop();
    const store = await this.#store?.catch(() => undefined);
    await this.#warning?.catch(() => undefined);
    await store?.close();
    await (await this.#nodeExec?.catch(() => undefined))?.close();
    await this.#unpacked?.remove();
  }
}
