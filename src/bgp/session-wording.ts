// The words for what is wrong with a session, and the objects that are named. Which of them fits is decided in
// pair-causes.ts.
import { formatIp } from '../net/ip.ts';
import type { BgpFaultId, BgpFinding } from './finding.ts';
import type { ObservedSession } from './observed-sessions.ts';
import type { DesiredSession, Source, Wanted } from './session.ts';
import type { NodeKnown, SessionPair } from './session-pairs.ts';

export type Cause = Pick<BgpFinding, 'id' | 'message' | 'object' | 'hint'>;
type Object = BgpFinding['object'];

/** What one end says: `Active Connection refused`. */
export const wordsOf = ({ state, info }: ObservedSession): string => (info === '' ? state : `${state} ${info}`);

/** `node-a says Passive, node-b was not asked`. */
export function saidBy({ near, far, farNode }: SessionPair): string {
  const said = `${near.node} says ${wordsOf(near)}`;
  if (far !== undefined) return `${said}, ${far.node} says ${wordsOf(far)}`;
  return farNode?.notAsked === undefined ? said : `${said}, ${farNode.name} was not asked`;
}

/** The object to change for another value. */
export const objectOf = ({ kind, name }: Source): Object =>
  kind === 'default' ? { kind: 'BGPConfiguration', name: 'default' } : { kind, name };

/** The object that asks for the session. */
export const wantedObject = (wanted: Wanted | undefined): Object =>
  wanted === undefined
    ? undefined
    : wanted.kind === 'mesh'
      ? { kind: 'BGPConfiguration', name: 'default' }
      : { kind: 'BGPPeer', name: wanted.name };

/** `by BGPPeer rack-1 spec.asNumber`. */
export const sourceText = ({ kind, name, field }: Source): string =>
  kind === 'default' ? 'by default' : `by ${kind} ${name} ${field}`;

/** The end whose words match, the dialing one first. */
export function endSaying({ near, far }: SessionPair, pattern: RegExp): ObservedSession | undefined {
  return [near, far].find((row) => row !== undefined && pattern.test(row.info));
}

/** The other end than this one. */
export const other = ({ near, far }: SessionPair, row: ObservedSession): ObservedSession | undefined =>
  row === near ? far : near;

/** No error, or what is left of a change that is done. */
export const isSilent = ({ info }: ObservedSession): boolean =>
  /^$|Other configuration change|Administrative reset/i.test(info);

/** `hint` says what to do, at `object` when there is one to change. */
export const cause = (id: BgpFaultId, message: string, hint: string, object?: Object): Cause => ({
  ...{ id, message, hint, object },
});

/** That nobody asked the node, and why; undefined when it was asked. */
export const notAskedText = (known: NodeKnown | undefined): string | undefined =>
  known?.notAsked === undefined ? undefined : `${known.name} was not asked (${known.notAsked})`;

/** When a node's address is none that Kubernetes knows, the wrong one may have been detected (F52). */
function doubtfulAddress(known: NodeKnown | undefined, version: 4 | 6): string {
  const own = known?.node?.address[version];
  const internal = (known?.node?.internalIps ?? []).filter((ip) => ip.version === version);
  if (own === undefined || internal.length === 0 || internal.some(({ value }) => value === own.value)) return '';
  return `; ${known?.name} goes by ${formatIp(own)} while its InternalIP is ${internal.map(formatIp).join(', ')} (F52: IP_AUTODETECTION_METHOD)`;
}

/** What is doubtful about the addresses of both ends, to stand behind a hint. */
export const doubts = ({ nearNode, farNode, version }: SessionPair): string =>
  doubtfulAddress(nearNode, version) + doubtfulAddress(farNode, version);

/** Where the password is from; never the password. */
export const secretText = (password: DesiredSession['password']): string =>
  password === undefined ? 'no password' : `the password in secret ${password.secret} (${password.key})`;
