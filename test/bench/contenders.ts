// The programs that are compared: calictl, curl doing the bare minimum, and calicoctl if its path is given.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiServer } from '../support/servers/api-server.ts';
import { type Finished, type RunOptions, run, type Sample } from './measure.ts';

const checkout = join(dirname(fileURLToPath(import.meta.url)), '../..');
const scriptOf = (folder: string): string => join(folder, 'bin/calictl.js');
const calictlScript = scriptOf(checkout);

export interface Target {
  readonly server: ApiServer;
  /** Client URL of its etcd. */
  readonly etcd: string;
  readonly pods: number;
  readonly rounds: number;
}

export const nothing = (): Promise<Finished> => run(process.execPath, ['-e', '0']);

export function calictl(args: readonly string[], target?: Target, options: RunOptions = {}): Promise<Finished> {
  const env = { CALICTL_CONFIG: undefined, DATASTORE_TYPE: 'kubernetes', KUBECONFIG: target?.server.kubeconfig };
  return run(process.execPath, [calictlScript, ...args], { ...options, env: { ...env, ...options.env } });
}

/** A command line on the example folder, by the calictl that is built in a checkout, this one by default. */
export function calictlOnExample(args: readonly string[], folder = checkout): Promise<Finished> {
  const example = join(checkout, 'docs/examples/leaky-cluster');
  const env = { CALICTL_CONFIG: undefined, DATASTORE_TYPE: example, KUBECONFIG: undefined };
  return run(process.execPath, [scriptOf(folder), ...args], { env, codes: [0, 3] });
}

/** As a contender, if $CALICOCTL names a calicoctl. */
export function calicoctl(
  args: readonly string[],
  target: Target,
  options: RunOptions = {},
): Record<string, () => Promise<Sample>> {
  const program = process.env['CALICOCTL'];
  if (!program || !existsSync(program)) return {};
  const env = { DATASTORE_TYPE: 'kubernetes', KUBECONFIG: target.server.kubeconfig, ...options.env };
  return { calicoctl: () => run(program, args, { ...options, env }) };
}

export interface CurlPath {
  readonly path: string;
  readonly protobuf?: boolean;
}

/** One curl for each path, all at the same time; what arrives is thrown away. */
export async function curl(target: Target, paths: readonly CurlPath[]): Promise<Sample> {
  const folder = dirname(target.server.caFile);
  const file = (name: string): string => join(folder, name);
  const started = performance.now();
  await Promise.all(
    paths.map(({ path, protobuf }) =>
      run('curl', [
        ...['-sS', '--fail', '--http1.1', '-o', '/dev/null', '--cacert', file('ca.crt')],
        ...['--cert', file('admin.crt'), '--key', file('admin.key')],
        ...(protobuf ? ['-H', 'Accept: application/vnd.kubernetes.protobuf'] : []),
        `${target.server.url}${path}`,
      ]),
    ),
  );
  return { ms: performance.now() - started };
}
