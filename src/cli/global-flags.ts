// Flags that every command has, before and after its name.
import type { FlagSpec } from '../commands/command.ts';

/** Where the configuration file is when nobody says otherwise. */
export const defaultConfigPath = '/etc/calico/calicoctl.cfg';

export const globalFlags: readonly FlagSpec[] = [
  {
    name: 'datastore',
    value: 'WHERE',
    about: 'kubernetes, or the path of a folder of manifests or of a snapshot (environment: DATASTORE_TYPE)',
  },
  {
    name: 'config',
    short: 'c',
    value: 'FILE',
    about: 'calicoctl configuration file',
    default: defaultConfigPath,
  },
  { name: 'context', value: 'NAME', about: 'kubeconfig context' },
  {
    name: 'kubeconfig',
    value: 'FILE',
    about: 'kubeconfig file (environment: KUBECONFIG)',
  },
  {
    name: 'no-color',
    about: 'no colour, also on a terminal (environment: NO_COLOR)',
  },
  { name: 'debug', about: 'with an error, its causes and where it came from' },
];
