// The example cluster of docs/examples, as objects, and its faults.
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '../../../src/resources/object.ts';
import { readManifests } from './manifests.ts';

export const exampleFolder = fileURLToPath(new URL('../../../docs/examples/leaky-cluster', import.meta.url));

/** All except the namespaces, which every store has already. */
export function exampleObjects(): KubeObject[] {
  return readManifests(exampleFolder).filter(({ kind }) => kind !== 'Namespace');
}

/** The faults of the example, one line per finding: invariant, severity, and the address or object. */
export const exampleFaults: readonly string[] = [
  'INV-18 error 10-61-4-0-24',
  'INV-20 error 10-61-4-0-24',
  'INV-32 warning worker-2-10-61-0-0-26',
  'INV-36 warning worker-9-10-60-8-0-26',
  `INV-45 warning k8s-pod-network.${'17ac'.repeat(16)}`,
  `INV-45 warning k8s-pod-network.${'9f3d'.repeat(16)}`,
  `INV-45 warning k8s-pod-network.${'c0de'.repeat(16)}`,
  'INV-53 warning 10.61.0.2',
];

/** The faults that need a decision by hand. */
export const exampleManualFaults: readonly string[] = exampleFaults.filter((fault) => fault.includes('error'));

/** Stable findings of a report as lines of the same form. */
export function faultLines(report: {
  findings: readonly { id: string; severity: string; stability: string; address?: string; object: { name: string } }[];
}): string[] {
  return report.findings
    .filter(({ stability }) => stability === 'stable')
    .map(({ id, severity, address, object }) => `${id} ${severity} ${address ?? object.name}`)
    .sort();
}
