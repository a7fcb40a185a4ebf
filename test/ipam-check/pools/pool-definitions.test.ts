import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { healthy } from '../../support/clusters/snapshot-builder.ts';

describe('INV-26: an invalid pool', () => {
  it('INV-26: two overlapping pools are one finding', () => {
    const cluster = healthy();
    cluster.pool('wide', '10.60.0.0/16', 29);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-26 error IPPool/wide']);
    const [judgement] = evaluate(cluster.snapshot()).judgements;
    expect(judgement?.finding.related).toEqual([{ kind: 'IPPool', name: 'pool-1' }]);
    expect(judgement?.finding.evidence).toEqual(['10.60.0.0/16 contains 10.60.0.0/24, the CIDR of pool pool-1']);
  });

  it('INV-26: two pools with one range, and a disabled pool inside them, are one finding per pair', () => {
    const cluster = healthy();
    cluster.pool('twin', '10.60.0.0/24', 29);
    cluster.pool('old', '10.60.0.64/26', 29).spec.disabled = true;
    const judgements = evaluate(cluster.snapshot()).judgements.filter(({ finding }) => finding.id === 'INV-26');
    expect(judgements.map(({ key }) => key)).toEqual([
      'INV-26 IPPool/pool-1 old',
      'INV-26 IPPool/pool-1 twin',
      'INV-26 IPPool/twin old',
    ]);
  });

  it.each([
    ['10.70.0.0', 29, 'invalid spec.cidr "10.70.0.0"'],
    ['nonsense', 29, 'invalid spec.cidr "nonsense"'],
    ['10.70.0.0/24', 19, 'spec.blockSize 19 is not between 20 and 32'],
    ['10.70.0.0/24', 33, 'spec.blockSize 33 is not between 20 and 32'],
    ['fd00:70::/64', 64, 'spec.blockSize 64 is not between 116 and 128'],
    ['10.70.0.0/27', 26, '10.70.0.0/27 is smaller than one of its blocks, a /26'],
    ['10.70.0.0/27', 0, '10.70.0.0/27 is smaller than one of its blocks, a /26'],
  ])('INV-26: a pool %s with blocks of /%s', (cidr, blockSize, evidence) => {
    const cluster = healthy();
    cluster.pool('odd', cidr, blockSize);
    expect(findingsOf(cluster.snapshot())).toEqual(['INV-26 error IPPool/odd']);
    expect(evaluate(cluster.snapshot()).judgements[0]?.finding.evidence).toEqual([evidence]);
  });

  it('INV-26: a disabled pool may be smaller than a block, and an enabled pool as large as one', () => {
    const cluster = healthy();
    cluster.pool('small', '10.70.0.0/27', 26).spec.disabled = true;
    cluster.pool('one', '10.71.0.0/29', 29);
    cluster.pool('single', 'fd00:71::5/128', 128);
    expect(findingsOf(cluster.snapshot())).toEqual([]);
  });
});
