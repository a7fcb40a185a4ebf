// From settings to a connection, seen by what arrives at the server: who the caller is, and what is trusted.
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionError } from '../../src/connect/connection-error.ts';
import { kubeConnection } from '../../src/connect/kube-config.ts';
import { fromText } from '../../src/connect/kubeconfig-file.ts';
import type { ConnectionSettings } from '../../src/connect/settings.ts';
import { openKube } from '../../src/datastore/kube/kube-datastore.ts';
import { ipPool } from '../../src/resources/kinds/ip-pool.ts';
import { testWorld } from '../support/program/world.ts';
import { makeAuthority, makeCertificate } from '../support/servers/certificates.ts';
import { type StandIn, sendJson, startStandIn } from '../support/servers/tls-stand-in.ts';

let server: StandIn;
let folder: string;
/** Subjects of the client certificates that came, one a request. */
const subjects: unknown[] = [];

beforeAll(async () => {
  server = await startStandIn(
    (_, response) => {
      subjects.push((response.socket as TLSSocket).getPeerCertificate()?.subject?.CN);
      sendJson(response, 200, { apiVersion: 'crd.projectcalico.org/v1', kind: 'IPPool', metadata: { name: 'p' } });
    },
    { tls: { requestCert: true, rejectUnauthorized: false } },
  );
});
afterAll(() => server.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'calictl-connect-'));
  server.requests.length = 0;
  subjects.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface Kubeconfig {
  readonly user?: object | null;
  readonly cluster?: object;
  readonly current?: string;
  readonly contexts?: object[];
}

/** One cluster `c`, one user `u`, one context `x`; JSON is YAML. */
function kubeconfig({ user, cluster = {}, current = 'x', contexts }: Kubeconfig = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority': server.caFile, ...cluster } }],
    contexts: contexts ?? [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    users: user === null ? null : [{ name: 'u', user: user ?? { token: 'of-u' } }],
  });
}

/** Sends one request and answers its headers. */
async function arrives(
  settings: ConnectionSettings,
  env: Record<string, string> = {},
  serviceAccount?: string,
): Promise<Record<string, string | string[] | undefined>> {
  const world = testWorld({ env });
  const store = await openKube(await kubeConnection(settings, world, serviceAccount), world);
  try {
    await store.get(ipPool, { name: 'p' });
  } finally {
    await store.close();
  }
  return server.requests.at(-1)?.headers ?? {};
}

async function errorOf(call: Promise<unknown>): Promise<ConnectionError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConnectionError);
  return error as ConnectionError;
}

describe('sources of the connection', () => {
  const nowhere = '/nonexistent';

  it('the inline kubeconfig wins over everything else, without any override', async () => {
    const settings = {
      kubeconfigInline: kubeconfig({ user: { token: 'inline' } }),
      kubeconfig: file('other', kubeconfig()),
      k8sAPIEndpoint: 'https://nowhere.invalid',
      k8sAPIToken: 'other',
      k8sCurrentContext: 'other',
    };
    expect((await arrives(settings)).authorization).toBe('Bearer inline');
  });

  it('a kubeconfig wins over the endpoint, which then replaces its server', async () => {
    const path = file('config', kubeconfig({ cluster: { server: 'https://nowhere.invalid' } }));
    expect((await arrives({ kubeconfig: path, k8sAPIEndpoint: server.url })).authorization).toBe('Bearer of-u');
  });

  it('an endpoint alone is used with a token', async () => {
    const settings = { k8sAPIEndpoint: server.url, k8sCAFile: server.caFile, k8sAPIToken: 'secret' };
    expect((await arrives(settings)).authorization).toBe('Bearer secret');
    expect(
      (await arrives({ k8sAPIEndpoint: server.url, k8sInsecureSkipTLSVerify: true })).authorization,
    ).toBeUndefined();
  });

  it('~/.kube/config is used when nothing is set', async () => {
    mkdirSync(join(folder, '.kube'));
    file('.kube/config', kubeconfig());
    expect((await arrives({}, { HOME: folder })).authorization).toBe('Bearer of-u');
  });

  it('the service account is used inside of a pod', async () => {
    file('token', 'of-the-pod');
    file('ca.crt', readFileSync(server.caFile, 'utf8'));
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: new URL(server.url).port };
    expect((await arrives({}, env, folder)).authorization).toBe('Bearer of-the-pod');
  });

  it('without any configuration the error shows how to start', async () => {
    const error = await errorOf(kubeConnection({}, testWorld(), nowhere));
    expect(error.storeText).toBe(
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    );
    expect(error.hint).toContain('KUBECONFIG');
  });
});

