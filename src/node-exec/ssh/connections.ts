// The open connections: one per host, shared by everything that is reached through it, opened again after it was lost.
import type { Client } from 'ssh2';
import type { SshWorld } from './config-files.ts';
import { type Connection, connect } from './connection.ts';
import { hostKeyCheck, KnownHostsReader } from './host-key.ts';
import { identitiesOf } from './identities.ts';
import type { SshSettings } from './settings.ts';
import { connectionKey, type SshHost } from './ssh-host.ts';

/** Closing this closes every connection. */
export class Connections {
  readonly #settings: SshSettings;
  readonly #world: SshWorld;
  readonly #password: () => Promise<string | undefined>;
  readonly #open = new Map<string, Promise<Connection>>();
  readonly #made = new Set<Connection>();
  readonly #lists = new KnownHostsReader();
  readonly #end = new AbortController();

  /** `password` is called when the first connection is opened. */
  constructor(settings: SshSettings, world: SshWorld, password: () => Promise<string | undefined>) {
    this.#settings = settings;
    this.#world = world;
    this.#password = password;
  }

  /** Errors: SshFailure. */
  async to(host: SshHost): Promise<Client> {
    const key = connectionKey(host);
    let connection = this.#open.get(key);
    if (connection === undefined) {
      connection = this.#connect(host);
      this.#open.set(key, connection);
      const forget = (): void => {
        if (this.#open.get(key) === connection) this.#open.delete(key);
      };
      connection.then(({ closed }) => closed.then(forget), forget);
    }
    return (await connection).client;
  }

  async #connect(host: SshHost): Promise<Connection> {
    const { via } = host;
    const check = hostKeyCheck(host, this.#settings, this.#world, this.#lists);
    const identities = await identitiesOf(host.config, await this.#password(), this.#world);
    const jump = via === undefined ? undefined : await this.to(via);
    this.#end.signal.throwIfAborted();
    const made = await connect(host, jump, check, identities, this.#end.signal);
    this.#made.add(made);
    made.closed.then(() => this.#made.delete(made));
    return made;
  }

  /** Closes all of them, and so ends what still runs on the nodes. Does not wait for one that is still being opened. */
  async close(): Promise<void> {
    this.#open.clear();
    this.#end.abort();
    await Promise.all([...this.#made].map(({ closed }) => closed));
  }
}
