// One SSH connection to one host, direct or through a connection to its jump host. The only user of ssh2's client.
import type { Duplex } from 'node:stream';
import ssh2, { type AnyAuthMethod, type AuthenticationType, type Client, type ConnectConfig } from 'ssh2';
import { counted } from '../../text/wording.ts';
import { systemText } from '../../world/errors.ts';
import type { HostKeyCheck } from './host-key.ts';
import { hostKeyFailure } from './host-key-failure.ts';
import type { Identities } from './identities.ts';
import { permissionHint, SshFailure, unreachableHint } from './ssh-failure.ts';
import { type SshHost, sshHostLabel } from './ssh-host.ts';

const defaultConnectTimeoutMs = 10_000;
/** A host that vanishes is noticed after three of these. */
const keepaliveMs = 10_000;

export interface Connection {
  readonly client: Client;
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>;
}

/** Opens the connection; gives up when the signal is aborted. Errors: SshFailure. */
export async function connect(
  host: SshHost,
  via: Client | undefined,
  check: HostKeyCheck,
  identities: Identities,
  signal: AbortSignal,
): Promise<Connection> {
  const sock = via === undefined ? undefined : await forwardThrough(via, host);
  const client = new ssh2.Client();
  // Every running command listens for the end of the connection.
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
      refused = check.refusal(key);
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
    client.once('close', () =>
      reject(refused ?? new SshFailure('unreachable', `${sshHostLabel(host)}: connection closed`, unreachableHint)),
    );
    // Needed after the login too: an error without a listener would end the program.
    client.on('error', (error: SshError) => {
      // A key could not be used for signing; ssh2 tries the next one.
      if (error.level === 'agent' || /^Error (while )?signing/.test(error.message)) return;
      reject(refused ?? failureOf(error, host, identities, offer.accepted, timeoutMs));
    });
    client.connect(settings);
    // Without this, each of the many small messages waits up to 40 ms.
    client.setNoDelay(true);
  }).catch((error: unknown) => {
    client.destroy();
    throw error;
  });
  return { client, closed };
}

type SshError = Error & { readonly level?: string; readonly code?: unknown };

/** Offers the methods one after another, without those that the host does not accept. */
class Offers {
  readonly #left: AnyAuthMethod[];
  accepted: readonly string[] | undefined;

  constructor(methods: readonly AnyAuthMethod[], username: string) {
    // With nothing to offer, `none` makes the host list the methods that it accepts.
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
  const label = sshHostLabel(host);
  switch (error.level) {
    case 'client-timeout':
      return new SshFailure(
        'unreachable',
        `${label}: no answer within ${counted(timeoutMs / 1000, 'second')}`,
        unreachableHint,
      );
    case 'client-socket':
      return new SshFailure('unreachable', `${label}: ${socketText(error)}`, unreachableHint);
    case 'client-authentication':
      return permissionDenied(host, identities, accepted);
    default:
      break;
  }
  if (/Too many authentication failures/i.test(error.message)) {
    return new SshFailure(
      'unauthorized',
      `${label}: too many authentication failures for ${host.config.user}`,
      'Too many keys were offered: specify the right one with --ssh-key, and set IdentitiesOnly in ssh_config.',
    );
  }
  if (/no matching host key/i.test(error.message)) return hostKeyFailure('unsupported', label, error.message);
  return new SshFailure('unreachable', `${label}: ${error.message}`, unreachableHint);
}

function permissionDenied(
  host: SshHost,
  { tried, unusable }: Identities,
  accepted: readonly string[] | undefined,
): SshFailure {
  const details = [
    tried.length === 0 ? 'nothing to log in with' : `rejected: ${tried.join(', ')}`,
    ...(unusable.length === 0 ? [] : [`not usable: ${unusable.join(', ')}`]),
    ...(accepted === undefined ? [] : [`accepted methods: ${accepted.join(', ')}`]),
  ];
  return new SshFailure(
    'unauthorized',
    `${sshHostLabel(host)}: permission denied for ${host.config.user} (${details.join('; ')})`,
    permissionHint,
  );
}

/** Worded as ssh does. */
const socketTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
  ENOTFOUND: 'could not resolve hostname',
  EAI_AGAIN: 'temporary failure in name resolution',
};

function socketText(error: SshError): string {
  return socketTexts[String(error.code)] ?? systemText(error);
}

/** RFC 4254, 5.1. */
const administrativelyProhibited = 1;

/** A stream from the jump host to the host. Errors: SshFailure. */
function forwardThrough(jump: Client, host: SshHost): Promise<Duplex> {
  const { hostName, port } = host.config;
  const [label, jumpLabel] = [sshHostLabel(host), host.via === undefined ? '' : ` ${sshHostLabel(host.via)}`];
  return new Promise((resolve, reject) => {
    const failed = (error: Error & { readonly reason?: unknown }): void => {
      const prohibited = error.reason === administrativelyProhibited;
      reject(
        new SshFailure(
          'unreachable',
          prohibited
            ? `jump host${jumpLabel} refuses to forward to ${label}`
            : `jump host${jumpLabel} cannot reach ${label}: ${error.message.replace(/^.*failure: /, '').toLowerCase()}`,
          prohibited ? 'See AllowTcpForwarding and PermitOpen in its sshd_config.' : unreachableHint,
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
