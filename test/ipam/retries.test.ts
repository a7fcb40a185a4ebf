// Retries: how often, with which pauses, and what ends them.
import { expect, it } from 'vitest';
import { untilSettled } from '../../src/ipam/retries.ts';
import { TestClock } from '../support/program/world.ts';

function worldOf(float: number, signal?: AbortSignal) {
  const clock = new TestClock('2025-12-01T00:00:00Z');
  const pauses: number[] = [];
  clock.onSleep = (ms) => pauses.push(ms);
  return { pauses, clock, random: { uuid: () => 'none', float: () => float }, ...(signal ? { signal } : {}) };
}

/** An operation that has `times` conflicts before it succeeds, and the number of its calls. */
function contended(times: number) {
  const calls = { count: 0 };
  const once = async (): Promise<'contended' | 'done'> => (calls.count++ < times ? 'contended' : 'done');
  return { calls, once };
}

it.each([
  [0, []],
  [1, []],
  [3, [5, 5]],
])('untilSettled returns after %i conflicts', async (times, pauses) => {
  const world = worldOf(0);
  const { calls, once } = contended(times);
  expect(await untilSettled(world, once)).toBe('done');
  expect(calls.count).toBe(times + 1);
  expect(world.pauses).toEqual(pauses);
});

it('untilSettled pauses for at most 50 ms', async () => {
  const world = worldOf(1 - Number.EPSILON);
  await untilSettled(world, contended(2).once);
  expect(world.pauses).toEqual([50]);
});

it('untilSettled ends with an error after a hundred attempts', async () => {
  const world = worldOf(0.5);
  const { calls, once } = contended(1000);
  await expect(untilSettled(world, once)).rejects.toMatchObject({ code: 'IPAM_CONFLICT' });
  expect(calls.count).toBe(100);
  expect(world.pauses).toHaveLength(98);
});

it('untilSettled ends before the next attempt when aborted, and immediately at an error', async () => {
  const aborted = worldOf(0, AbortSignal.abort());
  const { calls, once } = contended(1);
  await expect(untilSettled(aborted, once)).rejects.toThrow();
  expect(calls.count).toBe(1);
  const failing = async () => {
    throw new Error('no answer');
  };
  await expect(untilSettled(worldOf(0), failing)).rejects.toThrow('no answer');
});
