// One SSH connection to one host, straight or through a connection to the host before it. The only user of ssh2's client.
import type { Duplex } from 'node:stream';
import ssh2, { type AnyAuthMethod, type AuthenticationType, type Client, type ConnectConfig } from 'ssh2';
import { systemText } from '../../world/errors.ts';
import type { HostKeyCheck } from './host-key.ts';
import type { Identities } from './identities.ts';
import { isItUp, SshFailure } from './ssh-failure.ts';
import { placeOf, type SshHost } from './ssh-host.ts';

const defaultConnectTimeoutMs = 10_000;
/** A host that is gone without a word is noticed after three of these. */
const keepaliveMs = 10_000;

export interface Connection {
  readonly client: Client;
  /** Resolves when it is over, for whatever reason. */
  readonly closed: Promise<void>;
}

/** Gives up when the signal is aborted. Errors: SshFailure with the reason. */
export async function connect(
  host: SshHost,
  via: Client | undefined,
  check: HostKeyCheck,
  identities: Identities,
  signal: AbortSignal,
): Promise<Connection> {
  const sock = via === undefined ? undefined : await through(via, host);
  const client = new ssh2.Client();
  // Each command listens for the end of the connection.
  client.setMaxListeners(0);
  let refused: SshFailure | undefined;
  const offer = new Offers(identities.methods, host.config.user);
  const timeoutMs = host.config.connectTimeoutMs ?? defaultConnectTimeoutMs;
  const settings: ConnectConfig = {
    host: host.config.hostName,
    port: host.config.port,
    username: host.config.user,
    ...(sock === undefined ? {} : { sock }),
    readyTimeout: timeoutMs,
    keepaliveInterval: keepaliveMs,
    keepaliveCountMax: 3,
    algorithms: { serverHostKey: check.algorithms as NonNullable<ConnectConfig['algorithms']>['serverHostKey'] & [] },
    hostVerifier: (key: Buffer) => {
      refused = check.judge(key);
      return refused === undefined;
    },
    authHandler: (left: AuthenticationType[] | null, _partial: boolean, next: (method: never) => void) =>
      next(offer.next(left) as never),
  };
  const closed = new Promise<void>((resolve) => void client.once('close', () => resolve()));
  const giveUp = (): unknown => client.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  closed.then(() => signal.removeEventListener('abort', giveUp));
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('close', () => reject(refused ?? new SshFailure('unreachable', `${placeOf(host)} hung up`, isItUp)));
    // After the login too: an error without a listener would end the program.
    client.on('error', (error: SshError) => {
      // A key that could not be used for signing: the next one is tried.
      if (error.level === 'agent' || /^Error (while )?signing/.test(error.message)) return;
      reject(refused ?? failureOf(error, host, identities, offer.accepted, timeoutMs));
    });
    client.connect(settings);
    // Small messages go to and fro: waiting for more of them costs 40 ms each.
    client.setNoDelay(true);
  }).catch((error: unknown) => {
    client.destroy();
    throw error;
  });
  return { client, closed };
}

type SshError = Error & { readonly level?: string; readonly code?: unknown };

/** The methods one after the other; those that the host does not take are left out. */
class Offers {
  readonly #left: AnyAuthMethod[];
  accepted: readonly string[] | undefined;

  constructor(methods: readonly AnyAuthMethod[], username: string) {
    // With nothing to show, the host is asked what it takes.
    this.#left = methods.length === 0 ? [{ type: 'none', username }] : [...methods];
  }

  next(left: readonly AuthenticationType[] | null): AnyAuthMethod | false {
    if (left !== null) this.accepted = left;
    for (let method = this.#left.shift(); method !== undefined; method = this.#left.shift()) {
      const type = method.type === 'agent' ? 'publickey' : method.type;
      if (left === null || left.includes(type)) return method;
    }
    return false;
  }
}

function failureOf(
  error: SshError,
  host: SshHost,
  identities: Identities,
  accepted: readonly string[] | undefined,
  timeoutMs: number,
): SshFailure {
  const place = placeOf(host);
  switch (error.level) {
    case 'client-timeout':
      return new SshFailure('unreachable', `${place} did not answer within ${timeoutMs / 1000} seconds`, isItUp);
    case 'client-socket':
      return new SshFailure('unreachable', `${place}: ${socketText(error)}`, isItUp);
    case 'client-authentication':
      return notLetIn(host, identities, accepted);
    default:
      break;
  }
  if (/Too many authentication failures/i.test(error.message)) {
    return new SshFailure(
      'unauthorized',
      `${place} does not look at so many keys (as ${host.config.user})`,
      'Name the one that counts with --ssh-key, and set IdentitiesOnly in ssh_config.',
    );
  }
  if (/no matching host key/i.test(error.message)) {
    return new SshFailure(
      'host-key',
      `${place} has no host key of a kind that is supported`,
      'Give it an ed25519 key.',
    );
  }
  return new SshFailure('unreachable', `${place}: ${error.message}`, isItUp);
}

function notLetIn(host: SshHost, { tried, unusable }: Identities, accepted: readonly string[] | undefined): SshFailure {
  const with_ = tried.length === 0 ? 'there is nothing to log in with' : `it refused ${tried.join(', ')}`;
  const rest = [
    ...(unusable.length === 0 ? [] : [`not usable: ${unusable.join(', ')}`]),
    ...(accepted === undefined ? [] : [`it takes: ${accepted.join(', ')}`]),
  ];
  return new SshFailure(
    'unauthorized',
    `${placeOf(host)} does not let ${host.config.user} in: ${[with_, ...rest].join('; ')}`,
    'Name the user with --ssh-user and the key with --ssh-key, or add the key to ssh-agent.',
  );
}

const socketTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no answer',
  ENOTFOUND: 'no such name',
  EAI_AGAIN: 'the name server does not answer',
};

function socketText(error: SshError): string {
  return socketTexts[String(error.code)] ?? systemText(error);
}

/** RFC 4254, 5.1. */
const administrativelyProhibited = 1;

/** A stream to the host from the jump host before it. Errors: SshFailure. */
function through(jump: Client, host: SshHost): Promise<Duplex> {
  const { hostName, port } = host.config;
  const jumpPlace = host.via === undefined ? 'the jump host' : `the jump host ${placeOf(host.via)}`;
  return new Promise((resolve, reject) => {
    const failed = (error: Error & { readonly reason?: unknown }): void => {
      const prohibited = error.reason === administrativelyProhibited;
      reject(
        new SshFailure(
          'unreachable',
          prohibited
            ? `${jumpPlace} does not forward to ${placeOf(host)}`
            : `${jumpPlace} does not reach ${placeOf(host)}: ${error.message.replace(/^.*failure: /, '').toLowerCase()}`,
          prohibited ? 'Its sshd must allow it: AllowTcpForwarding, PermitOpen.' : isItUp,
        ),
      );
    };
    try {
      jump.forwardOut('127.0.0.1', 0, hostName, port, (error, stream) => (error ? failed(error) : resolve(stream)));
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
