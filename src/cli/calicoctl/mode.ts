// When the program is to behave like calicoctl, and under which name it then shows itself.

/** True when the program was called as calicoctl or as a kubectl plugin, or the environment asks for it. */
export function isCompat(programName: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return programName === 'calicoctl' || programName.startsWith('kubectl-calico') || env['CALICTL_COMPAT'] === '1';
}

/** The name in help and usage texts of compat mode. */
export function compatName(programName: string): string {
  return programName.startsWith('kubectl-') ? 'kubectl-calico' : 'calicoctl';
}

/** True for the program that kubectl runs to complete the words after `kubectl calictl`, whatever they are. */
export function isKubectlCompletion(programName: string): boolean {
  return programName === 'kubectl_complete-calictl';
}
