import { expect, test } from 'vitest';
import { nodeRecord } from '../../src/ipam-repair/records.ts';

const node = (status: string | undefined) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-a', labels: { zone: 'x' } },
  status: {
    conditions: [
      { type: 'DiskPressure', status: 'True' },
      ...(status === undefined ? [] : [{ type: 'Ready', status, reason: 'because' }]),
    ],
  },
});

test.each([
  ['True', true],
  ['False', false],
  ['Unknown', false],
  [undefined, undefined],
])('a node whose condition Ready is %s', (status, ready) => {
  expect(nodeRecord(node(status))).toEqual({ name: 'node-a', tunnels: {}, labels: { zone: 'x' }, ready });
});

test('a node that says nothing has no labels, no tunnels and no health', () => {
  const bare = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } };
  expect(nodeRecord(bare)).toEqual({ name: 'node-a', tunnels: {}, labels: {}, ready: undefined });
});
