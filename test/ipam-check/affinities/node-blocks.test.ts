import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import type { IPAMConfig } from '../../../src/resources/kinds/ipam-config.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

const config = (spec: object): IPAMConfig => ({
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPAMConfig',
  metadata: { name: 'default' },
  spec: { autoAllocateBlocks: true, strictAffinity: false, ...spec },
});
const strict = (maxBlocksPerHost: number) => config({ strictAffinity: true, maxBlocksPerHost });

describe('INV-38: more blocks than the limit', () => {
  function three(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pod('c-1', 'node-a', cluster.block('10.60.0.16/29', 'node-a'), '4');
    cluster.pod('c-2', 'node-a', cluster.block('10.60.0.24/29', 'node-a'), '5');
    return cluster;
  }

  test('counts the blocks of a family against the configuration', () => {
    const cluster = three();
    expect(findingsOf(cluster.snapshot({ config: strict(2) }))).toEqual(['INV-38 warning Node/node-a']);
    expect(findingsOf(cluster.snapshot({ config: strict(3) }))).toEqual([]);
    expect(evaluate(cluster.snapshot({ config: strict(2) })).judgements[0]?.finding.evidence).toEqual([
      'node node-a owns 3 IPv4 blocks, but its limit is 2',
    ]);
  });

  test('is 20 when nothing is set', () => {
    const cluster = healthy();
    cluster.pool('more', '10.61.0.0/16', 29);
    for (let index = 0; index < 20; index++) {
      const digit = 'abcdefghijklmnopqrst'[index] ?? '';
      cluster.pod(`more-${index}`, 'node-a', cluster.block(`10.61.${index}.0/29`, 'node-a'), digit);
    }
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-38 warning Node/node-a']);
    expect(findingsOf(cluster.snapshot({ config: config({}) }))).toEqual(['INV-38 warning Node/node-a']);
  });

  test('families count apart, blocks in disabled pools not at all', () => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd00:60::/112', 125);
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    cluster.pod('c-1', 'node-a', cluster.block('10.99.0.0/29', 'node-a'), '4');
    cluster.block('fd00:60::8/125', 'node-a');
    expect(findingsOf(cluster.snapshot({ config: strict(1) }))).toEqual([]);
  });

  test('is not judged without the configuration', () => {
    expect(findingsOf(three().snapshot({ unread: unread('IPAMConfig') }))).toEqual([]);
  });
});

describe('INV-40: a node that is not ready', () => {
  test('and owns blocks that nothing uses', () => {
    const cluster = healthy();
    cluster.node('node-c').ready = false;
    cluster.block('10.60.0.16/29', 'node-c');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-40 info Node/node-c']);
  });

  test('with an address anywhere is used', () => {
    const cluster = healthy();
    cluster.node('node-c').ready = false;
    cluster.block('10.60.0.16/29', 'node-c');
    cluster.pod('c-1', 'node-c', cluster.blockOf('10.60.0.0/29'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  test('a Windows reserve is no use; a node that says nothing of its health is not judged', () => {
    const cluster = healthy();
    const node = cluster.node('node-c');
    cluster.block('10.60.0.16/29', 'node-c', true);
    node.ready = false;
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-40 info Node/node-c']);
    node.ready = undefined;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
    node.ready = true;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  test('without blocks is nothing; one that is gone is another fault', () => {
    const cluster = healthy();
    cluster.node('node-c').ready = false;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
    cluster.block('10.60.0.16/29', 'node-c');
    cluster.removeNode('node-c');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-36 warning BlockAffinity/node-c-10-60-0-16-29 R6']);
  });
});
