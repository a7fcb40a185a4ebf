// What `policy test` prints: the verdict, who decided on each side and what was looked at before; a document.
import { formatIp } from '../../../net/ip.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { type Style, styleOf, type TextView } from '../../../output/style.ts';
import { wrap } from '../../../output/wrap.ts';
import type { End } from '../../../policy/ends.ts';
import type { FlowQuestion, FlowVerdict } from '../../../policy/flow-verdict.ts';
import type { HostVerdict } from '../../../policy/host-endpoints.ts';
import { protocolName } from '../../../policy/protocol.ts';
import type { DecidedBy, SideVerdict, StagedOutcome, Step, Verdict } from '../../../policy/verdict.ts';
import { printYaml } from '../../../text/yaml.ts';
import type { UnreadKind } from '../read-cluster.ts';

export interface TestedFlow {
  readonly source: End;
  readonly destination: End;
  readonly question: FlowQuestion;
  readonly judged: FlowVerdict;
  readonly unread: readonly UnreadKind[];
}

const pastTense = { allow: 'allowed', deny: 'denied' } as const;

function painted(verdict: Verdict, text: string, style: Style): string {
  return verdict === 'allow' ? style.ok(text) : style.error(text);
}

function flowText({ flow }: FlowVerdict): string {
  const { protocol, icmp, source, destination } = flow;
  const port = destination.port === undefined ? '' : ` port ${destination.port}`;
  const from = source.port === undefined ? '' : ` from port ${source.port}`;
  const type = icmp === undefined ? '' : ` type ${icmp.type} code ${icmp.code}`;
  return `${protocolName(protocol)}${port}${from}${type}`;
}

function endText({ title }: End, address: string): string {
  return title.includes(address) ? title : `${title} (${address})`;
}

/** `NetworkPolicy shop/allow-web of tier default, rule 0: Allow`. */
function deciderText({ kind, tier, namespace, name, rule, action }: DecidedBy, direction: string): string {
  if (kind === 'TierDefault') return `end of tier ${tier}: no policy in it for ${direction} allows the flow`;
  if (kind === 'None') return action === 'Deny' ? 'no profile allows the flow' : 'no policy applies';
  const place = tier === null ? '' : ` of tier ${tier}`;
  const title = name === null ? `${kind} (not read)` : `${kind} ${namespace === null ? '' : `${namespace}/`}${name}`;
  return `${title}${place}${rule === null ? '' : `, rule ${rule}`}: ${action}`;
}

function stagedText({ kind, namespace, name, rule, action }: StagedOutcome): string {
  const title = `${kind} ${namespace === null ? '' : `${namespace}/`}${name}`;
  return rule === null ? `${title}: no rule matches` : `${title}, rule ${rule}: would ${action?.toLowerCase()}`;
}

/** Everything before the step that decided, which the first line has already. */
function stepTexts(steps: readonly Step[]): string[] {
  return steps.slice(0, -1).map(({ tier, title, outcome }) => {
    const place = tier === null || tier === '' || title.endsWith(`tier ${tier}`) ? '' : ` of tier ${tier}`;
    return `${title}${place}: ${outcome}`;
  });
}

class Lines {
  readonly #width: number;
  readonly lines: string[] = [];

  constructor({ columns }: TextView) {
    this.#width = columns;
  }

