import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { ipamConfig } from '../../support/clusters/ipam-state.ts';
import { healthy, type SnapshotBuilder, unread } from '../../support/clusters/snapshot-builder.ts';

const strict = (maxBlocksPerHost: number) => ipamConfig({ strictAffinity: true, maxBlocksPerHost });

describe('INV-38: more blocks than the limit', () => {
  function three(): SnapshotBuilder {
    const cluster = healthy();
    cluster.pod('c-1', 'node-a', cluster.block('10.60.0.16/29', 'node-a'), '4');
    cluster.pod('c-2', 'node-a', cluster.block('10.60.0.24/29', 'node-a'), '5');
    return cluster;
  }

  it('INV-38: the blocks of one family are compared with the configured limit', () => {
    const cluster = three();
    expect(findingsOf(cluster.snapshot({ config: strict(2) }))).toEqual(['INV-38 warning Node/node-a']);
    expect(findingsOf(cluster.snapshot({ config: strict(3) }))).toEqual([]);
    expect(evaluate(cluster.snapshot({ config: strict(2) })).judgements[0]?.finding.evidence).toEqual([
      'node node-a owns 3 IPv4 blocks, but its limit is 2',
    ]);
  });

  it('INV-38: the limit is 20 when none is configured', () => {
    const cluster = healthy();
    cluster.pool('more', '10.61.0.0/16', 29);
    for (let index = 0; index < 20; index++) {
      const digit = 'abcdefghijklmnopqrst'[index] ?? '';
      cluster.pod(`more-${index}`, 'node-a', cluster.block(`10.61.${index}.0/29`, 'node-a'), digit);
    }
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-38 warning Node/node-a']);
    expect(findingsOf(cluster.snapshot({ config: ipamConfig({}) }))).toEqual(['INV-38 warning Node/node-a']);
  });

  it('INV-38: each family is counted separately, blocks in disabled pools are not counted', () => {
    const cluster = healthy();
    cluster.pool('pool-6', 'fd00:60::/112', 125);
    cluster.pool('old', '10.99.0.0/24', 29).spec.disabled = true;
    cluster.pod('c-1', 'node-a', cluster.block('10.99.0.0/29', 'node-a'), '4');
    cluster.block('fd00:60::8/125', 'node-a');
    expect(findingsOf(cluster.snapshot({ config: strict(1) }))).toEqual([]);
  });

  it('INV-38: the limit is not judged when IPAMConfig was not read', () => {
    expect(findingsOf(three().snapshot({ unread: unread('IPAMConfig') }))).toEqual([]);
  });
});

describe('INV-40: blocks of a node that is not ready', () => {
  it('INV-40: a node that is not ready and owns unused blocks is a note', () => {
    const cluster = healthy();
    cluster.node('node-c').ready = false;
    cluster.block('10.60.0.16/29', 'node-c');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-40 info Node/node-c']);
  });

  it('INV-40: a node that is not ready is not reported while it uses an address in any block', () => {
    const cluster = healthy();
    cluster.node('node-c').ready = false;
    cluster.block('10.60.0.16/29', 'node-c');
    cluster.pod('c-1', 'node-c', cluster.blockOf('10.60.0.0/29'), '4');
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });

  it('INV-40: a Windows reserve does not count as used, and a node without a Ready condition is not reported', () => {
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

  it('INV-40: a node without blocks is not reported, and a missing node is INV-36', () => {
    const cluster = healthy();
    cluster.node('node-c').ready = false;
    expect(findingsOf(cluster.snapshot())).toEqual([]);
    cluster.block('10.60.0.16/29', 'node-c');
    cluster.removeNode('node-c');
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-36 warning BlockAffinity/node-c-10-60-0-16-29 R6']);
  });
});
