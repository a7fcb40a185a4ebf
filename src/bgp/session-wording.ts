// The words for why a session is down, and the objects that are named. Which of them applies is decided in
// session-faults.ts.
import { faults, type NodeFault } from '../faults/faults.ts';
import type { FoundObject } from '../faults/finding.ts';
import { formatIp } from '../net/ip.ts';
import type { ObservedSession } from './observed-sessions.ts';
import { bgpPort, type DesiredSession, type Source, type Wanted } from './session.ts';
import type { NodeKnowledge, SessionPair } from './session-pairs.ts';

/** Why a session is down: a finding without its place. */
export interface Explanation {
  readonly fault: NodeFault;
  readonly message: string;
  readonly hint: string;
  readonly object: FoundObject | undefined;
}

/** `hint` says what to do, at `object` when there is one to change. */
export const explanation = (fault: NodeFault, message: string, hint: string, object?: FoundObject): Explanation => ({
  fault,
  message,
  hint,
  object,
});

/** What one end reports: `Active Connection refused`. */
export const wordsOf = ({ state, info }: ObservedSession): string => (info === '' ? state : `${state} ${info}`);

/** `node-a reports Passive, node-b was not queried`. */
export function saidBy({ near, far, farNode }: SessionPair): string {
  const said = `${near.node} reports ${wordsOf(near)}`;
  if (far !== undefined) return `${said}, ${far.node} reports ${wordsOf(far)}`;
  return farNode?.notQueried === undefined ? said : `${said}, ${farNode.name} was not queried`;
}

/** The object to change to get another value. */
export const objectOf = ({ kind, name }: Source): FoundObject =>
  kind === 'default' ? { kind: 'BGPConfiguration', name: 'default' } : { kind, name };

/** The object that asks for the session; undefined when none does. */
export function wantedObject(wanted: Wanted | undefined): FoundObject | undefined {
  if (wanted === undefined) return undefined;
  return wanted.kind === 'mesh'
    ? { kind: 'BGPConfiguration', name: 'default' }
    : { kind: 'BGPPeer', name: wanted.name };
}

/** `from BGPPeer rack-1 spec.asNumber`. */
export const sourceText = ({ kind, name, field }: Source): string =>
  kind === 'default' ? 'the default' : `from ${kind} ${name} ${field}`;

/** The end whose words match, the dialing one first. */
export function endSaying({ near, far }: SessionPair, pattern: RegExp): ObservedSession | undefined {
  return [near, far].find((end) => end !== undefined && pattern.test(end.info));
}

/** The end opposite to this one. */
export const otherEnd = ({ near, far }: SessionPair, end: ObservedSession): ObservedSession | undefined =>
  end === near ? far : near;

/** The node opposite to this end. */
export const otherNode = ({ near, nearNode, farNode }: SessionPair, end: ObservedSession): NodeKnowledge | undefined =>
  end === near ? farNode : nearNode;

/** The node that shows this end. */
export const ownNode = ({ near, nearNode, farNode }: SessionPair, end: ObservedSession): NodeKnowledge | undefined =>
  end === near ? nearNode : farNode;

/** The port that BIRD of a node listens on. */
export const listenPortOf = (known: NodeKnowledge | undefined): number => known?.node?.listenPort?.value ?? bgpPort;

/** No error, or only what a finished change left behind. */
export const isSilent = ({ info }: ObservedSession): boolean =>
  /^$|Other configuration change|Administrative reset/i.test(info);

/** That the node was not queried, and why; undefined when it was. */
export const notQueriedText = (known: NodeKnowledge | undefined): string | undefined =>
  known?.notQueried === undefined ? undefined : `${known.name} was not queried (${known.notQueried})`;

/** F52: when Kubernetes knows the node by other addresses only, the wrong one may have been detected. */
function doubtfulAddress(known: NodeKnowledge | undefined, version: 4 | 6): string {
  const own = known?.node?.address[version];
  const internal = (known?.node?.internalIps ?? []).filter((ip) => ip.version === version);
  if (own === undefined || internal.length === 0 || internal.some(({ value }) => value === own.value)) return '';
  const { id } = faults.nodeAddressDoubtful;
  return `; the address of ${known?.name} is ${formatIp(own)}, its InternalIP is ${internal.map(formatIp).join(', ')} (${id}: IP_AUTODETECTION_METHOD)`;
}

/** What is doubtful about the addresses of both ends, to be appended to a hint. */
export const doubts = ({ nearNode, farNode, version }: SessionPair): string =>
  doubtfulAddress(nearNode, version) + doubtfulAddress(farNode, version);

/** Where the password comes from; never the password. */
export const secretText = (password: DesiredSession['password']): string =>
  password === undefined ? 'no password' : `the password in secret ${password.secret} (${password.key})`;
