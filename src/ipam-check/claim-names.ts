// Whether the name and the labels of a claim are those that its spec asks for: nodes find their claims by these alone.
import { affinityLabels, affinityName, hostnameHash } from '../resources/names.ts';
import type { AffinityView } from './view.ts';

export class ClaimNames {
  /** Hashes are slow and nodes have many claims. */
  readonly #hashes = new Map<string, string>();

  /** One line for each thing that does not fit; empty when all is well (INV-35). */
  mismatches({ affinity, name, node, cidr, cidrText }: AffinityView): string[] {
    if (node === '') return ['spec.node is missing'];
    if (cidr === undefined) return [cidrText === '' ? 'spec.cidr is missing' : `spec.cidr "${cidrText}" is no CIDR`];
    const lines: string[] = [];
    if (cidr !== cidrText) lines.push(`spec.cidr "${cidrText}" is not the canonical text ${cidr}`);
    const rightName = affinityName(node, cidr);
    if (name !== rightName) lines.push(`metadata.name is ${name}, its spec asks for ${rightName}`);
    const type = typeof affinity.spec.type === 'string' ? affinity.spec.type : '';
    if (type === '') lines.push('spec.type is absent');
    const labels = affinity.metadata.labels ?? {};
    for (const [label, value] of this.#labels(node, type === '' ? 'host' : type, cidr)) {
      const stored = labels[label];
      if (stored === value) continue;
      lines.push(stored === undefined ? `label ${label} is absent` : `label ${label} is "${stored}", not "${value}"`);
    }
    return lines;
  }

  #labels(node: string, type: string, cidr: string): [string, string][] {
    const known = this.#hashes.get(node);
    const hash = known ?? hostnameHash(node);
    if (known === undefined) this.#hashes.set(node, hash);
    return Object.entries(affinityLabels(node, type, cidr, hash));
  }
}
