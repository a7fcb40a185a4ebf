import { expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { reservation } from '../../support/clusters/ipam-state.ts';
import { healthy, unread } from '../../support/clusters/snapshot-builder.ts';

it('INV-42: allocated and reserved addresses are one note per block and reservation', () => {
  const reservations = [reservation('kept', '10.60.0.0/30', '10.60.0.0'), reservation('other', '10.60.0.9')];
  const snapshot = healthy().snapshot({ reservations });
  expect(findingsOf(snapshot)).toEqual(['INV-42 info IPAMBlock/10-60-0-0-29', 'INV-42 info IPAMBlock/10-60-0-8-29']);
  const findings = evaluate(snapshot).judgements.map(({ finding }) => finding);
  expect(findings[0]?.evidence).toEqual([
    'allocated in 10.60.0.0/29 and reserved by kept: 10.60.0.0, 10.60.0.1, 10.60.0.2',
  ]);
  expect(findings.map(({ address }) => address)).toEqual([undefined, '10.60.0.9']);
  expect(findings[1]?.related).toEqual([{ kind: 'IPReservation', name: 'other' }]);
});

it('INV-42: an address in two reservations is two notes', () => {
  const reservations = [reservation('a', '10.60.0.1'), reservation('b', '10.60.0.0/31')];
  const { judgements } = evaluate(healthy().snapshot({ reservations }));
  expect(judgements.map(({ key }) => key)).toEqual([
    'INV-42 IPAMBlock/10-60-0-0-29 b',
    'INV-42 IPAMBlock/10-60-0-0-29 a',
  ]);
});

it('INV-42: free addresses, the Windows reserve and addresses that are released anyway are not reported', () => {
  const free = reservation('free', '10.60.0.3', '10.60.0.10/31', '172.16.0.0/12', 'fd00::/8');
  expect(findingsOf(healthy().snapshot({ reservations: [free] }))).toEqual([]);
  const cluster = healthy();
  cluster.block('10.60.0.16/29', 'node-a', true);
  expect(findingsOf(cluster.snapshot({ reservations: [reservation('win', '10.60.0.16/29')] }))).toEqual([]);
  const leaky = healthy();
  leaky.pods.shift();
  expect(findingsOf(leaky.snapshot({ reservations: [reservation('kept', '10.60.0.1')] }))).toEqual([
    'INV-53 warning IPAMBlock/10-60-0-0-29 R1',
  ]);
});

it('INV-42: reservations are not judged when they were not read', () => {
  const unreadKinds = unread('IPReservation');
  expect(
    findingsOf(healthy().snapshot({ reservations: [reservation('kept', '10.60.0.1')], unread: unreadKinds })),
  ).toEqual([]);
});
