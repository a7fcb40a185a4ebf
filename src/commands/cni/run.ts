// What calictl cni does: one call of the CNI plugin, with all versions of the specification.
import { calictlVersions } from '../../cni/protocol/versions.ts';
import { type Answer, runPlugin } from '../../cni/run-plugin.ts';
import type { Context } from '../command.ts';

export async function run({ world, version }: Context): Promise<Answer> {
  const plugin = { name: 'calico', release: version.calico, versions: calictlVersions } as const;
  return runPlugin(plugin, [], world);
}

/** Answers are JSON; what the plugin is, which Calico's plugin writes to standard error, is the answer without a command. */
export const formats = { json: ({ stdout, stderr }: Answer): string => stdout + stderr };

export const format = (): 'json' => 'json';

export const exit = ({ exit: code }: Answer): number => code;
