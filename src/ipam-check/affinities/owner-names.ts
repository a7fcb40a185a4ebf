// Judges the names of block owners (INV-37): virtual owners have the one name that Calico knows, and no node has it.
import { loadBalancerName } from '../../ipam/assign/assignment-owner.ts';
import type { Judgement } from '../finding.ts';
import { affinityObject, blockObject, judge, nodeObject } from '../judgement.ts';
import type { AffinityView } from '../view/affinity-view.ts';
import type { CheckView } from '../view/check-view.ts';

/** INV-37 for nodes, affinities, and blocks whose owner has no affinity. */
export function ownerNameJudgements(view: CheckView): Judgement[] {
  const judgements: Judgement[] = [];
  if (view.nodesByName.has(loadBalancerName)) judgements.push(nodeWithReservedName(view));
  for (const affinity of view.affinities) {
    const evidence = affinity.tombstone ? undefined : typeProblem(affinity);
    if (evidence === undefined) continue;
    judgements.push(
      judge({
        id: 'INV-37',
        severity: 'warning',
        object: affinityObject(affinity.name),
        cidr: affinity.cidr ?? affinity.cidrText,
        evidence: [evidence],
        fingerprint: String(affinity.resourceVersion),
      }),
    );
  }
  for (const block of view.liveBlocks) {
    if (block.owner?.type !== 'virtual' || block.owner.name === loadBalancerName) continue;
    if (view.affinityOfOwner(block)) continue;
    judgements.push(
      judge({
        id: 'INV-37',
        severity: 'warning',
        object: blockObject(block.name),
        cidr: block.cidr,
        evidence: [unknownOwner(block.owner.name)],
        fingerprint: String(block.affinity),
      }),
    );
  }
  return judgements;
}

function typeProblem({ affinity, type, node }: AffinityView): string | undefined {
  const stored: unknown = affinity.spec?.type;
  if (typeof stored === 'string' && stored !== '' && stored !== type) return `invalid spec.type "${stored}"`;
  return type === 'virtual' && node !== loadBalancerName ? unknownOwner(node) : undefined;
}

function unknownOwner(name: string): string {
  return `unknown virtual owner "${name}"; the only one is ${loadBalancerName}`;
}

function nodeWithReservedName(view: CheckView): Judgement {
  const affinities = view.affinities.filter(({ node, tombstone }) => node === loadBalancerName && !tombstone);
  return judge({
    id: 'INV-37',
    object: nodeObject(loadBalancerName),
    related: affinities.map(({ name }) => affinityObject(name)),
    node: loadBalancerName,
    evidence: [
      `a node is named ${loadBalancerName}, which is the owner of the blocks of LoadBalancer services`,
      ...affinities.map(({ owner, cidrText }) => `${owner} has an affinity for ${cidrText}`),
    ],
    fingerprint: affinities.map(({ name }) => name).join(' '),
  });
}
