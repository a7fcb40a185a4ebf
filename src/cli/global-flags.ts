// Flags that every command has, before and after its name.
import { flag, type InputOf } from '../commands/parameters.ts';

/** Where calicoctl's configuration file is when no flag names one. */
export const defaultConfigPath = '/etc/calico/calicoctl.cfg';

export const globalFlags = {
  datastore: flag.text(
    'WHERE',
    'kubernetes, or the path of a folder of manifests or of a snapshot (environment: DATASTORE_TYPE)',
  ),
  config: flag.text('FILE', 'calicoctl configuration file').short('c').default(defaultConfigPath),
  context: flag.text('NAME', 'kubeconfig context'),
  kubeconfig: flag.text('FILE', 'kubeconfig file (environment: KUBECONFIG)'),
  noColor: flag.on('no colour, not even on a terminal (environment: NO_COLOR)'),
  debug: flag.on('show the causes and the origin of an error'),
};

export type GlobalInput = InputOf<typeof globalFlags>;
