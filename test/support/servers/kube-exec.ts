// Transports to nodes through an API server, as suites open them, and the commands that they run.
import { randomUUID } from 'node:crypto';
import { afterEach, expect } from 'vitest';
import { kubeConnection } from '../../../src/connect/kube-config.ts';
import type { ConnectionSettings } from '../../../src/connect/settings.ts';
import { type KubeExecOptions, openKubeExec } from '../../../src/node-exec/kube/kube-exec.ts';
import { type NodeExec, type NodeTarget, TransportError } from '../../../src/node-exec/node-exec.ts';
import { TestClock } from '../program/world.ts';
import type { ApiServer } from './api-server.ts';

const world = {
  clock: new TestClock('2025-06-15T16:00:00Z'),
  random: { uuid: () => randomUUID(), float: Math.random },
};

export type OpenKubeExec = (settings?: ConnectionSettings, options?: KubeExecOptions) => Promise<NodeExec>;

/** Opens a transport to the nodes of a server, by default as its administrator; closed after each test. */
export function kubeExecOpener(server: () => ApiServer): OpenKubeExec {
  const opened: NodeExec[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((exec) => exec.close())));
  return async (settings = {}, options = {}) => {
    const connection = await kubeConnection(
      { kubeconfig: server().kubeconfig, ...settings },
      { env: {}, platform: 'linux', signal: new AbortController().signal },
    );
    const exec = openKubeExec(connection, world, options);
    opened.push(exec);
    return exec;
  };
}

/** A kubeconfig with these fields of the user, and further ones of the cluster (with a comma before). */
export function inlineKubeconfig(server: ApiServer, user: string, cluster = ''): ConnectionSettings {
  return {
    kubeconfig: '',
    kubeconfigInline: `{apiVersion: v1, kind: Config, current-context: c,
      clusters: [{name: c, cluster: {server: "${server.url}", certificate-authority: "${server.caFile}"${cluster}}}],
      contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {${user}}}]}`,
  };
}

export const target = (name: string): NodeTarget => ({ name, addresses: [] });

/** A shell line with its arguments. */
export const sh = (script: string, ...args: string[]): string[] => ['sh', '-c', script, 'sh', ...args];

/** The transport error that the work must end in. */
export async function failureOf(work: Promise<unknown>): Promise<TransportError> {
  const error = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TransportError);
  return error as TransportError;
}