  add(text: string, indent = '', further = `${indent}  `): void {
    this.lines.push(wrap(printable(text), this.#width, indent, further));
  }

  heading(before: string, verdict: Verdict, style: Style): void {
    this.lines.push(`${printable(before)}: ${painted(verdict, verdict, style)}`);
  }

  blank(): void {
    this.lines.push('');
  }
}

function addSide(lines: Lines, heading: string, side: SideVerdict, direction: string, style: Style): void {
  lines.heading(heading, side.verdict, style);
  lines.add(deciderText(side.decidedBy, direction), '  ', '    ');
  const before = stepTexts(side.steps);
  if (before.length > 0) {
    lines.add('before it:', '  ');
    for (const text of before) lines.add(text, '    ', '      ');
  }
  if (side.staged.length > 0) {
    lines.add('staged, not enforced:', '  ');
    for (const staged of side.staged) lines.add(stagedText(staged), '    ', '      ');
  }
}

function hostHeading({ hostEndpoint, node, direction, stage, forwarded }: HostVerdict): string {
  const what = stage === 'failsafe' ? 'failsafe port' : `${stage} policies`;
  return `${direction} of host endpoint ${hostEndpoint} of node ${node}${forwarded ? ', forwarding' : ''} (${what})`;
}

function addSides(lines: Lines, { source, destination, judged }: TestedFlow, style: Style): void {
  const { egress, ingress, hostEndpoints } = judged;
  if (egress !== null) addSide(lines, `egress of ${source.title}`, egress, 'egress', style);
  if (ingress !== null) addSide(lines, `ingress of ${destination.title}`, ingress, 'ingress', style);
  for (const host of hostEndpoints) addSide(lines, hostHeading(host), host, host.direction, style);
  if (egress === null && ingress === null && hostEndpoints.length === 0) {
    lines.add('Neither end is a workload of this cluster: no policy applies.');
  }
}

/** For people: the verdict first, then each side. */
export function policyTestText(tested: TestedFlow, view: TextView): string {
  const { source, destination, judged, unread } = tested;
  const style = styleOf(view.colour);
  const lines = new Lines(view);
  const word = painted(judged.verdict, pastTense[judged.verdict], style);
  const doubt = judged.doubts.length > 0 ? ' as far as is known' : '';
  const { flow } = judged;
  lines.lines.push(`${word}${doubt}: ${flowText(judged)}`);
  lines.add(`from ${endText(source, formatIp(flow.source.ip))}`, '  ', '    ');
  lines.add(`to   ${endText(destination, formatIp(flow.destination.ip))}`, '  ', '    ');
  lines.blank();
  addSides(lines, tested, style);
  const { doubts, notes } = judged;
  if (doubts.length + notes.length + unread.length > 0) lines.blank();
  for (const reason of doubts) lines.add(`not certain: ${reason}`);
  for (const note of notes) lines.add(`note: ${note}`);
  const unneeded = unread.filter(({ reason }) => !doubts.includes(reason)).map(({ kind }) => kind);
  if (unneeded.length > 0) lines.add(`not read, and not needed here: ${unneeded.join(', ')}`);
  return `${lines.lines.join('\n')}\n`;
}

function sideDocument(side: SideVerdict, direction: string): object {
  return {
    verdict: side.verdict,
    decidedBy: side.decidedBy,
    reasons: [...stepTexts(side.steps), deciderText(side.decidedBy, direction)],
    ...(side.staged.length > 0 ? { staged: side.staged } : {}),
    ...(side.doubts.length > 0 ? { doubts: side.doubts } : {}),
  };
}

function endDocument(end: End, address: string): object {
  switch (end.type) {
    case 'workload':
      return {
        kind: 'Pod',
        namespace: end.workload.namespace,
        name: end.workload.name,
        node: end.workload.node,
        address,
      };
    case 'host':
      return { kind: 'Node', name: end.node, address };
    case 'address':
      return { kind: 'Address', address };
  }
}

function document({ source, destination, question, judged, unread }: TestedFlow): object {
  const { flow, egress, ingress, hostEndpoints, doubts, notes } = judged;
  return {
    apiVersion: 'calictl/v1',
    kind: 'PolicyVerdict',
    verdict: judged.verdict,
    partial: doubts.length > 0,
    source: endDocument(source, formatIp(flow.source.ip)),
    destination: endDocument(destination, formatIp(flow.destination.ip)),
    flow: {
      ipVersion: flow.source.ip.version,
      protocol: question.protocol,
      ...(flow.destination.port === undefined ? {} : { port: flow.destination.port }),
      ...(flow.source.port === undefined ? {} : { sourcePort: flow.source.port }),
      ...(flow.icmp === undefined ? {} : { icmpType: flow.icmp.type, icmpCode: flow.icmp.code }),
    },
    egress: egress === null ? null : sideDocument(egress, 'egress'),
    ingress: ingress === null ? null : sideDocument(ingress, 'ingress'),
    hostEndpoints: hostEndpoints.map((host) => ({
      node: host.node,
      name: host.hostEndpoint,
      direction: host.direction,
      policies: host.stage,
      forwarded: host.forwarded,
      certain: host.isCertain,
      ...sideDocument(host, host.direction),
    })),
    doubts,
    notes,
    unread,
  };
}

/** Everything as one JSON document. */
export const policyTestJson = (tested: TestedFlow): string => jsonDocument(document(tested));
/** The same as YAML. */
export const policyTestYaml = (tested: TestedFlow): string => printYaml(document(tested));
