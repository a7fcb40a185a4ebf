// The last check before a repair writes: the pods, nodes and services that a judgement depends on are unchanged.
import { type Datastore, getIfAny } from '../../datastore/datastore.ts';
import type { Dependency, Judgement } from '../../ipam-check/finding.ts';
import type { IpamSnapshot, NodeRecord, PodRecord, ServiceRecord } from '../../ipam-check/snapshot.ts';
import { calicoNode } from '../../resources/kinds/node.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { service } from '../../resources/kinds/service.ts';
import { defaultNamespace, qualifiedName } from '../../resources/object.ts';
import { nodeRecord, podRecord, serviceRecord } from '../check/snapshot-records.ts';

/** What must be unchanged of a pod. Its revision is left out: it changes with every update of its conditions. */
function podState({ resourceVersion: _, ...state }: PodRecord): string {
  return JSON.stringify(state);
}

/** What must be unchanged of a node. Its health is left out: no repair depends on it, and it may change at any time. */
function nodeState({ ready: _, ...state }: NodeRecord): string {
  return JSON.stringify(state);
}

const serviceState = (record: ServiceRecord): string => JSON.stringify(record);

/** Compares live pods, nodes and services with those of the snapshot that was judged. */
export class LivePreconditions {
  readonly #store: Datastore;
  readonly #signal: AbortSignal;
  readonly #pods: ReadonlyMap<string, PodRecord>;
  readonly #nodes: ReadonlyMap<string, NodeRecord>;
  readonly #services: ReadonlyMap<string, ServiceRecord>;

  constructor(store: Datastore, judged: IpamSnapshot, signal: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
    this.#pods = new Map(judged.pods.map((record) => [qualifiedName(record), record]));
    this.#nodes = new Map(judged.nodes.map((record) => [qualifiedName(record), record]));
    this.#services = new Map(judged.services.map((record) => [qualifiedName(record), record]));
  }

  /** What changed of the pods, nodes and services that the judgements depend on; undefined when nothing did. */
  async changeOf(judgements: readonly Judgement[]): Promise<string | undefined> {
    const dependencies = new Map<string, Dependency>();
    for (const judgement of judgements) {
      for (const dependency of judgement.dependencies) {
        dependencies.set(`${dependency.kind} ${qualifiedName(dependency)}`, dependency);
      }
    }
    return this.changeOfObjects(dependencies.values());
  }

  /** The same for individually named objects. */
  async changeOfObjects(dependencies: Iterable<Dependency>): Promise<string | undefined> {
    for (const dependency of dependencies) {
      if (await this.#changed(dependency)) {
        return `${dependency.kind} ${qualifiedName(dependency)} changed since it was read`;
      }
    }
    return undefined;
  }

  async #changed(dependency: Dependency): Promise<boolean> {
    const place = qualifiedName(dependency);
    const options = { signal: this.#signal };
    const ref = { name: dependency.name, namespace: dependency.namespace ?? defaultNamespace };
    switch (dependency.kind) {
      case 'Pod': {
        const live = await getIfAny(this.#store, pod, ref, options);
        return differs(this.#pods.get(place), live && podRecord(live), podState);
      }
      case 'Node': {
        const live = await getIfAny(this.#store, calicoNode, { name: dependency.name }, options);
        return differs(this.#nodes.get(place), live && nodeRecord(live), nodeState);
      }
      case 'Service': {
        const live = await getIfAny(this.#store, service, ref, options);
        return differs(this.#services.get(place), live && serviceRecord(live), serviceState);
      }
      default:
        // Blocks, affinities and handles are guarded by the compare-and-swap itself, pools by what the primitive reads again.
        return false;
    }
  }
}

function differs<R>(before: R | undefined, now: R | undefined, state: (record: R) => string): boolean {
  if (before === undefined || now === undefined) return before !== now;
  return state(before) !== state(now);
}
