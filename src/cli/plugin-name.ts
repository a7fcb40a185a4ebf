// The names under which the program is a CNI plugin.

export const pluginNames = ['calico', 'calico-ipam'] as const;
export type PluginName = (typeof pluginNames)[number];

/** True when the program was called by the name of a CNI plugin of Calico. */
export function isPluginName(programName: string): programName is PluginName {
  return (pluginNames as readonly string[]).includes(programName);
}