describe('several kubeconfig files', () => {
  it('several kubeconfig files are merged: the first to name something wins, and a missing one is skipped', async () => {
    const first = file('first', kubeconfig({ user: { token: 'first' }, current: '' }));
    const more = JSON.parse(kubeconfig({ user: { token: 'second' } })) as Record<string, object[]>;
    more['users']?.push({ name: 'v', user: { token: 'of-v' } });
    more['contexts']?.push({ name: 'y', context: { cluster: 'c', user: 'v' } });
    const second = file('second', JSON.stringify(more));
    const both = [first, join(folder, 'missing'), second].join(':');
    expect((await arrives({ kubeconfig: both })).authorization).toBe('Bearer first');
    expect((await arrives({ kubeconfig: both, k8sCurrentContext: 'y' })).authorization).toBe('Bearer of-v');
  });

  it('several kubeconfig files are an error when none exists', async () => {
    const error = await errorOf(arrives({ kubeconfig: '/nonexistent/a:/nonexistent/b' }));
    expect(error.message).toBe('there is no kubeconfig file at /nonexistent/a:/nonexistent/b');
  });
});

describe('invalid kubeconfigs', () => {
  it.each([
    ['a missing file', '/nonexistent/config', {}, 'stat /nonexistent/config: no such file or directory'],
    ['an unknown context', undefined, { k8sCurrentContext: 'z' }, 'context "z" does not exist'],
  ])('an invalid kubeconfig is reported with a hint: %s', async (_, path, settings, storeText) => {
    const error = await errorOf(arrives({ kubeconfig: path ?? file('config', kubeconfig()), ...settings }));
    expect(error.storeText).toBe(storeText);
    expect(error.hint).toMatch(/^.+$/);
  });

  it.each([
    ['no current context', { current: '' }, 'invalid configuration: default cluster has no server defined'],
    [
      'a cluster that is not listed',
      { contexts: [{ name: 'x', context: { cluster: 'gone', user: 'u' } }] },
      'invalid configuration: no server found for cluster "gone"',
    ],
    [
      'a cluster without a server',
      { cluster: { server: '' } },
      'invalid configuration: no server found for cluster "c"',
    ],
  ])("an invalid kubeconfig is reported with client-go's text: %s", async (_, what, storeText) => {
    expect((await errorOf(arrives({ kubeconfig: file('config', kubeconfig(what)) }))).storeText).toBe(storeText);
  });

  it.each([[''], ['just words'], ['a: [1'], ['null']])(
    'a kubeconfig file that contains %j is reported as invalid',
    async (text) => {
      const error = await errorOf(arrives({ kubeconfig: file('config', text) }));
      expect(error.message).toContain('kubeconfig');
    },
  );

  it.each(['ftp://127.0.0.1', 'https://', '::'])('a server address %j is reported as invalid', async (address) => {
    const error = await errorOf(arrives({ kubeconfig: file('config', kubeconfig({ cluster: { server: address } })) }));
    expect(error.message).toBe('invalid address of the API server: not an http or https URL');
  });

  it('an invalid certificate is reported without being printed', async () => {
    const data = Buffer.from('secret nonsense').toString('base64');
    const user = { 'client-certificate-data': data, 'client-key-data': data };
    const error = await errorOf(arrives({ kubeconfig: file('config', kubeconfig({ user })) }));
    expect(error.message).toBe('the certificates or the key of the kubeconfig cannot be used');
    expect(error.message + error.hint).not.toContain('secret');
  });

  it.each([
    ['a server', { cluster: { server: ['x'] } }, 'the kubeconfig has no server for cluster "c"'],
    ['a CA file', { cluster: { 'certificate-authority': 7 } }, /not a valid kubeconfig/],
    ['CA data', { cluster: { 'certificate-authority-data': 7 } }, 'certificate-authority-data of the cluster'],
    ['a proxy', { cluster: { 'proxy-url': {} } }, 'proxy-url of the cluster in the kubeconfig is not a string'],
    ['a token', { user: { token: 12 } }, 'token of the user in the kubeconfig is not a string'],
    [
      'a password',
      { user: { username: 'ann', password: 12 } },
      'password of the user in the kubeconfig is not a string',
    ],
    ['an impersonated user', { user: { as: ['eve'] } }, 'as of the user in the kubeconfig is not a string'],
  ])('%s of a type other than text is reported', async (_, what, message) => {
    const error = await errorOf(arrives({ kubeconfig: file('config', kubeconfig(what)) }));
    expect(error.message).toMatch(message);
  });

  it('impersonation and token files of another type are ignored', async () => {
    const user = { token: 't', tokenFile: 7, 'as-groups': 'x', 'as-uid': {}, 'as-user-extra': ['y'] };
    expect(await arrives({ kubeconfig: file('config', kubeconfig({ user })) })).not.toHaveProperty('impersonate-group');
  });

  it('a kubeconfig may come through a pipe, and one that nobody writes ends with the signal', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const write = (text: string) =>
      promisify(execFile)('sh', ['-c', 'cat "$1" > "$2"', 'sh', file('text', text), pipe]);
    const written = write(kubeconfig());
    expect((await arrives({ kubeconfig: pipe })).authorization).toBe('Bearer of-u');
    await written;
    const interruption = new AbortController();
    const read = kubeConnection({ kubeconfig: pipe }, testWorld({ signal: interruption.signal }));
    interruption.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
  });

  it('a pipe instead of a certificate, key or token file is refused', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const what of [
      { cluster: { 'certificate-authority': 'pipe' } },
      { user: { 'client-certificate': 'pipe' } },
      { user: { 'client-key': 'pipe' } },
      { user: { tokenFile: 'pipe' } },
    ]) {
      const error = await errorOf(arrives({ kubeconfig: file('config', kubeconfig(what)) }));
      expect(error.message).toContain(`${join(folder, 'pipe')} is a named pipe, not a file`);
    }
  });

  it('a missing key file is named', async () => {
    const error = await errorOf(
      arrives({ kubeconfig: file('config', kubeconfig({ user: { 'client-key': 'k.pem' } })) }),
    );
    expect(error.message).toBe(`the credentials file ${join(folder, 'k.pem')} does not exist`);
  });
});

