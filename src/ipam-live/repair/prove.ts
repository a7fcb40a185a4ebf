// The third look, immediately before a repair writes: the users that a judgement rests on are still what they were.
import { type Datastore, getIfAny } from '../../datastore/datastore.ts';
import type { Ground, Judgement } from '../../ipam-check/finding.ts';
import type { IpamSnapshot, NodeRecord, PodRecord, ServiceRecord } from '../../ipam-check/snapshot.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { service } from '../../resources/kinds/service.ts';
import { nodeRecord, placeOf, podRecord, serviceRecord } from '../check/records.ts';

/** What a pod must still be; its revision moves with every heartbeat of its conditions and says nothing. */
function podState({ resourceVersion: _, ...state }: PodRecord): string {
  return JSON.stringify(state);
}

/** What a node must still be; no repair rests on its health, which may come and go. */
function nodeState({ ready: _, ...state }: NodeRecord): string {
  return JSON.stringify(state);
}

const serviceState = (record: ServiceRecord): string => JSON.stringify(record);

/** Compares the live users of addresses with those of the snapshot that was judged. */
export class Prover {
  readonly #store: Datastore;
  readonly #signal: AbortSignal;
  readonly #pods: ReadonlyMap<string, PodRecord>;
  readonly #nodes: ReadonlyMap<string, NodeRecord>;
  readonly #services: ReadonlyMap<string, ServiceRecord>;

  constructor(store: Datastore, judged: IpamSnapshot, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
    this.#pods = new Map(judged.pods.map((record) => [placeOf(record), record]));
    this.#nodes = new Map(judged.nodes.map((record) => [placeOf(record), record]));
    this.#services = new Map(judged.services.map((record) => [placeOf(record), record]));
  }

  /** Undefined when every pod, node and service that the judgements rest on is unchanged, else what changed. */
  async changeOf(judgements: readonly Judgement[]): Promise<string | undefined> {
    const grounds = new Map<string, Ground>();
    for (const judgement of judgements) {
      for (const ground of judgement.grounds) grounds.set(`${ground.kind} ${placeOf(ground)}`, ground);
    }
    return this.changeOfGrounds(grounds.values());
  }

  /** The same for objects named one by one. */
  async changeOfGrounds(grounds: Iterable<Ground>): Promise<string | undefined> {
    for (const ground of grounds) {
      if (await this.#changed(ground)) {
        const place = ground.namespace === undefined ? ground.name : `${ground.namespace}/${ground.name}`;
        return `${ground.kind} ${place} changed since it was read`;
      }
    }
    return undefined;
  }

  async #changed(ground: Ground): Promise<boolean> {
    const place = placeOf(ground);
    const options = { signal: this.#signal };
    const ref = { name: ground.name, namespace: ground.namespace ?? 'default' };
    switch (ground.kind) {
      case 'Pod': {
        const live = await getIfAny(this.#store, pod, ref, options);
        return differs(this.#pods.get(place), live && podRecord(live), podState);
      }
      case 'Node': {
        const live = await getIfAny(this.#store, calicoNode, { name: ground.name }, options);
        return differs(this.#nodes.get(place), live && nodeRecord(live), nodeState);
      }
      case 'Service': {
        const live = await getIfAny(this.#store, service, ref, options);
        return differs(this.#services.get(place), live && serviceRecord(live), serviceState);
      }
      default:
        // Blocks, affinities and handles are guarded by the compare-and-swap itself; pools by what the primitive re-reads.
        return false;
    }
  }
}

function differs<R>(before: R | undefined, now: R | undefined, state: (record: R) => string): boolean {
  if (before === undefined || now === undefined) return before !== now;
  return state(before) !== state(now);
}
