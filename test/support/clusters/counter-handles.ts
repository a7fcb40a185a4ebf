// IPAMHandles used as counters: they are the smallest objects that contain a number.
import type { IPAMHandle } from '../../../src/resources/kinds/ipam-handle.ts';

export function handle(name: string, count = 1): IPAMHandle {
  return {
    apiVersion: 'crd.projectcalico.org/v1',
    kind: 'IPAMHandle',
    metadata: { name },
    spec: { handleID: name, block: { '10.60.0.0/26': count }, deleted: false },
  };
}

export function total(object: IPAMHandle): number {
  return Object.values(object.spec.block).reduce((sum, count) => sum + count, 0);
}

export const handleYaml = (name: string, count = 1): string =>
  `apiVersion: crd.projectcalico.org/v1\nkind: IPAMHandle\nmetadata:\n  name: ${name}\n` +
  `spec:\n  handleID: ${name}\n  block:\n    10.60.0.0/26: ${count}\n  deleted: false\n`;
