// The reference calicoctl that CALICOCTL names, run by tests that compare its results with calictl's.
import { execFile } from 'node:child_process';
import type { KubeObject } from '../../../src/resources/object.ts';

/** The path of calicoctl 3.31.4, or undefined if it is not available. */
export const reference: string | undefined = process.env['CALICOCTL'];

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `program`: another release of calicoctl. */
export function runReference(
  argv: readonly string[],
  env: Record<string, string>,
  program = reference ?? '',
): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(program, argv, { env, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

/** Replaces the revision of a list by N: it changes with every write to the server, including its own leases. */
export function withoutListRevision(text: string): string {
  return text
    .replace(/(\nmetadata:\n {2}resourceVersion: )"\d+"/, '$1"N"')
    .replace(/(\n {2}"metadata": \{\n {4}"resourceVersion": )"\d+"/, '$1"N"');
}

const apiVersion = 'crd.projectcalico.org/v1';

/** calicoctl's `ipam check` reads both of these and fails without them. */
export const calicoctlNeeds: readonly KubeObject[] = [
  {
    apiVersion,
    kind: 'ClusterInformation',
    metadata: { name: 'default' },
    spec: { clusterGUID: '5d2c9e4b8bcc09e00656c54f84e82dff', calicoVersion: 'v3.31.4', datastoreReady: true },
  },
  {
    apiVersion,
    kind: 'KubeControllersConfiguration',
    metadata: { name: 'default' },
    spec: { controllers: { node: { leakGracePeriod: '15m0s' } } },
  },
];
