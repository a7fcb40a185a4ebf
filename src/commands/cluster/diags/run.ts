// What calictl cluster diags does: makes sure that kubectl reaches the same cluster, then collects with it.
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { jsonDocument } from '../../../output/json-document.ts';
import { redacted } from '../../../output/redact.ts';
import { CalictlError, UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { progressStream } from '../../node/local-host.ts';
import {
  type Bundle,
  bundleAmong,
  bundleText,
  collectBundle,
  newScratch,
  refuseFolder,
  type Scratch,
} from './bundle.ts';
import type { DiagsInput } from './command.ts';
import { Kubectl } from './kubectl.ts';

export async function run(ctx: Context, input: DiagsInput): Promise<Bundle> {
  refuseFolder(await ctx.datastore());
  const { kubeconfig, k8sCurrentContext, kubeconfigInline, k8sAPIEndpoint } = await ctx.settings();
  if (kubeconfigInline || k8sAPIEndpoint) {
    // kubectl would go to another cluster, or would need credentials on its command line.
    throw new CalictlError('kubectl cannot use a connection that is not in a kubeconfig file', {
      code: 'NO_KUBECONFIG',
      hint: 'specify the cluster with --kubeconfig',
    });
  }
  const kubectl = new Kubectl(ctx, kubeconfig, k8sCurrentContext);
  const { exit, stderr } = await kubectl.run(['version']);
  if (exit !== 0) {
    const reason = redacted(stderr.trim().split('\n').at(-1) ?? '');
    throw new CalictlError(`kubectl cannot reach the cluster: ${reason}`, {
      code: 'NO_CLUSTER',
      hint: 'Run kubectl version: with the same kubeconfig and context it must show the version of the server.',
    });
  }
  const options = {
    since: input.since ?? '0s',
    most: input.maxLogs,
    parallel: input.maxParallelism,
    focus: input.focusNodes ?? [],
    keepScratch: input.skipTempDirCleanup,
  };
  const scratch = await scratchOf(ctx, input.resume);
  return collectBundle(ctx, kubectl, scratch, options, progressStream(ctx, input));
}

/** The folder that is filled: a new one, or with --resume the one that an interrupted run left. */
async function scratchOf(ctx: Context, resumed: string | undefined): Promise<Scratch> {
  if (resumed === undefined) return newScratch(ctx);
  const folder = resolve(ctx.world.cwd, resumed);
  const name = bundleAmong(await readdir(folder).catch(() => []));
  if (name !== undefined) return { folder, name };
  throw new UsageError(`${resumed} is not an interrupted cluster diags run`, 'use the directory printed by that run');
}

export const formats = {
  text: bundleText,
  json: ({ path, failed }: Bundle) => jsonDocument({ kind: 'ClusterDiagnostics', path, failed }),
};
