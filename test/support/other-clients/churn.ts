// A small container runtime and IPAM plugin at work: pods are created, get an address, report it, are deleted and release
// it, all the time. It follows the order of writes that real nodes follow, over any Datastore.

import type { Datastore } from '../../../src/datastore/datastore.ts';
import { ipamStoreOf } from '../../../src/datastore/stored-ipam.ts';
import { addressOf, touched } from '../../../src/ipam/block/block.ts';
import { assigned } from '../../../src/ipam/block/block-assign.ts';
import { decrementHandle, incrementHandle } from '../../../src/ipam/handles.ts';
import { releaseByHandle } from '../../../src/ipam/release/release.ts';
import { IntervalSet } from '../../../src/net/interval-set.ts';
import { pod as podKind } from '../../../src/resources/kinds/pod.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { goTimeText } from '../../../src/text/go-time.ts';
import { seeded } from '../clusters/seeded-cluster.ts';

export interface ChurnOptions {
  readonly store: Datastore;
  /** Sets the status of a pod, which an API server accepts through a subresource only. */
  readonly setStatus: (pod: KubeObject) => Promise<void>;
  /** Names of the blocks to allocate from, with their nodes. */
  readonly blocks: readonly { readonly name: string; readonly node: string }[];
  readonly workers: number;
  /** Longest pause between two steps of a pod's life, ms. */
  readonly longestPauseMs: number;
  readonly seed: number;
}

export interface Churn {
  /** Addresses in use by these pods at this moment: allocated and not yet being released. */
  readonly held: ReadonlySet<string>;
  /** Longest time from the first allocation write to the end of the release, ms, so far. */
  longestLifeMs(): number;
  pods(): number;
  stop(): Promise<void>;
}

export function startChurn(options: ChurnOptions): Churn {
  const ipam = ipamStoreOf(options.store);
  const none = IntervalSet.of([]);
  const held = new Set<string>();
  let stopping = false;
  let longest = 0;
  let lives = 0;
  const pause = (random: () => number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, random() * options.longestPauseMs));

  async function allocate(
    block: string,
    handle: string,
    secondary: Record<string, string>,
  ): Promise<string | undefined> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const found = await ipam.blocks.get(block);
      if (!found.ok) return undefined;
      const taken = assigned(found.value, 1, { handle, secondary }, none);
      const [ordinal] = taken.ordinals;
      if (ordinal === undefined) return undefined;
      const address = addressOf(found.value, ordinal);
      await incrementHandle(ipam, handle, found.value.spec.cidr, 1);
      const written = await ipam.blocks.update(touched(taken.block));
      if (written.ok) return address;
      await decrementHandle(ipam, handle, found.value.spec.cidr, 1);
    }
    return undefined;
  }

  async function life(worker: number, turn: number, random: () => number): Promise<void> {
    const { name, node } = options.blocks[(worker + turn) % options.blocks.length] as ChurnOptions['blocks'][number];
    const podName = `churn-${worker}-${turn}`;
    const container = `${options.seed}c${worker}t${turn}`.padEnd(64, '0');
    const pod = await options.store.create(podKind, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: podName, namespace: 'churn' },
      spec: { nodeName: node, containers: [{ name: 'main', image: 'registry.example/churn:1' }] },
    } as never);
    await pause(random);
    const began = Date.now();
    const handle = `k8s-pod-network.${container}`;
    const address = await allocate(name, handle, {
      namespace: 'churn',
      node,
      pod: podName,
      timestamp: goTimeText(new Date()),
    });
    if (address === undefined) throw new Error(`the churn could not allocate from ${name}`);
    held.add(address);
    await pause(random);
    await options.setStatus({
      ...pod,
      status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }] },
    } as KubeObject);
    await pause(random);
    await options.store.delete(podKind, { name: podName, namespace: 'churn' }, {});
    await pause(random);
    held.delete(address);
    await releaseByHandle(ipam, handle);
    longest = Math.max(longest, Date.now() - began);
    lives += 1;
  }

  const workers = Array.from({ length: options.workers }, async (_, worker) => {
    const random = seeded(options.seed * 1000 + worker);
    for (let turn = 0; !stopping; turn += 1) await life(worker, turn, random);
  });
  return {
    held,
    longestLifeMs: () => longest,
    pods: () => lives,
    async stop() {
      stopping = true;
      await Promise.all(workers);
    },
  };
}
