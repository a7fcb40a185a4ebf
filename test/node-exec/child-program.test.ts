// Programs on this machine that leave a process behind: it must not delay the caller.
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../src/node-exec/child-program.ts';
import { signalGroup } from '../support/program/world.ts';

const world = { env: process.env, clock: { now: () => new Date() }, signalGroup };

describe('runProgram', () => {
  it('meets its deadline although a process outside the group keeps the output open', async () => {
    const began = Date.now();
    // Ends at once; what it leaves behind has its own group, and ends by itself.
    const ended = runProgram(['sh', '-c', 'setsid sleep 8 & exit 0'], 'node-a', world, { timeoutMs: 1000 });
    await expect(ended).rejects.toMatchObject({ reason: 'timeout' });
    expect(Date.now() - began).toBeLessThan(6000);
  });
});