describe('credentials', () => {
  const as = (user: object | null, settings: ConnectionSettings = {}, env = {}) =>
    arrives({ kubeconfig: file('config', kubeconfig({ user })), ...settings }, env);

  it('a user that is not listed sends no credentials, and the CA still counts', async () => {
    expect((await as(null)).authorization).toBeUndefined();
    expect(server.requests).toHaveLength(1);
  });

  it('a user with a password sends basic authentication', async () => {
    const { authorization } = await as({ username: 'ann', password: 'p:w' });
    expect(authorization).toBe(`Basic ${Buffer.from('ann:p:w').toString('base64')}`);
  });

  it('a token file is found next to the kubeconfig', async () => {
    file('token', 'from-file');
    expect((await as({ tokenFile: 'token' })).authorization).toBe('Bearer from-file');
  });

  it('the line feed at the end of a token or its file is not sent', async () => {
    file('token', 'from-file\n');
    expect((await as({ tokenFile: 'token' })).authorization).toBe('Bearer from-file');
    expect((await as({ token: 'pasted\n' })).authorization).toBe('Bearer pasted');
  });

  it.each([
    ['token', { token: 'two\nlines' }],
    ['token', { token: 'bell\u0007' }],
    ['Impersonate-User', { as: 'eve\r\nX: y' }],
  ])('a %s that no header can have is reported without being shown: %j', async (what, user) => {
    const error = await errorOf(as(user));
    expect(error.message).toBe(`the ${what} of the user in the kubeconfig has characters that cannot be sent`);
    expect(server.requests).toEqual([]);
  });

  it('a client certificate is read from files or from data', async () => {
    const ca = makeAuthority(folder, 'ca');
    const ann = makeCertificate(folder, ca, { name: 'ann', subject: '/CN=ann' });
    await as({ 'client-certificate': 'ann.crt', 'client-key': 'ann.key' });
    const data = (path: string): string => readFileSync(path).toString('base64');
    await as({ 'client-certificate-data': data(ann.cert), 'client-key-data': data(ann.key) });
    await as({ token: 'x' }, { k8sCertFile: ann.cert, k8sKeyFile: ann.key });
    expect(subjects).toEqual(['ann', 'ann', 'ann']);
  });

  it('impersonation sends user, groups, uid and extra fields', async () => {
    const headers = await as({
      token: 't',
      as: 'eve',
      'as-groups': ['g1', 'g2'],
      'as-uid': '7',
      'as-user-extra': { 'a/b': ['v'] },
    });
    expect(headers).toMatchObject({
      'impersonate-user': 'eve',
      'impersonate-group': 'g1, g2',
      'impersonate-uid': '7',
      'impersonate-extra-a%2fb': 'v',
    });
  });

  it('a token setting replaces a credential plugin', async () => {
    const headers = await as({ exec: { command: '/nonexistent/plugin' } }, { k8sAPIToken: 'set' });
    expect(headers.authorization).toBe('Bearer set');
  });
});

