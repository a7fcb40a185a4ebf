// The stored objects at one moment of a schedule, and calls on them: a small MemoryDatastore answers each call.
import { MemoryDatastore } from '../../src/datastore/memory.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { type Answer, answerOf, type Call, Numbers } from './schedule-process.ts';

/** Kinds that the operations write. All others do not change, so the order of their reads does not matter. */
export const writtenKinds: ReadonlySet<string> = new Set(['IPAMBlock', 'BlockAffinity', 'IPAMHandle']);

/** One stored object, or a deleted one with its last counters. */
interface Version {
  readonly id: number;
  readonly object: KubeObject | undefined;
  readonly revision: bigint;
  readonly uids: number;
}

/** The objects by kind and name. */
export type Stored = ReadonlyMap<string, Version>;

/** Equal texts for equal values. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? `${field}n` : field)) ?? '';
}

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;
const uidNumber = (object: KubeObject): number => Number.parseInt(object.metadata.uid?.slice(-12) ?? '0', 16);

/**
 * Calls on a state, answered by a MemoryDatastore that contains only the objects of the call. So each object counts its own
 * revisions: writes of different objects lead to the same state in any order.
 */
export class StateStore {
  readonly #numbers = new Numbers();
  readonly #answers = new Numbers();
  readonly #effects = new Map<string, { answer: Answer; text: string; version: Version | undefined }>();
  readonly #now: Date;

  constructor(now: Date) {
    this.#now = now;
  }

  initial(objects: readonly KubeObject[]): Stored {
    const written = objects.filter(({ kind }) => writtenKinds.has(kind));
    const versions = written.map((object) => this.#version(keyOf(object), object, 0n, uidNumber(object)));
    return new Map(versions.map((version) => [keyOf(version.object as KubeObject), version]));
  }

  key(stored: Stored): string {
    return [...stored]
      .map(([, { id }]) => id)
      .sort((a, b) => a - b)
      .join();
  }

  /** `unique` distinguishes the call from all others of all operations. */
  async call(stored: Stored, call: Call, unique: string): Promise<{ answer: Answer; text: string; stored: Stored }> {
    const { kind, ref } = call;
    const key = `${kind.kind} ${ref?.name}`;
    const about =
      ref === undefined
        ? [...stored].filter(([at]) => at.startsWith(`${kind.kind} `))
        : [[key, stored.get(key)] as const];
    const memo = `${unique} ${about.map(([, version]) => version?.id ?? '').join()}`;
    let effect = this.#effects.get(memo);
    if (effect === undefined) {
      effect = await this.#effect(
        call,
        about.flatMap(([, version]) => version ?? []),
      );
      this.#effects.set(memo, effect);
    }
    const { answer, text, version } = effect;
    if (version === undefined || version.id === stored.get(key)?.id) return { answer, text, stored };
    return { answer, text, stored: new Map(stored).set(key, version) };
  }

  async #effect(
    call: Call,
    versions: readonly Version[],
  ): Promise<{ answer: Answer; text: string; version: Version | undefined }> {
    const [only] = versions;
    const key = `${call.kind.kind} ${call.ref?.name}`;
    const live = versions.flatMap(({ object }) => object ?? []);
    const counters = call.isWrite && only !== undefined && only.object === undefined ? [counterAt(only)] : [];
    const memory = new MemoryDatastore([...live, ...counters], { now: () => this.#now });
    const answer = await answerOf(call, memory);
    const text = 'value' in answer ? textOf(answer.value) : `error: ${String(answer.error)}`;
    const answerNumber = String(this.#answers.of(text));
    if (!call.isWrite) return { answer, text: answerNumber, version: undefined };
    const after = memory.dump().find(({ kind }) => kind === call.kind.kind);
    if (after !== undefined)
      return {
        answer,
        text: answerNumber,
        version: this.#version(key, after, 0n, Math.max(only?.uids ?? 0, uidNumber(after))),
      };
    const version = only?.object === undefined ? only : this.#version(key, undefined, only.revision + 1n, only.uids);
    return { answer, text: answerNumber, version };
  }

  #version(key: string, object: KubeObject | undefined, revision: bigint, uids: number): Version {
    const id = this.#numbers.of(object === undefined ? `${key} gone ${revision} ${uids}` : textOf(object));
    return {
      id,
      object,
      uids,
      revision: object === undefined ? revision : BigInt(object.metadata.resourceVersion ?? '0'),
    };
  }
}

/** An object that makes a MemoryDatastore continue the counters of a deleted object. */
function counterAt({ revision, uids }: Version): KubeObject {
  const uid = `00000000-0000-4000-8000-${uids.toString(16).padStart(12, '0')}`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'counter', uid, resourceVersion: String(revision) },
  };
}
