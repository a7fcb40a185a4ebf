// Whether name and labels of an affinity are those that its spec asks for: nodes find their affinities by these alone.
import { affinityLabels, affinityName, hostnameHash } from '../../resources/names.ts';
import type { AffinityView } from '../view/affinity-view.ts';

/** What does not match, one line each; both empty when everything matches. */
export interface Mismatches {
  /** About node, CIDR and name: what the affinity is about is not certain, or nobody looks for it here. */
  readonly name: readonly string[];
  /** About type and labels, which follow from node and CIDR. */
  readonly labels: readonly string[];
}

const noLines: readonly string[] = [];
const noMismatches: Mismatches = { name: noLines, labels: noLines };

export class AffinityNames {
  /** Hashes are slow, and nodes have many affinities. */
  readonly #hashes = new Map<string, string>();

  /** What INV-35 has to say about the affinity. */
  mismatches({ affinity, name, node, cidr, cidrText }: AffinityView): Mismatches {
    if (node === '') return { name: ['spec.node is missing'], labels: noLines };
    if (cidr === undefined) {
      const line = cidrText === '' ? 'spec.cidr is missing' : `invalid spec.cidr "${cidrText}"`;
      return { name: [line], labels: noLines };
    }
    const wrongName: string[] = [];
    if (cidr !== cidrText) wrongName.push(`spec.cidr is "${cidrText}", not the canonical ${cidr}`);
    const rightName = affinityName(node, cidr);
    if (name !== rightName) wrongName.push(`metadata.name is ${name}, but its spec asks for ${rightName}`);
    const wrongLabels: string[] = [];
    const type = typeof affinity.spec.type === 'string' ? affinity.spec.type : '';
    if (type === '') wrongLabels.push('spec.type is missing');
    const labels = affinity.metadata.labels ?? {};
    for (const [label, value] of this.#labels(node, type === '' ? 'host' : type, cidr)) {
      const stored = labels[label];
      if (stored === value) continue;
      wrongLabels.push(
        stored === undefined ? `label ${label} is missing` : `label ${label} is "${stored}", expected "${value}"`,
      );
    }
    if (wrongName.length === 0 && wrongLabels.length === 0) return noMismatches;
    return { name: wrongName, labels: wrongLabels };
  }

  #labels(node: string, type: string, cidr: string): [string, string][] {
    const known = this.#hashes.get(node);
    const hash = known ?? hostnameHash(node);
    if (known === undefined) this.#hashes.set(node, hash);
    return Object.entries(affinityLabels(node, type, cidr, hash));
  }
}