describe('credential plugins', () => {
  function plugin(script: string, more: object = {}): string {
    chmodSync(file('plugin.sh', `#!/bin/sh\n${script}\n`), 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh', ...more };
    return file('config', kubeconfig({ user: { exec } }));
  }
  const credential = (token: string): string => `echo '{"kind":"ExecCredential","status":{"token":"'"${token}"'"}}'`;

  it('a credential plugin is found next to the kubeconfig, and gets the environment and KUBERNETES_EXEC_INFO', async () => {
    const path = plugin(`printf %s "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"; ${credential('$OUTER-$INNER')}`, {
      env: [{ name: 'INNER', value: 'in' }],
      provideClusterInfo: true,
    });
    const env = { OUTER: 'out', PATH: process.env['PATH'] ?? '' };
    expect((await arrives({ kubeconfig: path }, env)).authorization).toBe('Bearer out-in');
    expect(JSON.parse(readFileSync(join(folder, 'info'), 'utf8'))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: {
          server: server.url,
          'certificate-authority-data': readFileSync(server.caFile).toString('base64'),
        },
      },
    });
  });

  it('a credential plugin next to a kubeconfig in the working directory is not looked for on the PATH', async () => {
    const text = kubeconfig({
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh' } },
    });
    const { users } = await fromText(text, 'config', '.');
    expect(users.map(({ exec }) => exec.command)).toEqual(['./plugin.sh']);
  });

  it.each([
    ['fails', 'echo "token expired, sign in" >&2; exit 3', './plugin.sh', /plugin\.sh failed: token expired, sign in$/],
    ['prints no JSON', 'echo hello', './plugin.sh', /plugin\.sh did not print JSON$/],
    ['is missing', '', './other.sh', /other\.sh is not installed$/],
    ['fails silently', 'exit 3', './plugin.sh', /plugin\.sh failed: exit code 3$/],
    ['prints something else', 'echo "{}"', './plugin.sh', /plugin\.sh did not print an ExecCredential$/],
    ['prints no status', 'echo \'{"kind":"ExecCredential"}\'', './plugin.sh', /plugin\.sh printed no credentials$/],
    ['prints without end', 'exec yes', './plugin.sh', /plugin\.sh failed: it printed more than 1 MiB$/],
    [
      'prints another version than the kubeconfig sets',
      'echo \'{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v9","status":{"token":"t"}}\'',
      './plugin.sh',
      /plugin\.sh printed an ExecCredential of client\.authentication\.k8s\.io\/v9, but the kubeconfig sets .*\/v1$/,
    ],
    [
      'prints a certificate without its key',
      'echo \'{"kind":"ExecCredential","status":{"clientCertificateData":"c"}}\'',
      './plugin.sh',
      /plugin\.sh printed only one of certificate and key$/,
    ],
  ])('a credential plugin that %s is an error with its own hint', async (_, script, command, message) => {
    const error = await errorOf(arrives({ kubeconfig: plugin(script, { command, installHint: 'Install it.' }) }));
    expect(error.message).toMatch(message);
    expect(error.hint).toBe('Install it.');
  });

  it('a credential plugin is not run for a version of ExecCredential that is not known', async () => {
    const ran = join(folder, 'ran');
    const path = plugin(`touch ${ran}; ${credential('t')}`, { apiVersion: 'client.authentication.k8s.io/v2' });
    const error = await errorOf(arrives({ kubeconfig: path }));
    expect(error.message).toMatch(/plugin\.sh was not run: unknown apiVersion client\.authentication\.k8s\.io\/v2$/);
    expect(existsSync(ran)).toBe(false);
  });

  it.each([
    ['args that are not a list', { args: 'x' }, 'args is not a list of strings'],
    ['env that is not a list', { env: { A: '1' } }, 'env is not a list'],
    ['env without names', { env: [{ value: '1' }] }, 'env has an entry whose name or value is not a string'],
    ['a command that is a number', { command: 7 }, 'the user names no command to run'],
  ])('a credential plugin with %s is reported', async (_, more, reason) => {
    const error = await errorOf(arrives({ kubeconfig: plugin('exit 1', more) }));
    expect(error.message).toBe(`the credential plugin of the kubeconfig cannot be run: ${reason}`);
  });

  it('a credential plugin may leave a program behind', async () => {
    const path = plugin(`sleep 30 & echo $! > "$(dirname "$0")/left"; ${credential('t')}`);
    const begin = performance.now();
    const env = { PATH: process.env['PATH'] ?? '' };
    expect((await arrives({ kubeconfig: path }, env)).authorization).toBe('Bearer t');
    expect(performance.now() - begin).toBeLessThan(15_000);
    process.kill(Number(readFileSync(join(folder, 'left'), 'utf8')));
  });

  it('nothing of what a credential plugin printed is in an error, its causes included', async () => {
    const error = await errorOf(arrives({ kubeconfig: plugin('echo eyJhbGciOi-secret') }));
    for (let shown: unknown = error; shown instanceof Error; shown = shown.cause) {
      expect(`${shown.stack}${(shown as ConnectionError).storeText}`).not.toContain('eyJ');
    }
  });

  it('a credential plugin may give a client certificate, and is run again after 401', async () => {
    const ca = makeAuthority(folder, 'ca');
    const ann = makeCertificate(folder, ca, { name: 'ann', subject: '/CN=ann' });
    const status = {
      clientCertificateData: readFileSync(ann.cert, 'utf8'),
      clientKeyData: readFileSync(ann.key, 'utf8'),
    };
    file('credential.json', JSON.stringify({ kind: 'ExecCredential', status }));
    const world = testWorld({ env: { PATH: process.env['PATH'] ?? '' } });
    const path = plugin('cd "$(dirname "$0")"; echo >> runs; cat credential.json');
    const connection = await kubeConnection({ kubeconfig: path }, world);
    const store = await openKube(connection, world);
    await store.get(ipPool, { name: 'p' });
    connection.renew();
    await store.get(ipPool, { name: 'p' });
    await store.close();
    expect(subjects).toEqual(['ann', 'ann']);
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('\n\n');
  });
});

