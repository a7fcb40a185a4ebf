// The ends of flows as people name them, and what is refused.
import { describe, expect, it } from 'vitest';
import { Cluster } from '../../src/policy/cluster.ts';
import type { Unread } from '../../src/policy/cluster-objects.ts';
import { endNamed, workloadNamed } from '../../src/policy/ends.ts';
import { commonFamilies } from '../../src/policy/flow-verdict.ts';
import type { CalictlError } from '../../src/world/errors.ts';
import { baseObjects, pod, policyObjects } from '../support/clusters/policy-objects.ts';

const pending = pod('shop/new', { node: '', ips: [] });
const starting = pod('shop/starting', { node: 'n1', ips: [] });
const twin = pod('dev/twin', { node: 'n2', ips: ['10.60.2.60'] });
const other = pod('dev/other', { node: 'n1', ips: ['10.60.2.60'] });
const onlyV6 = pod('dev/six', { node: 'n1', ips: ['fd60::6'] });
const cluster = new Cluster(policyObjects([...baseObjects, pending, starting, twin, other, onlyV6]));

function failure(act: () => unknown): readonly [code: string, exit: number, message: string] {
  try {
    act();
  } catch (error) {
    const { code, exit, message } = error as CalictlError;
    return [code, exit, message];
  }
  return ['none', 0, ''];
}

describe('ends of flows', () => {
  it.each([
    ['shop/db', 'workload shop/db'],
    ['10.60.1.20', 'workload 10.60.1.20 (pod shop/db)'],
    ['fd60:0:0::1:20', 'workload fd60::1:20 (pod shop/db)'],
    ['node/n1', 'host node n1'],
    ['10.0.0.2', 'host 10.0.0.2 (node n2)'],
    ['10.60.2.1', 'host 10.60.2.1 (node n2)'],
    ['ops/agent', 'host ops/agent (network of node n1)'],
    ['192.0.2.7', 'address 192.0.2.7'],
    ['10.60.1.99', 'address 10.60.1.99'],
  ])('%s is %s', (text, expected) => {
    const { type, title } = endNamed(cluster, text);
    expect(`${type} ${title}`).toBe(expected);
  });

  it.each([
    ['shop/ghost', 'POD_NOT_FOUND', 1],
    ['node/ghost', 'NODE_NOT_FOUND', 1],
    ['shop/job', 'POD_FINISHED', 2],
    ['shop/new', 'POD_NOT_SCHEDULED', 2],
    ['shop/starting', 'POD_WITHOUT_ADDRESS', 2],
    ['web', 'END_UNKNOWN', 2],
    ['a/b/c', 'END_UNKNOWN', 2],
    ['10.60.1.0/24', 'END_UNKNOWN', 2],
    ['10.60.2.60', 'ADDRESS_AMBIGUOUS', 1],
  ])('%s is refused with %s', (text, code, exit) => {
    expect(failure(() => endNamed(cluster, text)).slice(0, 2)).toEqual([code, exit]);
  });

  it('a pod that uses the network of its node has no endpoint, and the hint names the node', () => {
    expect(failure(() => workloadNamed(cluster, 'ops', 'agent'))).toEqual([
      'POD_HOST_NETWORK',
      2,
      'pod ops/agent uses the network of its node, so it has no endpoint',
    ]);
  });

  it('a pod without address is a workload where no address is needed', () => {
    expect(workloadNamed(cluster, 'shop', 'starting', true).name).toBe('starting');
  });

  it('a pod is not called unknown when pods were not read', () => {
    const unread: Unread = new Map([['pods', 'pods is forbidden']]);
    const blind = new Cluster(policyObjects(baseObjects), unread);
    expect(failure(() => endNamed(blind, 'shop/ghost'))[2]).toBe('pod shop/ghost is not known: pods is forbidden');
  });

  it('ends without a common family are refused with what each has', () => {
    const ends = ['dev/six', '192.0.2.7'].map((text) => endNamed(cluster, text)) as never;
    expect(failure(() => commonFamilies(...(ends as [never, never])))).toEqual([
      'NO_COMMON_FAMILY',
      2,
      'dev/six has only IPv6, 192.0.2.7 has only IPv4',
    ]);
  });

  it('two pods of both families have both, IPv4 first', () => {
    expect(commonFamilies(endNamed(cluster, 'shop/web'), endNamed(cluster, 'shop/db'))).toEqual([4, 6]);
  });
});
