// Programs of this machine that do not end well: what nobody can reach must not hold the caller up.
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/node-exec/child-program.ts';
import { signalGroup } from '../support/program/world.ts';

const world = { env: process.env, clock: { now: () => new Date() }, signalGroup };

describe('runProgram', () => {
  it('keeps to the deadline when a program that is out of reach keeps the output open', async () => {
    const began = Date.now();
    // Ends at once; what it leaves has a group of its own, and is gone by itself.
    const ended = runProgram(['sh', '-c', 'setsid sleep 8 & exit 0'], 'node-a', world, { timeoutMs: 1000 });
    await expect(ended).rejects.toMatchObject({ reason: 'timeout' });
    expect(Date.now() - began).toBeLessThan(6000);
  });
});
