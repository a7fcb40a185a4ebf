// Answers to the two version questions, without the rest of the program: bin/calictl.js asks here first.
import { buildInfo } from './build-info.ts';
import { isCompat, isKubectlCompletion } from './calicoctl/mode.ts';
import { isPluginName } from './plugin-name.ts';

/** The whole answer to exactly `--version`, `-v` or `version --client`; undefined for everything else. */
export function versionAnswer(
  argv: readonly string[],
  programName: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (isPluginName(programName) || isKubectlCompletion(programName)) return undefined;
  const compat = isCompat(programName, env);
  if (argv.length === 1 && argv[0] === '--version') return compat ? versionHint : `${versionLine}\n`;
  // calicoctl has no -v.
  if (argv.length === 1 && argv[0] === '-v' && !compat) return `${versionLine}\n`;
  if (argv.length === 2 && argv[0] === 'version' && argv[1] === '--client') return clientLines(compat);
  return undefined;
}

/** What `--version` answers. */
export const versionLine = `calictl ${buildInfo.calictl} (Calico ${buildInfo.calico})`;

/** What it answers in compat mode. */
export const versionHint = "Run 'calicoctl version' to see version information.\n";

/** What `version` says about the program itself. */
function clientLines(compat: boolean): string {
  const { calictl, calico, commit } = buildInfo;
  const lines = compat
    ? [`Client Version:    ${calico}`]
    : [`Client Version:    ${calictl}`, `Implements Calico: ${calico}`];
  return [...lines, `Git commit:        ${commit}`, ''].join('\n');
}
