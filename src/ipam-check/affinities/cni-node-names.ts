// Judges the node names that IPAM records (INV-70): those of nodes that are called otherwise, one finding per name.
import { counted } from '../../text/wording.ts';
import type { Judgement } from '../finding.ts';
import { byHand, judge, mostListed, nodeObject } from '../judgement.ts';
import type { CheckView } from '../view/check-view.ts';
import type { NodeAlias } from '../view/node-aliases.ts';

/** INV-70. What else such a name would break (a node that does not exist, pods on another one) is not reported. */
export function cniNodeNameJudgements(view: CheckView): Judgement[] {
  return [...view.nodeAliases.values()].map((alias) => otherName(view, alias));
}

function otherName(view: CheckView, { name, node, pods }: NodeAlias): Judgement {
  const blocks = view.blocksByNode.get(name) ?? [];
  const podObjects = pods.map((pod) => ({ kind: 'Pod' as const, namespace: pod.namespace, name: pod.name }));
  return judge({
    id: 'INV-70',
    object: nodeObject(node.name),
    related: podObjects.slice(0, mostListed),
    dependencies: podObjects,
    node: node.name,
    part: name,
    evidence: [
      `${counted(pods.length, 'address of a pod', 'addresses of pods')} on ${node.name} recorded for node ${name}, which does not exist`,
      ...(blocks.length > 0 ? [`${counted(blocks.length, 'block belongs', 'blocks belong')} to ${name}`] : []),
      `the CNI plugin on ${node.name} uses the node name ${name}`,
    ],
    fingerprint: pods.map(({ uid }) => uid).join(' '),
    repair: byHand(
      `on ${node.name}, set nodename in the CNI configuration and in /var/lib/calico/nodename to ${node.name}; then restart its pods`,
    ),
  });
}
