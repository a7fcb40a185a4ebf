// Writes that are refused, in calicoctl's words: the kinds and names that Calico's clients protect.
import { describe, expect, it } from 'vitest';
import { customResourceApi, v3ApiVersion, type WriteVerb } from '../../src/resources/kind.ts';
import { kindNamed } from '../../src/resources/kinds.ts';

/** The message for a write, and when it is refused; undefined for one that is allowed. */
function refused(kind: string, name: string, verb: WriteVerb, namespace?: string): string | undefined {
  const id = namespace === undefined ? `${kind}(${name})` : `${kind}(${namespace}/${name})`;
  const refusal = kindNamed(kind)?.refusals?.find(
    ({ verbs, names }) => verbs.includes(verb) && (names === undefined || names(name, customResourceApi)),
  );
  return refusal && `${refusal.when}: ${refusal.message(id, name, verb)}`;
}

const verbs = ['create', 'apply', 'update', 'delete'] as const;
const all = (kind: string, name: string, namespace?: string) =>
  verbs.map((verb) => refused(kind, name, verb, namespace));

describe('refused writes', () => {
  it('ClusterInformation is read-only, each verb in its own words', () => {
    expect(all('ClusterInformation', 'default')).toEqual([
      'asked: operation create or apply is not supported on ClusterInformation',
      'asked: operation apply is not supported on ClusterInformation: resource is readonly',
      'written: operation apply or replace is not supported on ClusterInformation',
      'asked: operation delete is not supported on ClusterInformation',
    ]);
  });

  it('copies of policies of Kubernetes are changed through the API of Kubernetes only', () => {
    const reason = 'kubernetes network policies must be managed through the kubernetes API';
    expect(all('NetworkPolicy', 'knp.default.web', 'shop')).toEqual([
      `asked: operation create or apply is not supported on NetworkPolicy(shop/knp.default.web): ${reason}`,
      undefined,
      `written: operation apply or replace is not supported on NetworkPolicy(shop/knp.default.web): ${reason}`,
      `asked: operation delete is not supported on NetworkPolicy(shop/knp.default.web): ${reason}`,
    ]);
    expect(all('NetworkPolicy', 'web', 'shop')).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each(['kanp.adminnetworkpolicy.a', 'kbanp.baselineadminnetworkpolicy.default'])(
    'the copy %s of an admin policy is refused in the same words for every verb',
    (name) => {
      const text =
        `operation create or apply is not supported on GlobalNetworkPolicy(${name}): ` +
        'kubernetes admin network policies must be managed through the kubernetes API';
      expect(all('GlobalNetworkPolicy', name)).toEqual([
        `asked: ${text}`,
        undefined,
        `written: ${text}`,
        `asked: ${text}`,
      ]);
      expect(all('GlobalNetworkPolicy', 'web')).toEqual([undefined, undefined, undefined, undefined]);
    },
  );

  it('a staged policy cannot have the name of a copy of a policy of Kubernetes', () => {
    expect(all('StagedNetworkPolicy', 'knp.default.web', 'shop')).toEqual([
      'written: operation Create is not supported on knp.default.: Cannot create a StagedNetworkPolicy with that name prefix',
      undefined,
      'written: operation Update is not supported on knp.default.: Cannot creaupdatete a StagedNetworkPolicy with that name prefix',
      'asked: operation Delete is not supported on knp.default.: No staged network policies should be available to be deleted for the knp prefix',
    ]);
    const names = kindNamed('StagedNetworkPolicy')?.refusals?.map((refusal) => refusal.names);
    expect(names?.map((fits) => fits?.('knp.default.web', v3ApiVersion))).toEqual([false, false, false]);
  });

  it('nodes are neither created nor deleted', () => {
    expect(all('Node', 'worker-1')).toEqual([
      'sent: operation Create is not supported on Node(worker-1)',
      undefined,
      undefined,
      'asked: resource does not exist: WorkloadEndpoint(worker--1-*) with error: malformed WorkloadEndpoint name - unable to determine Pod name',
    ]);
    expect(refused('Node', '', 'delete')).toBe('asked: error with field node (field should be assigned)');
  });

  it('profiles are not written; only one that exists is refused as such by an update', () => {
    expect(all('Profile', 'kns.shop')).toEqual([
      'sent: operation Create is not supported on Profile(kns.shop)',
      undefined,
      'sent: operation Update is not supported on Profile(kns.shop)',
      'asked: operation Delete is not supported on Profile(kns.shop)',
    ]);
    const fixed = 'projectcalico-default-allow';
    const because = `The profile "${fixed}" is a default provided by Calico and cannot be`;
    expect(all('Profile', fixed)).toEqual([
      `asked: resource already exists: ${fixed}`,
      undefined,
      `asked: operation Update is not supported on ${fixed}: ${because} updated`,
      `asked: operation Delete is not supported on ${fixed}: ${because} deleted`,
    ]);
  });

  it('workload endpoints are not written, but deleted', () => {
    const id = 'WorkloadEndpoint(shop/n-k8s-web-eth0)';
    expect(all('WorkloadEndpoint', 'n-k8s-web-eth0', 'shop')).toEqual([
      `sent: operation Create is not supported on ${id}: unsupported PatchMode: patchModeUnspecified`,
      undefined,
      `sent: operation Update is not supported on ${id}: unsupported PatchMode: patchModeUnspecified`,
      undefined,
    ]);
  });

  it.each(['default', 'adminnetworkpolicy'])('tier %s is not deleted', (name) => {
    expect(refused('Tier', name, 'delete')).toBe(
      `asked: operation Delete is not supported on ${name}: Cannot delete ${name} tier`,
    );
    expect(refused('Tier', name, 'update')).toBeUndefined();
  });

  it('tiers of users and tier baselineadminnetworkpolicy may be deleted', () => {
    expect(refused('Tier', 'platform', 'delete')).toBeUndefined();
    expect(refused('Tier', 'baselineadminnetworkpolicy', 'delete')).toBeUndefined();
  });

  it.each(['IPAMBlock', 'IPAMHandle', 'IPAMConfig', 'BlockAffinity'])('%s is left to the commands of ipam', (kind) => {
    for (const verb of ['create', 'update', 'delete'] as const) expect(refused(kind, 'x', verb)).toMatch(/^asked: /);
  });

  it('every refusal says what to do instead', () => {
    const hints = ['ClusterInformation', 'Node', 'Profile', 'NetworkPolicy', 'GlobalNetworkPolicy', 'Tier', 'IPAMBlock']
      .flatMap((kind) => kindNamed(kind)?.refusals ?? [])
      .map(({ hint }) => hint);
    expect(hints.length).toBeGreaterThan(10);
    expect(hints.filter((hint) => hint === '')).toEqual([]);
  });
});
