// Judges the IPAM configuration and reservations (INV-43): settings that contradict each other, and entries that stop Calico.
import { runsWindows } from '../../ipam/block/windows-reserve.ts';
import { andMore } from '../../text/wording.ts';
import type { FoundObject, Judgement } from '../finding.ts';
import { judge } from '../judgement.ts';
import type { CheckView } from '../view/check-view.ts';
import type { ReservedAddresses } from '../view/reserved-addresses.ts';

/** INV-43: at most one finding for the configuration, and one per reservation. */
export function configurationJudgements(view: CheckView, reserved: ReservedAddresses): Judgement[] {
  const judgements: Judgement[] = [];
  const evidence = contradictions(view);
  if (evidence.length > 0) judgements.push(contradictory({ kind: 'IPAMConfig', name: 'default' }, evidence));
  const unreadable = new Map<string, string[]>();
  for (const { reservation, text } of reserved.unreadable) {
    const line = `"${text}" is neither a CIDR nor an address: Calico up to 3.32 stops assigning addresses because of it`;
    unreadable.set(reservation, [...(unreadable.get(reservation) ?? []), line]);
  }
  for (const [name, lines] of unreadable) judgements.push(contradictory({ kind: 'IPReservation', name }, lines));
  return judgements;
}

function contradictions({ settings, snapshot }: CheckView): string[] {
  const { strictAffinity, autoAllocateBlocks, maxBlocksPerHost } = settings;
  if (strictAffinity) return [];
  const evidence: string[] = [];
  if (!autoAllocateBlocks) evidence.push('strictAffinity and autoAllocateBlocks are both off');
  if (maxBlocksPerHost > 0) evidence.push(`maxBlocksPerHost is ${maxBlocksPerHost}, but strictAffinity is off`);
  const [first, ...others] = snapshot.nodes.filter(({ labels }) => runsWindows(labels));
  if (first !== undefined) {
    const verb = others.length > 0 ? 'run' : 'runs';
    evidence.push(`node ${first.name}${andMore(others.length)} ${verb} Windows, but strictAffinity is off`);
  }
  return evidence;
}

function contradictory(object: FoundObject, evidence: readonly string[]): Judgement {
  return judge({ id: 'INV-43', object, evidence, fingerprint: evidence.join() });
}
