// Rules for the kinds of BGP: docs/reference/validation.md#bgp.
import { parseCidr } from '../../net/cidr.ts';
import { parseIp } from '../../net/ip.ts';
import type { FieldPath } from '../field-path.ts';
import type { Rules, Write } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { goText, problem, type RuleProblem } from './rule-problem.ts';

/** What the rules need of a peer. */
interface BGPPeer extends KubeObject {
  spec: {
    node?: string | undefined;
    nodeSelector?: string | undefined;
    peerIP?: string | undefined;
    asNumber?: number | undefined;
    peerSelector?: string | undefined;
    localWorkloadSelector?: string | undefined;
    reachableBy?: string | undefined;
    keepOriginalNextHop?: boolean | undefined;
    nextHopMode?: string | undefined;
  };
}

/** What the rules need of a configuration. */
interface BGPConfiguration extends KubeObject {
  spec: {
    communities?: { name?: string | undefined; value?: string | undefined }[] | undefined;
    prefixAdvertisements?: { cidr?: string | undefined; communities?: string[] | undefined }[] | undefined;
    nodeToNodeMeshEnabled?: boolean | undefined;
    [field: string]: unknown;
  };
}

/** The address in `peerIP`, without its port. */
function peerAddress(text: string): ReturnType<typeof parseIp> {
  return parseIp(text) ?? parseIp(/^\[([^\]]*)\]:\d+$/.exec(text)?.[1] ?? /^([^:]*):\d+$/.exec(text)?.[1] ?? '');
}

function peerProblems({ spec }: BGPPeer): RuleProblem[] {
  const found: RuleProblem[] = [];
  const { node, nodeSelector, peerIP = '', asNumber, peerSelector, localWorkloadSelector, reachableBy = '' } = spec;
  const add = (field: string, message: string, name: string, value: unknown, reason: string): void => {
    found.push(problem(['spec', field], message, { field: name, value, reason }));
  };
  if (node && nodeSelector) {
    add(
      'node',
      'cannot be set together with nodeSelector',
      'Node',
      node,
      'Node field must be empty when NodeSelector is specified',
    );
  }
  if (peerIP && peerSelector) {
    const reason = 'PeerIP field must be empty when PeerSelector is specified';
    add('peerIP', 'cannot be set together with peerSelector', 'PeerIP', peerIP, reason);
  }
  if (asNumber && peerSelector) {
    const reason = 'ASNumber field must be empty when PeerSelector is specified';
    add(
      'asNumber',
      'cannot be set together with peerSelector: nodes have AS numbers of their own',
      'ASNumber',
      asNumber,
      reason,
    );
  }
  if (localWorkloadSelector) {
    if (!asNumber) {
      const reason = 'ASNumber field must NOT be empty when LocalWorkloadSelector is specified';
      add('asNumber', 'must be set for peers chosen by localWorkloadSelector', 'ASNumber', asNumber ?? 0, reason);
    }
    if (peerIP) {
      const reason = 'PeerIP field must be empty when LocalWorkloadSelector is specified';
      add('peerIP', 'cannot be set together with localWorkloadSelector', 'PeerIP', peerIP, reason);
    }
    if (peerSelector) {
      const reason = 'PeerSelector field must be empty when LocalWorkloadSelector is specified';
      add('peerSelector', 'cannot be set together with localWorkloadSelector', 'PeerSelector', peerIP, reason);
    }
  }
  if (reachableBy !== '') {
    const [gateway, peer] = [parseIp(reachableBy), peerAddress(peerIP)];
    const say = (message: string, reason: string): void =>
      add('reachableBy', message, 'ReachableBy', reachableBy, reason);
    if (gateway === undefined) say('must be an IP address', 'ReachableBy is invalid address');
    else if (peerIP === '') say('needs peerIP', 'ReachablyBy field must be empty when PeerIP is empty');
    else if (peer === undefined || !isPort(peerIP)) say('needs a valid peerIP', 'PeerIP is invalid address');
    else if (peer.version !== gateway.version) {
      say('must be of the same family as peerIP', 'ReachableBy and PeerIP address family mismatched');
    }
  }
  if (spec.keepOriginalNextHop === true && spec.nextHopMode !== undefined) {
    const reason =
      'The KeepOriginalNextHop field is deprecated. It must not be set to true when NextHopMode is configured.';
    add(
      'keepOriginalNextHop',
      'cannot be true together with nextHopMode, which replaces it',
      'KeepOriginalNextHop',
      peerIP,
      reason,
    );
  }
  return found;
}

const isPort = (peerIP: string): boolean => parseIp(peerIP) !== undefined || !/:(?:0+|\d{6,})$/.test(peerIP);

/** What is wrong with the text of a community; undefined for a good one. */
function communityReason(text: string): string | undefined {
  const parts = text.split(':');
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => /^\d+$/.test(part))) {
    return 'invalid community value or format used.';
  }
  const bits = parts.length === 2 ? 16 : 32;
  return parts.every((part) => BigInt(part) < 2n ** BigInt(bits))
    ? undefined
    : `invalid community value, expected ${bits} bit value`;
}

const communityWords = 'must be aa:nn with numbers up to 65535, or aa:nn:mm with numbers up to 4294967295';

