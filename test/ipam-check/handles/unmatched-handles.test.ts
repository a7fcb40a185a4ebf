import { expect, it } from 'vitest';
import { unmatchedHandles } from '../../../src/ipam-check/handles/unmatched-handles.ts';
import { CheckView } from '../../../src/ipam-check/view/check-view.ts';
import { healthy, podHandle, type SnapshotBuilder } from '../../support/clusters/snapshot-builder.ts';

const cidr = '10.60.0.0/29';

function open(cluster: SnapshotBuilder) {
  const { handles, names, withoutObject } = unmatchedHandles(new CheckView(cluster.snapshot()));
  return { handles: [...handles].map(({ name }) => name), names: [...names], withoutObject };
}

it('handles that match the blocks are not listed', () => {
  expect(open(healthy())).toEqual({ handles: [], names: [], withoutObject: [] });
});

it.each<[string, (cluster: SnapshotBuilder) => void]>([
  ['counts too many', (cluster) => Object.assign(cluster.handleOf(podHandle('1')).block, { [cidr]: 2 })],
  ['counts a second block', (cluster) => Object.assign(cluster.handleOf(podHandle('1')).block, { '10.60.0.8/29': 1 })],
  ['is half-deleted', (cluster) => Object.assign(cluster.handleOf(podHandle('1')), { deleted: true })],
  ['has the ID of another', (cluster) => Object.assign(cluster.handleOf(podHandle('1')), { handleId: 'other' })],
])('a handle that %s is listed with its name', (_, change) => {
  const cluster = healthy();
  change(cluster);
  const { handles, names } = open(cluster);
  expect({ handles, names }).toEqual({ handles: [podHandle('1')], names: [podHandle('1')] });
});

it('a handle with addresses in a block that it does not count is listed', () => {
  const cluster = healthy();
  cluster.allocate(cluster.blockOf('10.60.0.8/29'), { handle_id: podHandle('1') });
  cluster.handleOf(podHandle('1')).block = { [cidr]: 1 };
  expect(open(cluster)).toEqual({ handles: [podHandle('1')], names: [podHandle('1')], withoutObject: [] });
});

it('a handle that counts no address and has none is listed without a name', () => {
  const cluster = healthy();
  cluster.handle(podHandle('f'), { [cidr]: 0 });
  cluster.handle(podHandle('e'), { '10.60.0.16/29': 1 });
  expect(open(cluster)).toEqual({ handles: [podHandle('e'), podHandle('f')], names: [], withoutObject: [] });
});

it('a half-deleted handle does not count as the object of its name', () => {
  const cluster = healthy();
  Object.assign(cluster.handleOf(podHandle('1')), { deleted: true });
  cluster.removeHandle(podHandle('2'));
  expect(open(cluster).withoutObject.toSorted()).toEqual([podHandle('1'), podHandle('2')]);
});

it('several addresses of one handle match only when each block has as many as the handle counts', () => {
  const cluster = healthy();
  for (const network of [cidr, '10.60.0.8/29', '10.60.0.8/29'])
    cluster.allocate(cluster.blockOf(network), { handle_id: podHandle('d') });
  expect(cluster.handleOf(podHandle('d')).block).toEqual({ [cidr]: 1, '10.60.0.8/29': 2 });
  expect(open(cluster)).toEqual({ handles: [], names: [], withoutObject: [] });
  Object.assign(cluster.handleOf(podHandle('d')).block, { [cidr]: 2, '10.60.0.8/29': 1 });
  expect(open(cluster)).toEqual({ handles: [podHandle('d')], names: [podHandle('d')], withoutObject: [] });
});

it('an address under the same handle in capitals, or before a carriage return, counts as one more', () => {
  for (const spelled of [podHandle('1').toUpperCase(), `${podHandle('1')}\rx`]) {
    const cluster = healthy();
    cluster.allocate(cluster.blockOf('10.60.0.8/29'), { handle_id: spelled });
    cluster.handles.pop();
    expect(open(cluster)).toEqual({ handles: [podHandle('1')], names: [podHandle('1')], withoutObject: [] });
  }
});

it('an object whose name has capitals is not found by its handle', () => {
  const cluster = healthy();
  const id = podHandle('1').toUpperCase();
  Object.assign(cluster.handleOf(podHandle('1')), { name: id, handleId: id });
  cluster.blockOf(cidr).spec.attributes.forEach((attribute) => {
    if (attribute.handle_id === podHandle('1')) attribute.handle_id = id;
  });
  expect(open(cluster)).toEqual({ handles: [id], names: [podHandle('1')], withoutObject: [podHandle('1')] });
});
