// Flags that every command has, before and after its name.
import { flag, type InputOf } from '../commands/parameters.ts';

/** Where calicoctl's configuration file is when no flag names one. */
export const defaultConfigPath = '/etc/calico/calicoctl.cfg';

/** Of Node's timers. */
const longestTimeoutMs = 2 ** 31 - 1;

const units: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

/** Bytes; undefined for what is not a size. */
function sizeOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,12})([KMGT])?(?:i?B)?$/i.exec(text) ?? [];
  const factor = units[unit.toUpperCase()];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

export const globalFlags = {
  datastore: flag.text(
    'WHERE',
    'kubernetes, or the path of a directory of manifests or of a snapshot (environment: DATASTORE_TYPE)',
  ),
  config: flag.text('FILE', 'calicoctl configuration file').short('c').default(defaultConfigPath),
  context: flag.text('CONTEXT', 'kubeconfig context'),
  kubeconfig: flag.text('FILE', 'kubeconfig file (environment: KUBECONFIG)'),
  requestTimeout: flag
    .parsed('DURATION', 'time limit for each request to the API server, e.g. 10s or 1m; 0 for no limit', {
      noun: 'duration',
      hint: 'use seconds or a duration such as 10s or 1m; 0 for no limit',
      parse: async (text) => {
        const { parseGoDuration } = await import('../text/go-duration.ts');
        // As kubectl: a bare number is seconds.
        const ms = parseGoDuration(/^\d+$/.test(text) ? `${text}s` : text);
        return ms === undefined || ms < 0 || ms > longestTimeoutMs ? undefined : ms;
      },
    })
    .default('0'),
  allowVersionMismatch: flag.on('has no effect: calictl accepts any version of Calico'),
  bundleLimit: flag.parsed('SIZE', 'maximum unpacked size of a snapshot bundle, e.g. 8GiB (default: 2GiB)', {
    noun: 'size',
    hint: 'use a size such as 500MiB or 8GiB',
    parse: sizeOf,
  }),
  noColor: flag.on('no colour, not even on a terminal (environment: NO_COLOR)'),
  debug: flag.on('show the causes of an error and where it was raised'),
};

export type GlobalInput = InputOf<typeof globalFlags>;