function configurationProblems({ spec }: BGPConfiguration): RuleProblem[] {
  const found: RuleProblem[] = [];
  const communities = spec.communities ?? [];
  const advertisements = spec.prefixAdvertisements ?? [];
  communities.forEach(({ value = '' }, index) => {
    const reason = communityReason(value);
    if (reason === undefined) return;
    const path = ['spec', 'communities', index, 'value'];
    found.push(problem(path, communityWords, { field: 'Spec.Communities[].Value', value, reason }));
  });
  if (communities.length > 0 && advertisements.length === 0) {
    found.push(
      problem(['spec', 'communities'], 'are not used: prefixAdvertisements is empty', {
        field: 'Spec.Communities[]',
        value: `[${communities.map(({ name = '', value = '' }) => `{${name} ${value}}`).join(' ')}]`,
        reason: 'communities are defined but not used in Spec.PrefixAdvertisement[].',
      }),
    );
  }
  advertisements.forEach(({ cidr = '', communities: used = [] }, index) => {
    const path = ['spec', 'prefixAdvertisements', index] as const;
    if (cidr !== '' && parseCidr(cidr) === undefined) {
      const field = 'Spec.PrefixAdvertisement[].CIDR';
      found.push(problem([...path, 'cidr'], 'must be a CIDR', { field, value: cidr, reason: 'invalid CIDR value.' }));
    }
    used.forEach((value, at) => {
      const isNumber = /^\d+:\d+(?::\d+)?$/.test(value);
      const isNamed = communities.some(({ name }) => name === value);
      if (isNamed) return;
      const reason = isNumber ? communityReason(value) : 'community used is invalid or not defined.';
      if (reason === undefined) return;
      const words = isNumber ? communityWords : `is not the name of one of spec.communities`;
      const field = 'Spec.PrefixAdvertisement[].Communities[]';
      found.push(problem([...path, 'communities', at], words, { field, value, reason }));
    });
  });
  if (spec.nodeToNodeMeshEnabled === false) {
    for (const [name, goName] of [
      ['nodeMeshPassword', 'NodeMeshPassword'],
      ['nodeMeshMaxRestartTime', 'NodeMeshMaxRestartTime'],
    ] as const) {
      if (spec[name] === undefined) continue;
      const reason = `spec.${goName} cannot be set if spec.NodeToNodeMesh is disabled`;
      const words = 'cannot be set while nodeToNodeMeshEnabled is false';
      // calicoctl prints the whole spec with addresses of its memory; the name of the field says as much.
      found.push(problem(['spec', name], words, { field: `Spec.${goName}`, value: '', reason }));
    }
  }
  return found;
}

/** Settings that only the configuration of the whole cluster has, with calicoctl's names for them. */
const clusterOnly = [
  ['nodeToNodeMeshEnabled', 'nodeToNodeMeshEnabled', 'NodeToNodeMeshEnabled'],
  ['asNumber', 'ASNumber', 'ASNumber'],
  ['serviceLoadBalancerIPs', 'ServiceLoadBalancerIPs', 'ServiceLoadBalancerIPs'],
  ['serviceExternalIPs', 'ServiceExternalIPs', 'ServiceExternalIPs'],
  ['serviceClusterIPs', 'ServiceClusterIPs', 'ServiceClusterIPs'],
  ['nodeMeshPassword', 'nodeMeshPassword', 'NodeMeshPassword'],
  ['nodeMeshMaxRestartTime', 'nodeMeshMaxRestartTime', 'NodeMeshMaxRestartTime'],
] as const;

function configurationWriteProblems({ object: { metadata, spec } }: Write<BGPConfiguration>): RuleProblem[] {
  if (metadata.name === 'default') return [];
  return clusterOnly
    .filter(([name]) => {
      const value = spec[name];
      return value !== undefined && !(Array.isArray(value) && value.length === 0);
    })
    .map(([name, shown, goField]) =>
      problem(['spec', name], 'can be set only in the BGPConfiguration default', {
        field: `BGPConfiguration.Spec.${goField}`,
        reason: `Cannot set ${shown} on a non default BGP Configuration.`,
      }),
    );
}

/** An operation of a filter rule changes one thing. calicoctl prints the addresses in its memory of those that are set. */
export function filterOperationProblems(operation: Readonly<Record<string, unknown>>, at: FieldPath): RuleProblem[] {
  const all = [operation['addCommunity'], operation['prependASPath'], operation['setPriority']];
  if (all.filter((one) => one !== undefined && one !== null).length === 1) return [];
  const value = `{${all.map((one) => goText(one) || '<nil>').join(' ')}}`;
  const details = { field: 'BGPFilterOperation', value, reason: 'exactly one operation must be set' };
  return [problem(at, 'must have exactly one of addCommunity, prependASPath and setPriority', details)];
}

/** What is wrong between the fields of a rule of a BGPFilter. */
export function filterRuleProblems(rule: Readonly<Record<string, unknown>>, at: FieldPath): RuleProblem[] {
  const { cidr, matchOperator, prefixLength } = rule;
  const found: RuleProblem[] = [];
  if (cidr && !matchOperator) {
    const details = { field: 'CIDR', value: cidr, reason: 'MatchOperator cannot be empty when CIDR is not' };
    found.push(problem([...at, 'matchOperator'], 'is missing: cidr needs it', details));
  }
  if (!cidr && matchOperator) {
    const details = {
      field: 'MatchOperator',
      value: matchOperator,
      reason: 'CIDR cannot be empty when MatchOperator is not',
    };
    found.push(problem([...at, 'cidr'], 'is missing: matchOperator needs it', details));
  }
  if (!cidr && prefixLength !== undefined) {
    const { min = '<nil>', max = '<nil>' } = prefixLength as { min?: unknown; max?: unknown };
    const reason = 'CIDR cannot be empty when PrefixLength is not';
    const details = { field: 'PrefixLength', value: `{${String(min)} ${String(max)}}`, reason };
    found.push(problem([...at, 'cidr'], 'is missing: prefixLength needs it', details));
  }
  return found;
}

export const bgpPeerRules: Rules<BGPPeer> = { problems: peerProblems };

export const bgpConfigurationRules: Rules<BGPConfiguration> = {
  problems: configurationProblems,
  lastProblems: configurationWriteProblems,
};