describe('trust', () => {
  it.each([
    ['garbage', 'garbage', 'has no certificate'],
    [
      'a broken certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      'has an invalid certificate',
    ],
  ])('CA data that is %s is reported as such', async (_, text, reason) => {
    const data = Buffer.from(text).toString('base64');
    const cluster = { 'certificate-authority': undefined, 'certificate-authority-data': data };
    const error = await errorOf(arrives({ kubeconfig: file('config', kubeconfig({ cluster })) }));
    expect(error.message).toBe(`certificate-authority-data of the kubeconfig ${reason}`);
    const path = file('ca.pem', text);
    const other = file('config', kubeconfig({ cluster: { 'certificate-authority': path } }));
    expect((await errorOf(arrives({ kubeconfig: other }))).message).toBe(`the CA file ${path} ${reason}`);
  });

  it('insecure-skip-tls-verify accepts any certificate, even with a CA', async () => {
    const other = makeAuthority(folder, 'other');
    const path = file('config', kubeconfig({ cluster: { 'certificate-authority': other.cert } }));
    await expect(arrives({ kubeconfig: path })).rejects.toMatchObject({ reason: 'unavailable' });
    expect((await arrives({ kubeconfig: path, k8sInsecureSkipTLSVerify: true })).authorization).toBe('Bearer of-u');
    expect((await arrives({ kubeconfig: path, k8sCAFile: server.caFile })).authorization).toBe('Bearer of-u');
  });

  it('tls-server-name is the name that the certificate must have', async () => {
    const path = file('config', kubeconfig({ cluster: { 'tls-server-name': 'api.example' } }));
    await expect(arrives({ kubeconfig: path })).rejects.toThrow('is not valid for');
  });
});

