// Credential plugins (`exec` of a kubeconfig's user): runs one and reads its ExecCredential. client-node has code for this
// too, but that accepts any version, gives no deadline, leaves a late plugin running and quotes what a plugin printed.
import { spawn } from 'node:child_process';
import { parseJson } from '../text/json.ts';
import { isObject } from '../text/plain-values.ts';
import { firstLine } from '../text/wording.ts';
import { systemText } from '../world/errors.ts';
import type { World } from '../world/world.ts';
import { ConnectionError } from './connection-error.ts';
import type { ExecPlugin } from './kube-user.ts';

const deadlineMs = 60_000;
/** How long the pipes of a plugin that has ended are read. */
const pipesMs = 1_000;
const largestOutput = 1 << 20;
const group = 'client.authentication.k8s.io';
const knownVersions = [`${group}/v1`, `${group}/v1beta1`];

/** What a plugin gave: a token, a client certificate with its key, or both. Secret. */
export interface PluginCredential {
  readonly token: string | undefined;
  /** PEM, like the key. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

interface Outcome {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the plugin with the environment and KUBERNETES_EXEC_INFO; `cluster` is what it gets to know about the cluster if it asks.
 * Errors: ConnectionError, which never quotes what the plugin printed on stdout.
 */
export async function pluginCredential(
  plugin: ExecPlugin,
  world: Pick<World, 'env' | 'signal'>,
  cluster: () => Readonly<Record<string, unknown>>,
): Promise<PluginCredential> {
  const { command, apiVersion = knownVersions[0] } = plugin;
  if (typeof command !== 'string' || command === '') throw unusable('the user names no command to run');
  if (typeof apiVersion !== 'string' || !knownVersions.includes(apiVersion)) {
    const asked = String(apiVersion).slice(0, 100);
    throw new ConnectionError(`the credential plugin ${command} was not run: unknown apiVersion ${asked}`, {
      storeText: `getting credentials: exec plugin: invalid apiVersion ${JSON.stringify(asked)}`,
      hint: `Set apiVersion of the user's exec in the kubeconfig to ${knownVersions.join(' or ')}, as the plugin supports.`,
    });
  }
  const spec = { interactive: false, ...(plugin.provideClusterInfo === true ? { cluster: cluster() } : {}) };
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  const args = argumentsOf(plugin);
  const env = { ...world.env, ...variablesOf(plugin), KUBERNETES_EXEC_INFO: info };
  let outcome: Outcome;
  try {
    outcome = await run(command, args, env, world.signal);
  } catch (cause) {
    world.signal.throwIfAborted();
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'is not installed' : `failed: ${systemText(cause)}`;
    throw failed(plugin, why, isMissing ? `executable ${command} not found` : systemText(cause), cause);
  }
  const { exit, stdout, stderr } = outcome;
  if (exit !== 0) {
    const why = firstLine(stderr).slice(0, 300) || `exit code ${exit}`;
    throw failed(plugin, `failed: ${why}`, why);
  }
  return credentialIn(stdout, apiVersion, plugin);
}

function unusable(what: string): ConnectionError {
  return new ConnectionError(`the credential plugin of the kubeconfig cannot be run: ${what}`, {
    storeText: `getting credentials: exec: ${what}`,
    hint: "Correct exec of the current context's user in the kubeconfig.",
  });
}

function argumentsOf({ args }: ExecPlugin): readonly string[] {
  const listed: unknown = args ?? [];
  if (Array.isArray(listed) && listed.every((item): item is string => typeof item === 'string')) return listed;
  throw unusable('args is not a list of strings');
}

function variablesOf({ env }: ExecPlugin): Record<string, string> {
  const listed: unknown = env ?? [];
  if (!Array.isArray(listed)) throw unusable('env is not a list');
  return Object.fromEntries(
    listed.map((item: unknown) => {
      const { name, value = '' } = isObject(item) ? item : {};
      if (typeof name === 'string' && typeof value === 'string') return [name, value];
      throw unusable('env has an entry whose name or value is not a string');
    }),
  );
}

/** Rejects when the program cannot be started, is late, or the signal is aborted; it is killed then. */
function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const give = (error: Error): void => {
      child.kill('SIGKILL');
      // A program that it started may hold the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(error);
    };
    const timer = setTimeout(() => give(new Error(`no response within ${deadlineMs / 1000} seconds`)), deadlineMs);
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
        if (texts[name].length > largestOutput) give(new Error(`it printed more than ${largestOutput >> 20} MiB`));
      });
    }
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit, ...texts }));
    // What it printed is complete when it has ended; a program that it left behind may hold the pipes open for ever.
    child.on('exit', () => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, pipesMs).unref();
    });
    const interrupted = (): void => give(new Error('interrupted'));
    signal.addEventListener('abort', interrupted, { once: true });
    child.on('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupted);
    });
  });
}

function credentialIn(stdout: string, apiVersion: string, plugin: ExecPlugin): PluginCredential {
  let printed: unknown;
  try {
    printed = parseJson(stdout);
  } catch {
    // Without the cause, which quotes the beginning: it may be a token.
    throw failed(plugin, 'did not print JSON', "decoding stdout: couldn't get version/kind; json parse error");
  }
  if (!isObject(printed) || printed['kind'] !== 'ExecCredential') {
    throw failed(plugin, 'did not print an ExecCredential', 'decoding stdout: no ExecCredential');
  }
  const { apiVersion: version = apiVersion, status } = printed;
  if (version !== apiVersion) {
    const its = String(version).slice(0, 100);
    const why = `printed an ExecCredential of ${its}, but the kubeconfig sets ${apiVersion}`;
    throw failed(
      plugin,
      why,
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${its}`,
    );
  }
  const given = isObject(status) ? status : {};
  const text = (key: string): string | undefined => {
    const value = given[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const credential = {
    token: text('token'),
    certificate: text('clientCertificateData'),
    key: text('clientKeyData'),
  };
  if ((credential.certificate === undefined) !== (credential.key === undefined)) {
    throw failed(
      plugin,
      'printed only one of certificate and key',
      'plugin returned only certificate or key, not both',
    );
  }
  if (credential.token === undefined && credential.certificate === undefined) {
    throw failed(plugin, 'printed no credentials', "exec plugin didn't return a token or cert/key pair");
  }
  return credential;
}

function failed(plugin: ExecPlugin, why: string, storeText: string, cause?: unknown): ConnectionError {
  const { command, installHint } = plugin;
  const own = typeof installHint === 'string' ? installHint.trim() : '';
  return new ConnectionError(`the credential plugin ${command} ${why}`, {
    storeText: `getting credentials: exec: ${storeText}`,
    hint: own || 'Run it by hand to see what it needs, or sign in again.',
    cause,
  });
}
