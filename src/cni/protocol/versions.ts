// Versions of the CNI specification: which a plugin supports, and which commands a configuration of a version allows.
import { CniError, cniErrorCodes } from './cni-error.ts';

/** What Calico's plugins support. */
export const calicoVersions: readonly string[] = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0'];
/** What `calictl cni` supports: GC and STATUS too. */
export const calictlVersions: readonly string[] = [...calicoVersions, '1.1.0'];

/** The version of a configuration that names none. */
export const defaultVersion = '0.2.0';

/** The numbers of a version; undefined for a text that is not one. */
function numbersOf(version: string): readonly number[] | undefined {
  const parts = version.split('.');
  return parts.length <= 3 && parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : undefined;
}

/** True when a version is at least the other; false also for a text that is not a version. */
export function isAtLeast(version: string, other: string): boolean {
  const [own, least] = [numbersOf(version), numbersOf(other)];
  if (own === undefined || least === undefined) return false;
  for (let index = 0; index < 3; index++) {
    const difference = (own[index] ?? 0) - (least[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The answer to VERSION. */
export function versionJson(supported: readonly string[]): string {
  return `${JSON.stringify({ cniVersion: '1.1.0', supportedVersions: supported })}\n`;
}

/** Errors: CniError when the plugin does not support the version of the configuration. */
export function requireSupported(version: string, supported: readonly string[]): void {
  if (supported.includes(version)) return;
  const list = supported.map((each) => JSON.stringify(each)).join(' ');
  throw new CniError(
    'incompatible CNI versions',
    cniErrorCodes.incompatibleVersion,
    `config is ${JSON.stringify(version)}, plugin supports [${list}]`,
  );
}

/** The oldest version with a command; absent for those that all versions have. */
const since: Readonly<Record<string, string>> = { CHECK: '0.4.0', GC: '1.1.0', STATUS: '1.1.0' };

/** Errors: CniError when the configuration, or the plugin, is older than the command. */
export function requireCommand(command: string, version: string, supported: readonly string[]): void {
  const least = since[command];
  if (least === undefined) return;
  const refused = (what: string): CniError =>
    new CniError(`${what} version does not allow ${command}`, cniErrorCodes.incompatibleVersion);
  if (!isAtLeast(version, least)) throw refused('config');
  if (!supported.some((each) => isAtLeast(each, version))) throw refused('plugin');
}
