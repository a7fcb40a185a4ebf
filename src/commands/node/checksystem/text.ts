// What `node checksystem` prints.
import { oldestKernelText, type SystemCheck } from '../../../node-state/kernel-check.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import type { TextView } from '../../../output/style.ts';
import { textTable } from '../../../output/table.ts';

/** One row for the kernel and one per module, then one sentence. */
export function systemTable({ kernel, modules, isMet, isWithoutIpv6 }: SystemCheck, { columns }: TextView): string {
  const rows = [
    ['kernel', kernel.release, kernel.isNewEnough ? 'ok' : `older than ${oldestKernelText}`],
    ...modules.map(({ name, isThere }) => ['module', name, isThere ? 'ok' : 'missing']),
  ];
  const verdict = isWithoutIpv6
    ? 'Calico can run here, without IPv6.'
    : isMet
      ? 'Calico can run here.'
      : 'Calico may not run here: the kernel is too old, or a module that Calico needs is missing.';
  return `${textTable(['WHAT', 'NAME', 'STATE'], rows, columns)}\n${verdict}\n`;
}

/** As one JSON document. */
export function systemJson({ kernel, modules, isMet, isWithoutIpv6 }: SystemCheck): string {
  return jsonDocument({
    kind: 'SystemCheck',
    kernel: { release: kernel.release, oldest: oldestKernelText, ok: kernel.isNewEnough },
    modules: modules.map(({ name, isThere }) => ({ name, ok: isThere })),
    ok: isMet,
    ipv6: !isWithoutIpv6,
  });
}

const resultLine = (name: string, isGood: boolean): string =>
  `\t\t${name.padEnd(20)}\t\t\t\t\t${isGood ? 'OK' : 'FAIL'}\n`;

/** calicoctl's lines but for the last, which is an error where something is missing. */
export function calicoctlSystem({ kernel, modules, isMet, isWithoutIpv6 }: SystemCheck): string {
  return [
    'Checking kernel version...\n',
    resultLine(kernel.release, kernel.isNewEnough),
    kernel.isNewEnough
      ? ''
      : `Minimum kernel version to run Calico is ${oldestKernelText}. Detected kernel version: ${kernel.release}\n`,
    'Checking kernel modules...\n',
    ...modules.flatMap(({ name, isThere }) => [
      isThere ? '' : `WARNING: Unable to detect the ${name} module as Loaded/Builtin module or lsmod\n`,
      resultLine(name, isThere),
    ]),
    isWithoutIpv6 ? 'WARNING: IPv6 will be unavailable as ip6_tables kernel module is not found\n' : '',
    isMet ? 'System meets minimum system requirements to run Calico!\n' : '',
  ].join('');
}
