// The table of verdicts: each worked out by hand from the documentation of Calico's and of Kubernetes' policies.
import { describe, expect, it } from 'vitest';
import { Cluster } from '../../src/policy/cluster.ts';
import { endNamed } from '../../src/policy/ends.ts';
import { commonFamilies, type FlowQuestion, flowVerdict } from '../../src/policy/flow-verdict.ts';
import type { SideVerdict } from '../../src/policy/verdict.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { baseObjects, policyObjects } from '../support/clusters/policy-objects.ts';
import type { PolicyCase } from './verdicts/case.ts';
import { ends } from './verdicts/ends.ts';
import { kubernetes } from './verdicts/kubernetes.ts';
import { order } from './verdicts/order.ts';
import { rules } from './verdicts/rules.ts';
import { selectors } from './verdicts/selectors.ts';
import { staged } from './verdicts/staged.ts';

/** `shop/web > shop/db tcp 5432`; of ICMP the number is the type, with the code after a slash. */
function parseFlow(text: string): { source: string; destination: string; question: FlowQuestion } {
  const [source = '', , destination = '', protocol = '', number = ''] = text.split(' ');
  const [first, second] = number === '' ? [] : number.split('/').map(Number);
  const question: FlowQuestion =
    protocol === 'icmp'
      ? { protocol, icmpType: first, icmpCode: second }
      : { protocol: protocol as 'tcp', port: first, sourcePort: second };
  return { source, destination, question };
}

function decider(side: SideVerdict | null): string {
  if (side === null) return '-';
  const { kind, tier, namespace, name, rule } = side.decidedBy;
  if (kind === 'None') return 'None';
  if (kind === 'TierDefault') return `TierDefault ${tier}`;
  return `${kind} ${namespace === null ? '' : `${namespace}/`}${name}#${rule}`;
}

function judged(objects: readonly KubeObject[], flow: string) {
  const cluster = new Cluster(policyObjects(objects));
  const { source, destination, question } = parseFlow(flow);
  const ends = [endNamed(cluster, source), endNamed(cluster, destination)] as const;
  const [version = 4] = commonFamilies(...ends);
  const { verdict, egress, ingress, doubts } = flowVerdict(cluster, ...ends, question, version);
  return [verdict, decider(egress), decider(ingress), ...doubts];
}

const table: readonly PolicyCase[] = [...ends, ...rules, ...selectors, ...order, ...kubernetes, ...staged];

describe.each(table)('policy verdicts: $about', ({ given, flows }) => {
  it.each(flows)('%s: %s', (flow, verdict, egress, ingress) => {
    expect(judged([...baseObjects, ...given], flow)).toEqual([verdict, egress, ingress]);
  });
});