describe('proxies and paths', () => {
  it('requests go through the proxy of the cluster', async () => {
    const asked: (string | undefined)[] = [];
    const proxy = createHttpServer().on('connect', ({ url }, socket) => {
      asked.push(url);
      const [host = '', port = ''] = (url ?? '').split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      for (const end of [socket, onward]) end.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const path = file('config', kubeconfig({ cluster: { 'proxy-url': `http://127.0.0.1:${port}` } }));
    expect((await arrives({ kubeconfig: path })).authorization).toBe('Bearer of-u');
    expect(asked).toEqual([new URL(server.url).host]);
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('a proxy that does not listen, and one that refuses, are blamed by name and without their password', async () => {
    const refusing = createHttpServer().on('connect', (_, socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    );
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const { port } = refusing.address() as AddressInfo;
    const messageWith = async (proxy: string): Promise<string> => {
      const path = file('config', kubeconfig({ cluster: { 'proxy-url': proxy } }));
      return (await errorOf(arrives({ kubeconfig: path }))).message;
    };
    expect(await messageWith(`http://ann:secret@127.0.0.1:${port}`)).toBe(
      `the proxy http://127.0.0.1:${port} did not connect to ${server.url}: HTTP status 407`,
    );
    await new Promise((resolve) => refusing.close(resolve));
    expect(await messageWith(`http://127.0.0.1:${port}`)).toBe(`nothing listens at the proxy http://127.0.0.1:${port}`);
    expect(await messageWith(`socks5://127.0.0.1:${port}`)).toContain(`the proxy socks5://127.0.0.1:${port}`);
    expect(await messageWith('ftp://127.0.0.1')).toBe(
      'invalid proxy-url of the cluster: not an http, https or socks5 URL',
    );
  });

  it('a server may be plain http below a path, as with kubectl proxy', async () => {
    const seen: (string | undefined)[] = [];
    const plain = createHttpServer(({ url }, response) => {
      seen.push(url);
      sendJson(response, 200, { metadata: { name: 'p' } });
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    await arrives({ k8sAPIEndpoint: `http://127.0.0.1:${port}/below/` });
    expect(seen).toEqual(['/below/apis', '/below/apis/crd.projectcalico.org/v1/ippools/p']);
    plain.closeAllConnections();
    await new Promise((resolve) => plain.close(resolve));
  });

  it('a connection is described without user and password', async () => {
    const connection = await kubeConnection({ k8sAPIEndpoint: 'https://ann:secret@127.0.0.1:6443' }, testWorld());
    expect((await openKube(connection, testWorld())).description).toBe('kubernetes at https://127.0.0.1:6443');
    expect(connection.server.href).not.toContain('secret');
    expect(connection.loopback).toBe(true);
  });
});
