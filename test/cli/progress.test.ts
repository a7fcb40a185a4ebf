// The progress line: on a terminal only, a few times a second, and gone before anything else is printed.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProgressLine, progressText } from '../../src/cli/progress.ts';
import { MemoryStream, TestClock } from '../support/program/world.ts';

const erase = '\r\u001b[K';

describe('progressText', () => {
  it('is what is being done when nothing is counted', () => {
    expect(progressText('asking 3 nodes', undefined, 0)).toBe('asking 3 nodes');
  });

  it('counts what is done when nobody knows how much there is', () => {
    expect(progressText('reading', { done: 4200, unit: 'objects' }, 1000)).toBe('reading  4200 objects');
  });

  it('has a bar when the total is known', () => {
    const at = (done: number): string => progressText('recording', { done, total: 8, unit: 'nodes' }, 1000);
    expect(at(0)).toBe('recording  [>                       ]  0 of 8 nodes');
    expect(at(2)).toBe('recording  [======>                 ]  2 of 8 nodes');
    expect(at(8)).toBe('recording  [========================]  8 of 8 nodes');
  });

  it('shows details after the counts', () => {
    const steps = { done: 4, total: 8, unit: 'kinds', detail: '48200 objects' };
    expect(progressText('reading', steps, 1000)).toBe(
      'reading  [============>           ]  4 of 8 kinds, 48200 objects',
    );
  });

  it('says how long the rest takes once ten steps are done', () => {
    const at = (done: number, elapsedMs: number): string | undefined =>
      progressText('repairing', { done, total: 1000, unit: 'repairs' }, elapsedMs).split('repairs')[1];
    expect(at(9, 1000)).toBe('');
    // 10 in 1 s: the other 990 take 99 s.
    expect(at(10, 1000)).toBe(', 99s left');
    // 100 in 60 s: the other 900 take 9 minutes.
    expect(at(100, 60_000)).toBe(', 9m left');
    expect(at(1000, 60_000)).toBe('');
  });

  it('does not divide by nothing', () => {
    expect(progressText('repairing', { done: 0, total: 0, unit: 'repairs' }, 0)).toBe('repairing  0 repairs');
  });
});

describe('ProgressLine', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  function lineOn(stream: MemoryStream): { line: ProgressLine; pass: (ms: number) => void } {
    const clock = new TestClock('2026-01-01T00:00:00Z');
    const pass = (ms: number): void => {
      clock.advance(ms);
      vi.advanceTimersByTime(ms);
    };
    return { line: new ProgressLine(stream, clock), pass };
  }

  it('writes nothing off a terminal', () => {
    const stream = new MemoryStream(false);
    const { line, pass } = lineOn(stream);
    line.show('reading', { done: 1, unit: 'objects' });
    pass(5000);
    line.stop();
    expect(stream.pieces).toEqual([]);
  });

  it('shows nothing of what is done within a fifth of a second', () => {
    const stream = new MemoryStream(true);
    const { line, pass } = lineOn(stream);
    line.show('reading');
    pass(199);
    line.stop();
    pass(1000);
    expect(stream.pieces).toEqual([]);
  });

  it('draws the latest state once per tick, only when it changed, and erases it at the end', () => {
    const stream = new MemoryStream(true);
    const { line, pass } = lineOn(stream);
    for (let done = 1; done <= 500; done++) line.show('reading', { done, unit: 'objects' });
    pass(1000);
    line.show('reading', { done: 501, unit: 'objects' });
    pass(200);
    line.stop();
    line.show('too late');
    pass(1000);
    expect(stream.pieces).toEqual([`${erase}reading  500 objects`, `${erase}reading  501 objects`, erase]);
  });

  it('comes back after a pause', () => {
    const stream = new MemoryStream(true);
    const { line, pass } = lineOn(stream);
    line.show('reading');
    pass(200);
    line.pause();
    pass(1000);
    line.show('repairing');
    pass(200);
    expect(stream.pieces).toEqual([`${erase}reading`, erase, `${erase}repairing`]);
  });

  it('measures the speed of each operation from its own start', () => {
    const stream = new MemoryStream(true);
    const { line, pass } = lineOn(stream);
    line.show('reading', { done: 5, total: 10, unit: 'kinds' });
    pass(60_000);
    line.show('repairing', { done: 0, total: 100, unit: 'repairs' });
    pass(1000);
    line.show('repairing', { done: 50, total: 100, unit: 'repairs' });
    pass(200);
    expect(stream.pieces.at(-1)).toBe(`${erase}repairing  [============>           ]  50 of 100 repairs, 2s left`);
  });

  it('is no wider than the terminal, and steers nothing', () => {
    const stream = new MemoryStream(true, 20);
    const { line, pass } = lineOn(stream);
    line.show('asking \u001b[2Jnode-1 and others');
    pass(200);
    expect(stream.pieces).toEqual([`${erase}asking \\e[2Jnode-1 `]);
  });
});
