// Steps in order: each has its outcome, whatever ends the sequence.
import { expect, it } from 'vitest';
import { applied, appliedUnless } from '../../src/ipam/repair/repair-outcome.ts';
import { runInOrder } from '../../src/ipam-live/sequential-steps.ts';
import { CalictlError } from '../../src/world/errors.ts';

const never = new AbortController().signal;
const does = (acts: Record<string, () => unknown>, signal: AbortSignal = never) =>
  runInOrder(
    Object.keys(acts),
    (name) => name,
    async (name) => {
      await acts[name]?.();
      return appliedUnless(name === 'taken' ? 'in use' : undefined);
    },
    signal,
  );

const fail = (code: string) => () => {
  throw new CalictlError('it went wrong', { code });
};

it('runInOrder reports the outcome of each step', async () => {
  expect(await does({ a: () => undefined, taken: () => undefined })).toEqual([
    { subject: 'a', ...applied },
    { subject: 'taken', outcome: 'conflict', detail: 'in use' },
  ]);
});

it('runInOrder continues after a conflict of one object, and ends after a failure that the next step would have too', async () => {
  expect((await does({ a: fail('IPAM_CONFLICT'), b: () => undefined })).map(({ outcome }) => outcome)).toEqual([
    'failed',
    'applied',
  ]);
  expect(await does({ a: fail('DATASTORE_UNAVAILABLE'), b: () => undefined })).toEqual([
    { subject: 'a', outcome: 'failed', detail: 'it went wrong' },
    { subject: 'b', outcome: 'skipped', detail: 'not tried after the previous failure' },
  ]);
});

it('runInOrder completes the current step after an interrupt and starts no other', async () => {
  const stop = new AbortController();
  const outcomes = await does({ a: () => undefined, b: () => stop.abort(), c: () => undefined }, stop.signal);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'skipped']);
  const broken = new AbortController();
  const thrown = await does(
    {
      a: () => {
        broken.abort();
        broken.signal.throwIfAborted();
      },
      b: () => undefined,
    },
    broken.signal,
  );
  expect(thrown.map(({ outcome, detail }) => [outcome, detail])).toEqual([
    ['skipped', 'interrupted before it was done'],
    ['skipped', 'interrupted before it was done'],
  ]);
});

it('runInOrder does not hide a programming error', async () => {
  await expect(
    does({
      a: () => {
        throw new TypeError('undefined is not a function');
      },
    }),
  ).rejects.toThrow(TypeError);
});
