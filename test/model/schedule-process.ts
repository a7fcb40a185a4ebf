// An operation run one store call at a time: each call waits until the scheduler answers it. The scheduler is schedule.ts;
// the operations are in test/support/interleaving/operations.ts.

import type {
  CallOptions,
  Datastore,
  DeletePreconditions,
  ListOptions,
  ListPage,
  RepairLock,
} from '../../src/datastore/datastore.ts';
import { listAll } from '../../src/datastore/datastore.ts';
import type { Kind } from '../../src/resources/kind.ts';
import type { KubeObject, ObjectRef } from '../../src/resources/object.ts';
import { deepCopy } from '../../src/text/plain-values.ts';

/** An operation with its own clock and randomness, so that equal answers always have the same effect. */
export type Operation = (store: Datastore) => Promise<unknown>;

/** One call that an operation waits for. */
export interface Call {
  /** `update IPAMBlock 10-0-0-0-30`, with `#2` for the second equal call. */
  readonly id: string;
  readonly kind: Kind;
  /** Undefined for a list. */
  readonly ref: ObjectRef | undefined;
  readonly isWrite: boolean;
  readonly on: (store: Datastore) => Promise<unknown>;
}

export type Answer = { readonly value: unknown } | { readonly error: unknown };

/** How an operation ended. */
export type Settled = { readonly result: unknown } | { readonly error: Error };

interface Waiting {
  readonly call: Call;
  readonly answer: (answer: Answer) => void;
}

/** Resolves when no promise can continue without a further answer. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A running operation. */
export class Run {
  readonly #waiting = new Map<string, Waiting>();
  readonly #asked = new Map<string, number>();
  readonly #direct: Datastore | undefined;
  readonly #written: ReadonlySet<string>;
  settled: Settled | undefined;

  /** `direct` answers the calls for kinds that no operation writes immediately, because their order does not matter. */
  private constructor(direct: Datastore | undefined, written: ReadonlySet<string>) {
    this.#direct = direct;
    this.#written = written;
  }

  static async start(operation: Operation, direct: Datastore | undefined, written: ReadonlySet<string>): Promise<Run> {
    const run = new Run(direct, written);
    operation(run.#store()).then(
      (result) => {
        run.settled = { result };
      },
      (error: unknown) => {
        run.settled = { error: error instanceof Error ? error : new Error(String(error)) };
      },
    );
    await quiet();
    return run;
  }

  /** The calls that wait for an answer, in their order. */
  get calls(): Call[] {
    return [...this.#waiting.values()].map(({ call }) => call);
  }

  /** Gives a call its answer, and returns when the operation waits for its next calls or has ended. */
  async answer(id: string, answer: Answer): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) throw new Error(`the operation does not wait for: ${id}`);
    this.#waiting.delete(id);
    waiting.answer('value' in answer ? { value: deepCopy(answer.value) } : answer);
    await quiet();
  }

  #ask<R>(op: string, kind: Kind, ref: ObjectRef | undefined, on: (store: Datastore) => Promise<R>): Promise<R> {
    const isWrite = op !== 'get' && op !== 'list';
    if (!this.#written.has(kind.kind)) {
      if (isWrite) throw new Error(`${kind.kind} is written, but is not one of the written kinds`);
      if (this.#direct !== undefined) return on(this.#direct);
    }
    const words = [op, kind.kind, ref?.name].filter((word) => word !== undefined).join(' ');
    const nth = (this.#asked.get(words) ?? 0) + 1;
    this.#asked.set(words, nth);
    const call: Call = { id: nth === 1 ? words : `${words} #${nth}`, kind, ref, isWrite, on };
    return new Promise((resolve, reject) => {
      const answer = (given: Answer): void => {
        if ('value' in given) resolve(given.value as R);
        else reject(given.error);
      };
      this.#waiting.set(call.id, { call, answer });
    });
  }

  #store(): Datastore {
    const ask = this.#ask.bind(this);
    return {
      type: 'memory',
      description: 'a store that answers on request',
      calicoApi: 'crd.projectcalico.org/v1',
      capturedAt: undefined,
      get: <T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, options?: CallOptions) =>
        ask('get', kind, ref, (store) => store.get(kind, ref, options)),
      list: async function* <T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncGenerator<ListPage<T>> {
        const items = await ask('list', kind, undefined, (store) => listAll(store, kind, options));
        yield { items, resourceVersion: '', atomic: true };
      },
      create: <T extends KubeObject>(kind: Kind<T>, object: T) =>
        ask('create', kind, object.metadata, (store) => store.create(kind, object)),
      update: <T extends KubeObject>(kind: Kind<T>, object: T) =>
        ask('update', kind, object.metadata, (store) => store.update(kind, object)),
      delete: (kind: Kind, ref: ObjectRef, preconditions: DeletePreconditions) =>
        ask('delete', kind, ref, (store) => store.delete(kind, ref, preconditions)),
      lockRepairs: (): Promise<RepairLock> => Promise.reject(new Error('there is no lock here')),
      close: async () => undefined,
    };
  }
}

