// The corpus of damaged clusters in test/corpus: one healthy image, and one folder per fault with the differences and the
// findings that a check must report.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '../../../src/resources/object.ts';
import { readManifests, readYaml } from './manifests.ts';

const root = fileURLToPath(new URL('../../corpus', import.meta.url));

/** The content of a fault's expect.yaml. */
interface Expectation {
  /** The fault in one sentence. */
  readonly fault: string;
  /** Objects of the healthy image that are missing, as Kind/name or Kind/namespace/name. */
  readonly without?: readonly string[];
  /** Every finding of the first check: invariant, severity, and the address or object. */
  readonly findings: readonly string[];
  /** What a check finds after --fix; the same as `findings` where a repair needs a decision by hand. */
  readonly left: readonly string[];
  /** Why the fault cannot exist in an API server, if so. */
  readonly notOnKubernetes?: string;
  /** Why the fault cannot exist in CRDs of projectcalico.org/v3, if so. */
  readonly notOnV3?: string;
}

export interface DamagedCluster extends Expectation {
  readonly name: string;
  readonly objects: readonly KubeObject[];
}

const nameOf = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
  [kind, namespace, name].filter((part) => part !== undefined).join('/');

export const healthyImage = (): KubeObject[] => readManifests(`${root}/healthy`);

/** All faults: the healthy image with its objects replaced by those of fault.yaml. */
export function corpus(): DamagedCluster[] {
  const folders = readdirSync(root).filter((name) => name.startsWith('INV-'));
  return folders.sort().map((name) => {
    const expectation = readYaml(`${root}/${name}/expect.yaml`) as unknown as Expectation;
    const objects = new Map(healthyImage().map((object) => [nameOf(object), object]));
    for (const place of expectation.without ?? []) {
      if (!objects.delete(place)) throw new Error(`${name}: the healthy image has no ${place}`);
    }
    for (const object of readManifests(`${root}/${name}`)) objects.set(nameOf(object), object);
    return { ...expectation, name, objects: [...objects.values()] };
  });
}
