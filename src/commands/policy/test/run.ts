// What calictl policy test does: reads the cluster, judges the flow in each family that both ends have.
import { type End, endNamed } from '../../../policy/ends.ts';
import { commonFamilies, type FlowQuestion, flowVerdict } from '../../../policy/flow-verdict.ts';
import { exitCodes, UsageError } from '../../../world/errors.ts';
import type { Context, View } from '../../command.ts';
import { readCluster } from '../read-cluster.ts';
import type { TestInput } from './command.ts';
import { policyTestJson, policyTestText, policyTestYaml, type TestedFlow } from './text.ts';

/** What is asked. Errors: UsageError for ports of ICMP, and for types of what is not ICMP. */
function questionOf({ protocol, proto, port, sourcePort, icmpType, icmpCode }: TestInput): FlowQuestion {
  const asked = protocol ?? proto ?? 'tcp';
  if (asked === 'icmp' && (port !== undefined || sourcePort !== undefined)) {
    throw new UsageError('ICMP has no ports', 'leave out --port, or use --icmp-type and --icmp-code');
  }
  if (asked !== 'icmp' && (icmpType !== undefined || icmpCode !== undefined)) {
    throw new UsageError(
      `${asked.toUpperCase()} has no types and codes`,
      'use --icmp-type and --icmp-code with --proto icmp',
    );
  }
  return { protocol: asked, port, sourcePort, icmpType, icmpCode };
}

/** Pods may be named without their namespace when it is given. */
function qualified(text: string, namespace: string | undefined): string {
  return namespace === undefined || /[/:]|^[\d.]+$/.test(text) ? text : `${namespace}/${text}`;
}

export async function run(ctx: Context, input: TestInput): Promise<TestedFlow> {
  const question = questionOf(input);
  const { cluster, unread } = await readCluster(ctx);
  const [source, destination] = [input.source, input.destination].map((text) =>
    endNamed(cluster, qualified(text, input.namespace)),
  ) as [End, End];
  const [version = 4, other] = commonFamilies(source, destination);
  const judged = flowVerdict(cluster, source, destination, question, version);
  const second = other === undefined ? undefined : flowVerdict(cluster, source, destination, question, other);
  const differs = second !== undefined && second.doubts.length === 0 && second.verdict !== judged.verdict;
  const notes = differs ? [...judged.notes, `over IPv${other} the verdict is ${second.verdict}`] : judged.notes;
  return { source, destination, question, judged: { ...judged, notes }, unread };
}

export const formats = {
  text: (tested: TestedFlow, view: View) => policyTestText(tested, view),
  json: policyTestJson,
  yaml: policyTestYaml,
};

export function exit({ judged: { verdict, doubts } }: TestedFlow): number {
  if (doubts.length > 0) return exitCodes.partial;
  return verdict === 'deny' ? exitCodes.findings : exitCodes.ok;
}
