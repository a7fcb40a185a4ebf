// The program under the name of a CNI plugin: the answer on standard output, logs on standard error.

import { calicoVersions } from '../cni/protocol/versions.ts';
import { runPlugin } from '../cni/run-plugin.ts';
import type { World } from '../world/world.ts';
import { buildInfo } from './build-info.ts';
import { guardedWorld } from './guarded-output.ts';
import type { PluginName } from './plugin-name.ts';

/** Returns the exit code. Never rejects. */
export async function runAsPlugin(name: PluginName, argv: readonly string[], unguarded: World): Promise<number> {
  const world = guardedWorld(unguarded, false);
  const plugin = { name, release: buildInfo.calico, versions: calicoVersions };
  const { exit, stdout, stderr } = await runPlugin(plugin, argv, world);
  await world.io.stderr.write(stderr);
  await world.io.stdout.write(stdout);
  return exit;
}
