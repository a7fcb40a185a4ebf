// Reports the pods whose addresses Calico's IPAM does not assign (INV-69): once for each IPAM, not once per pod.
import { qualifiedName } from '../../resources/object.ts';
import { counted } from '../../text/wording.ts';
import type { FoundObject, Judgement } from '../finding.ts';
import { judge, mostListed } from '../judgement.ts';
import type { PodRecord } from '../snapshot.ts';
import type { OtherIpam } from '../view/other-networks.ts';

/** A pod with an address that another IPAM assigned. */
export interface ForeignAddress {
  readonly ipam: OtherIpam;
  readonly pod: PodRecord;
  readonly address: string;
}

const reasons: Readonly<Record<OtherIpam, readonly string[]>> = {
  'host-local': [
    'the addresses are in the podCIDR of the node of each pod and in no block: the host-local IPAM plugin assigns them',
    'IPAM objects of Calico are not used for these pods; blocks that exist all the same are leftovers of another setup',
  ],
  'another CNI plugin': [
    'Calico did not set up the network of these pods: they have no cni.projectcalico.org annotation, and no block has their addresses',
    'with Calico for policy only this is as it should be; otherwise the pods were started before its CNI plugin was installed: restart them',
  ],
};

/** INV-69: a note for each IPAM that assigns addresses besides Calico's. */
export function otherNetworkJudgements(addresses: readonly ForeignAddress[]): Judgement[] {
  return (Object.keys(reasons) as OtherIpam[]).flatMap((ipam) => {
    const found = addresses.filter((one) => one.ipam === ipam);
    return found.length === 0 ? [] : [note(ipam, found)];
  });
}

function note(ipam: OtherIpam, found: readonly ForeignAddress[]): Judgement {
  const inOrder = [...new Set(found.map(({ pod }) => pod))].sort((a, b) =>
    qualifiedName(a) < qualifiedName(b) ? -1 : 1,
  );
  const pods: FoundObject[] = inOrder.map(({ namespace, name }) => ({
    kind: 'Pod',
    namespace,
    name,
  }));
  const [first = { kind: 'Pod', name: '' }, ...others] = pods;
  const listed = found
    .slice(0, mostListed)
    .map(({ pod, address }) => `pod ${pod.namespace}/${pod.name} has ${address}`);
  return judge({
    id: 'INV-69',
    object: first,
    related: others.slice(0, mostListed - 1),
    part: ipam,
    evidence: [`${counted(pods.length, 'pod')} with an address from ${ipam}`, ...(reasons[ipam] ?? []), ...listed],
    settled: true,
    fingerprint: '',
  });
}