/** The answer of a store to a call. */
export async function answerOf(call: Call, store: Datastore): Promise<Answer> {
  try {
    return { value: await call.on(store) };
  } catch (error) {
    return { error };
  }
}

/** The progress of an operation: its answers so far, in any order of those that it awaited at the same time. */
export interface Place {
  readonly id: number;
  /** Writes that failed because the other operation had changed, created or deleted the object. */
  readonly lost: number;
  readonly calls: readonly Call[];
  readonly settled: Settled | undefined;
}

interface KnownPlace extends Place {
  /** The place before and the answer that led here; undefined at the start. */
  readonly before: { readonly place: KnownPlace; readonly call: string; readonly answer: Answer } | undefined;
  /** The answers so far, numbered and in ascending order. */
  readonly answers: Uint32Array;
  readonly next: Map<number, KnownPlace>;
  /** The operation itself, waiting at this place, until it continues. */
  run: Run | undefined;
}

/** All places that an operation reaches. It is run again from its start when a place has a second continuation. */
export class Process {
  readonly #operation: Operation;
  readonly #direct: Datastore | undefined;
  readonly #written: ReadonlySet<string>;
  readonly #known = new Map<string, KnownPlace>();
  readonly #numbers = new Numbers();

  constructor(operation: Operation, direct: Datastore | undefined, written: ReadonlySet<string>) {
    this.#operation = operation;
    this.#direct = direct;
    this.#written = written;
  }

  async start(): Promise<Place> {
    return this.#place(await this.#startRun(), undefined, new Uint32Array(), 0);
  }

  /** `text` distinguishes the answer from all others of that call. */
  async after(place: Place, call: Call, answer: Answer, text: string): Promise<Place> {
    const from = place as KnownPlace;
    const step = this.#numbers.of(`${call.id} ${text}`);
    const known = from.next.get(step);
    if (known !== undefined) return known;
    const answers = Uint32Array.of(...from.answers, step).sort();
    const next = this.#known.get(answers.join()) ?? (await this.#continue(from, call, answer, answers));
    from.next.set(step, next);
    return next;
  }

  async #continue(from: KnownPlace, call: Call, answer: Answer, answers: Uint32Array): Promise<KnownPlace> {
    const run = from.run ?? (await this.#replay(from));
    from.run = undefined;
    await run.answer(call.id, answer);
    const lost = from.lost + (call.isWrite && 'error' in answer ? 1 : 0);
    return this.#place(run, { place: from, call: call.id, answer }, answers, lost);
  }

  /** Runs the operation from its start to that place. */
  async #replay(to: KnownPlace): Promise<Run> {
    const steps: NonNullable<KnownPlace['before']>[] = [];
    for (let { before } = to; before !== undefined; before = before.place.before) steps.unshift(before);
    const run = await this.#startRun();
    for (const step of steps) await run.answer(step.call, step.answer);
    return run;
  }

  #startRun(): Promise<Run> {
    return Run.start(this.#operation, this.#direct, this.#written);
  }

  #place(run: Run, before: KnownPlace['before'], answers: Uint32Array, lost: number): KnownPlace {
    const { calls, settled } = run;
    const place: KnownPlace = { id: this.#known.size, lost, calls, settled, before, answers, next: new Map(), run };
    this.#known.set(answers.join(), place);
    return place;
  }
}

/** Numbers texts: equal texts have equal numbers. */
export class Numbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
