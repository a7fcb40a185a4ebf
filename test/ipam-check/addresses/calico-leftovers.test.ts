// What Calico leaves in every cluster is not a fault; what its known defects leave is exactly one finding each.
import { describe, expect, it } from 'vitest';
import { MemoryDatastore } from '../../../src/datastore/memory.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { autoAssign } from '../../../src/ipam/assign/auto-assign.ts';
import { releaseByHandle, releaseIps } from '../../../src/ipam/release/release.ts';
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import { observe } from '../../../src/ipam-live/check/observe.ts';
import { pod as podKind } from '../../../src/resources/kinds/pod.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { goTimeText } from '../../../src/text/go-time.ts';
import { findingsOf } from '../../support/clusters/brief-findings.ts';
import { node, pool } from '../../support/clusters/ipam-state.ts';
import { cluster } from '../../support/clusters/seeded-cluster.ts';
import { container, healthy, podHandle } from '../../support/clusters/snapshot-builder.ts';
import { TestClock } from '../../support/program/world.ts';

/** Two nodes whose pods are added and deleted as the CNI plugin does it. */
async function worked(): Promise<MemoryDatastore> {
  const clock = new TestClock('2025-12-01T00:00:00Z');
  const store = new MemoryDatastore([node('node-a'), node('node-b'), pool('pool-1', '10.60.0.0/24', 29)]);
  const ipam = ipamStoreOf(store);
  const addresses = new Map<string, string>();
  for (const digit of '123456789abc') {
    const name = Number.parseInt(digit, 16) % 2 === 0 ? 'node-a' : 'node-b';
    const secondary = { node: name, pod: `p-${digit}`, namespace: 'shop', timestamp: goTimeText(clock.now()) };
    const holder = { handle: podHandle(digit), secondary };
    const request = { node: name, version: 4, count: 1, use: 'Workload', holder } as const;
    const { addresses: taken } = await autoAssign(ipam, request, { clock, random: { uuid: () => '', float: () => 0 } });
    addresses.set(digit, taken[0]?.address ?? '');
  }
  for (const digit of '1246') await releaseByHandle(ipam, podHandle(digit));
  for (const digit of '35') await releaseIps(ipam, [{ address: addresses.get(digit) ?? '', handle: podHandle(digit) }]);
  for (const digit of '789abc') {
    const ip = addresses.get(digit) ?? '';
    await store.create(podKind, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `p-${digit}`,
        namespace: 'shop',
        annotations: {
          'cni.projectcalico.org/containerID': container(digit),
          'cni.projectcalico.org/podIPs': `${ip}/32`,
        },
      },
      spec: { nodeName: Number.parseInt(digit, 16) % 2 === 0 ? 'node-a' : 'node-b', containers: [] },
      status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] },
    } as never);
  }
  return store;
}

const later = { clock: new TestClock('2025-12-02T00:00:00Z') };

it('a cluster made by the allocator, with releases by handle, has notes only', async () => {
  const found = findingsOf(await observe(await worked(), later));
  expect(found).toHaveLength(2);
  for (const line of found) expect(line).toMatch(/^INV-12 info IPAMBlock\/10-60-0-\d+-29$/);
});

it('a generated cluster with borrowed addresses has no finding', async () => {
  const made = cluster({ seed: 11, nodes: 4, podsPerNode: 30, borrowed: 0.2 });
  const store = new MemoryDatastore(made.objects as KubeObject[]);
  const { judgements } = evaluate(await observe(store, { clock: new TestClock('2026-01-03T00:00:00Z') }));
  expect(judgements.map(({ finding }) => `${finding.id} ${finding.severity}`)).toEqual([]);
});

describe('known defects of Calico', () => {
  const cidr = '10.60.0.0/29';
  const ofA1 = `IPAMHandle/${podHandle('1')}`;

  it('a handle that was counted up too far, or twice, is INV-47', () => {
    const made = healthy();
    made.handleOf(podHandle('1')).block[cidr] = 3;
    expect(findingsOf(made.snapshot())).toEqual([`INV-47 warning ${ofA1} R3`]);
  });

  it('a handle that remains after its addresses is INV-45', () => {
    const made = healthy();
    made.handle(podHandle('f'), { [cidr]: 2 });
    expect(findingsOf(made.snapshot())).toEqual([`INV-45 warning IPAMHandle/${podHandle('f')} R3 also INV-47`]);
  });

  it('a handle whose block is gone is INV-45', () => {
    const made = healthy();
    made.handle(podHandle('f'), { '10.60.0.32/29': 1 });
    expect(findingsOf(made.snapshot())).toEqual([`INV-45 warning IPAMHandle/${podHandle('f')} R3 also INV-48`]);
  });

  it('the address of an ADD that ran twice is INV-50', () => {
    const made = healthy();
    const secondary = { namespace: 'shop', pod: 'a-1', node: 'node-a', timestamp: '2026-01-01 00:00:05 +0000 UTC' };
    made.allocate(made.blockOf(cidr), { handle_id: podHandle('1'), secondary });
    expect(findingsOf(made.snapshot())).toEqual(['INV-50 warning IPAMBlock/10-60-0-0-29 R1']);
  });
});
